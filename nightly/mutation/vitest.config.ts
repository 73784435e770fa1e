import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import config from '../../vitest.config.ts';
import { part } from './parts.ts';

const files = globSync(part.tests);
const projects = config.test!.projects as TestProjectInlineConfiguration[];

/** The configuration of the tests of a part. */
export default defineConfig({
  ...config,
  // Not in node_modules, which all copies of the project share.
  cacheDir: '.cache',
  test: {
    ...config.test,
    reporters: [{}],
    // StrykerJS prints them, and cannot print an object without a prototype.
    onUnhandledError: (error) => void Object.setPrototypeOf(error, Error.prototype),
    projects: projects
      .map(({ test, ...project }, groupOrder) => ({
        ...project,
        test: {
          ...test,
          include: files.filter((file) => test?.include?.some((glob) => matchesGlob(file, glob))),
          setupFiles: [test?.setupFiles ?? [], 'nightly/mutation/setup.ts'].flat(),
          // The projects run one after the other.
          sequence: { groupOrder },
        },
      }))
      .filter(({ test }) => test.include.length > 0),
  },
});
