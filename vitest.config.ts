import './tools/requirements.cjs';
import { availableParallelism } from 'node:os';
import { vanillaExtractPlugin } from '@vanilla-extract/vite-plugin';
import { defineConfig } from 'vitest/config';
import { longWaitMs, maxWaitMs } from './testing/time-limits.ts';
import { projects } from './testing/vitest-projects.ts';
import { findMissingSoftware, softwareNames } from './tools/optional-software.ts';
import { findTempParent } from './tools/temp-parent.ts';

process.env['TMPDIR'] ??= await findTempParent();

const hasProject = (name: string) => process.argv.includes(name);
const isQuick = hasProject('quick');
/** For `test:unit` and `test:watch`: the quick projects without a page, whose modules load once. */
if (isQuick) {
  // None of them needs a browser, and the search loads Playwright.
  process.env['CHROMIUM'] ??= '';
  const quick = Object.values(projects).filter((test) => !test.testTimeout && !test.environment);
  projects['quick'] = Object.assign({}, ...quick, {
    include: quick.flatMap(({ include = [] }) => include),
  });
}

/**
 * Tests wait for browsers and databases most of the time. Those of `npm run test:app` never wait.
 * In quick runs, a second worker would load all modules again, a tenth of the processor time.
 */
const workersPerCore = hasProject('app:screens') ? 1 : 2;
const workers = isQuick ? 1 : workersPerCore * availableParallelism();

const missingSoftware = findMissingSoftware();

/** Apart from vite.config.ts, because the plugins of the build add two seconds to each start. */
export default defineConfig({
  // Does not compile style sheets with a second Vite, as the build does, nor name them with Babel.
  plugins: [vanillaExtractPlugin({ unstable_mode: 'transform', identifiers: 'short' })],
  test: {
    maxWorkers: Math.min(workers, 8),
    // The tests of software that is not installed are skipped. The reporter names them.
    tags: softwareNames.map((name) => ({ name, skip: missingSoftware.includes(name) })),
    reporters: ['default', './tools/test-reporter.ts'],
    // Ends with the first failure, which is then shown in seconds. `npm test` runs all tests.
    bail: 1,
    // The first line of a failure has what was found: with 40 characters, `{ …(2) }`.
    chaiConfig: { truncateThreshold: 500 },
    setupFiles: ['testing/failure-messages.ts'],
    testTimeout: longWaitMs,
    hookTimeout: longWaitMs,
    expect: { poll: { timeout: maxWaitMs }, requireAssertions: true },
    // The files of a project share modules, so they must leave no state in them. Sharing takes a
    // fifth of the time.
    isolate: false,
    projects: Object.entries(projects).map(([name, test]) => ({
      extends: true,
      test: { name, ...test },
    })),
  },
});
