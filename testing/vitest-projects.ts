import type { TestProjectInlineConfiguration } from 'vitest/config';
import { longWaitMs } from './time-limits.ts';

type Project = NonNullable<TestProjectInlineConfiguration['test']>;

const dom: Project = {
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
const quickConformance =
  'conformance/tests/{checks,exit-codes,matchers,options,order,patience,readme,reports}.test.ts';

/** Tests of the server that start no process and need no PostgreSQL, for `npm run test:unit`. */
const unitOfServer = 'server/tests/unit/**/*.test.ts';
/** The same for each store: `server:postgres` runs them on PostgreSQL. */
const storesOfServer = 'server/tests/stores/**/*.test.ts';

/** Each project loads its modules again. */
export const projects: Record<string, Project> = {
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
