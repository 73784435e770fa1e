import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import config from '../../vitest.config.ts';

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
