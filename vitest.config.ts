import './tools/requirements.cjs';
import { availableParallelism } from 'node:os';
import { vanillaExtractPlugin } from '@vanilla-extract/vite-plugin';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { longWaitMs, maxWaitMs } from './testing/time-limits.ts';
import { findMissingSoftware, softwareNames } from './tools/optional-software.ts';
import { findTempParent } from './tools/temp-parent.ts';

process.env['TMPDIR'] ??= await findTempParent();

const dom: TestProjectInlineConfiguration['test'] = {
  // Takes a third of the processor time of jsdom: 9 seconds instead of 24 for tests/screens.
  environment: 'happy-dom',
  pool: 'threads',
  setupFiles: ['testing/screens-setup.ts'],
};

const longTestMs = 600_000;

/** Tests that start programs, such as servers and browsers. Each wait has a limit of its own. */
const long = {
  testTimeout: longTestMs,
  hookTimeout: longTestMs,
  expect: { poll: { timeout: longWaitMs } },
};

const explorations = ['tests/model/exhaustive.test.ts', 'tests/model/exploration.test.ts'];

/** Tests of the kit that take milliseconds, for `npm run test:unit`. */
const quickConformance = 'conformance/tests/{checks,options,order,patience,readme,reports}.test.ts';

/** Tests of the server that start no process and need no PostgreSQL, for `npm run test:unit`. */
const unitOfServer = 'server/tests/unit/**/*.test.ts';
/** The same for each store: `server:postgres` runs them on PostgreSQL. */
const storesOfServer = 'server/tests/stores/**/*.test.ts';

/** Each project loads its modules again. */
const projects: Record<string, TestProjectInlineConfiguration['test']> = {
  'app:unit': { include: ['tests/unit/**/*.test.ts'], pool: 'threads' },
  'app:screens': { include: ['tests/screens/**/*.test.tsx'], ...dom },
  // React's renderers for Node and for browsers both write into the contexts that they render.
  'app:prerendering': { include: ['tests/prerendering/**/*.test.tsx'], ...dom, isolate: true },
  'app:model': {
    include: ['tests/model/**/*.test.{ts,tsx}'],
    exclude: explorations,
    ...dom,
  },
  // Each file in a process of its own, whose memory is limited.
  'app:exploration': {
    include: explorations,
    pool: 'forks',
    isolate: true,
    testTimeout: longTestMs,
    execArgv: ['--max-old-space-size=1024'],
  },
  'app:browser': {
    ...long,
    include: ['tests/browser/**/*.test.ts'],
    globalSetup: 'testing/build-app.ts',
  },
  'app:engines': {
    ...long,
    include: ['tests/engines/**/*.test.ts'],
    globalSetup: 'testing/build-app.ts',
  },
  'server:unit': {
    include: [unitOfServer, storesOfServer],
    pool: 'threads',
    provide: { stores: ['SQLite'] },
  },
  'server:postgres': {
    ...long,
    include: [storesOfServer],
    provide: { stores: ['PostgreSQL'] },
    globalSetup: 'testing/provide-postgres.ts',
  },
  server: {
    ...long,
    include: ['server/tests/**/*.test.ts'],
    exclude: [unitOfServer, storesOfServer],
    provide: { stores: ['SQLite', 'PostgreSQL'] },
    globalSetup: 'testing/provide-postgres.ts',
  },
  'conformance:unit': { include: [quickConformance], pool: 'threads' },
  conformance: {
    ...long,
    include: ['conformance/tests/**/*.test.ts'],
    exclude: [quickConformance],
    provide: { stores: ['SQLite', 'PostgreSQL'] },
    globalSetup: 'testing/provide-postgres.ts',
  },
  tools: { include: ['tests/tools/**/*.test.ts'], pool: 'threads' },
  // Start programs, servers or builds, so `npm run test:unit` leaves them out.
  commands: { ...long, include: ['tests/commands/**/*.test.ts'], pool: 'threads' },
};

/**
 * Tests wait for browsers and databases most of the time. Those of `npm run test:app` never wait.
 * In `test:unit` and `test:watch`, which alone name `tools`, a second worker would load all modules
 * again, which takes a tenth of the processor time.
 */
const hasProject = (name: string) => process.argv.includes(name);
const workersPerCore = hasProject('app:screens') ? 1 : 2;
const workers = hasProject('tools') ? 1 : workersPerCore * availableParallelism();

const missingSoftware = findMissingSoftware();

/** Apart from vite.config.ts, because the plugins of the build add two seconds to each start. */
export default defineConfig({
  // Does not compile style sheets with a second Vite, as the build does.
  plugins: [vanillaExtractPlugin({ unstable_mode: 'transform' })],
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
