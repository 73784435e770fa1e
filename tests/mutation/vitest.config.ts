import { vanillaExtractPlugin } from '@vanilla-extract/vite-plugin';
import react from '@vitejs/plugin-react';
import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

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

/** The tests that mutants run on. They fail soon, because most mutants make a test wait in vain. */
export default defineConfig({
  root: process.cwd(),
  // Beside the sandbox's own sources, because its node_modules is a link to the project's.
  cacheDir: '.cache',
  plugins: [react(), vanillaExtractPlugin()],
  test: {
    isolate: false,
    sequence: { sequencer: LikelyFirst },
    testTimeout: 20_000,
    hookTimeout: 20_000,
    expect: { poll: { timeout: 5_000 } },
    projects: [
      {
        extends: true,
        test: { name: 'node', include: ['tests/unit/{api,machines}/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'jsdom',
          sequence: { groupOrder: 1 },
          include: ['tests/{screens,model}/*.test.{ts,tsx}'],
          environment: 'jsdom',
          setupFiles: ['tests/support/screens-setup.ts', 'tests/mutation/setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          sequence: { groupOrder: 2 },
          include: ['tests/server/*.test.ts'],
          globalSetup: 'tests/server/postgres.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          sequence: { groupOrder: 3 },
          include: ['tests/browser/*.test.ts'],
          testTimeout: 60_000,
        },
      },
    ],
  },
});
