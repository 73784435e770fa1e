import { relative } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import config from '../../vitest.config.ts';

/** Runs the files that failed for the previous mutant first, then the fastest. */
class LikelyFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) => {
      const key = `${project.name}:${relative(this.ctx.config.root, moduleId)}`;
      const { failed, duration } = this.ctx.cache.getFileTestResults(key) ?? {};
      return failed ? 0 : (duration ?? 0);
    };
    return specifications.toSorted((a, b) => rank(a) - rank(b));
  }
}

const projects = config.test!.projects as TestProjectInlineConfiguration[];

/** The configuration of the tests that mutants run on. */
export default defineConfig({
  ...config,
  // Not in node_modules, which every copy of the project shares.
  cacheDir: '.cache',
  test: {
    ...config.test,
    maxWorkers: 1,
    // Short, because most mutants make a test wait in vain.
    testTimeout: 20_000,
    hookTimeout: 20_000,
    expect: { poll: { timeout: 5_000 } },
    sequence: { sequencer: LikelyFirst },
    // StrykerJS prints them, and cannot print an object without a prototype.
    onUnhandledError: (error) => void Object.setPrototypeOf(error, Error.prototype),
    projects: projects.map(({ test, ...project }, groupOrder) => ({
      ...project,
      test: {
        ...test,
        // The projects run one after the other.
        sequence: { groupOrder },
        ...(test?.environment === 'happy-dom' && {
          setupFiles: [test.setupFiles ?? [], 'tests/mutation/setup.ts'].flat(),
        }),
      },
    })),
  },
});
