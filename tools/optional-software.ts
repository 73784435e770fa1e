/**
 * Finds what some tests need and a machine may lack. Tests of missing software are left out and
 * named. With `TRACKER_TEST_ALL=1`, each missing program is a failure.
 *
 * `npm run node --silent -- tools/optional-software.ts` prints the packages of Debian and Ubuntu
 * that are missing, for `apt-get install`.
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { findChromiums, findPrograms } from '../shared/programs.ts';

export type Software<Found extends object = object> = {
  name: string;
  /** Patterns of the test files that need it. */
  testFiles: readonly string[];
  /** The programs and packages that it consists of, by name, if those are several. */
  parts?: () => Record<string, unknown>;
  /** Returns undefined if something is missing. */
  find: () => Found | undefined;
  /** Names of Debian's packages. */
  packages: readonly string[];
};

export const optionalSoftware = {
  chromium: {
    name: 'Chromium',
    testFiles: [
      'tests/browser/*.test.ts',
      'conformance/tests/screens.test.ts',
      'tests/engines/chromium.test.ts',
    ],
    find: () => found(findChromiums().next().value || undefined),
    packages: ['chromium-headless-shell'],
  },
  firefox: {
    name: 'Firefox',
    testFiles: ['tests/engines/firefox.test.ts'],
    find: () => found(process.env['FIREFOX'] ?? findProgram('firefox-esr', 'firefox')),
    packages: ['firefox-esr'],
  },
  webkit: {
    name: 'WebKitGTK',
    testFiles: ['tests/engines/webkit.test.ts'],
    parts: webKitParts,
    find: findWebKit,
    packages: ['webkit2gtk-driver', 'xvfb', 'xauth'],
  },
  nginx: {
    name: 'nginx',
    testFiles: ['server/tests/proxies/nginx.test.ts'],
    find: () => found(findProgram('nginx')),
    packages: ['nginx-light'],
  },
  haproxy: {
    name: 'haproxy',
    testFiles: ['server/tests/proxies/haproxy.test.ts'],
    find: () => found(findProgram('haproxy')),
    packages: ['haproxy'],
  },
  pgbouncer: {
    name: 'PgBouncer',
    testFiles: ['server/tests/pgbouncer.test.ts'],
    find: () => found(findProgram('pgbouncer')),
    packages: ['pgbouncer'],
  },
  curl: {
    name: 'curl',
    testFiles: ['conformance/tests/curl.test.ts', 'tests/commands/contract-page.test.ts'],
    find: () => found(findProgram('curl')),
    packages: ['curl'],
  },
  django: {
    name: 'Django',
    testFiles: ['conformance/tests/examples/django.test.ts'],
    find: () => found(findPrograms('python3').find(hasDjango)),
    packages: ['python3-django'],
  },
} as const satisfies Record<string, Software>;

/** Returns what a test needs. Throws if it is not installed. */
export function requireSoftware<Found extends object>(software: Software<Found>): Found {
  const result = software.find();
  if (result) return result;
  throw new Error(`${missingParts(software)} is not installed. ${howToInstall([software])}`);
}

/** Returns what is not installed. */
export const findMissingSoftware = (): Software[] =>
  Object.values(optionalSoftware).filter(({ find }) => find() === undefined);

/** Returns true if each missing program is a failure. */
export const mustTestAll = () => process.env['TRACKER_TEST_ALL'] === '1';

/** Returns a line for each that is missing, and one with the command that installs all of it. */
export function notRunLines(missing: Software[]): string[] {
  if (missing.length === 0) return [];
  const result = mustTestAll() ? 'FAIL' : 'not run:';
  return [
    ...missing.map(
      (software) =>
        `${result} ${software.testFiles.join(', ')}: ${missingParts(software)} is not installed`,
    ),
    howToInstall(missing),
  ];
}

/** Returns a sentence with one command that installs the software. */
export const howToInstall = (missing: Software[]) =>
  `On Debian and Ubuntu: apt-get install --no-install-recommends ${packagesOf(missing)}`;

/** Returns the names of what is missing. */
function missingParts({ name, parts = () => ({}) }: Software): string {
  const missing = Object.entries(parts()).filter(([, part]) => !part);
  return missing.map(([part]) => part).join(', ') || name;
}

const packagesOf = (missing: Software[]) => missing.flatMap(({ packages }) => packages).join(' ');

const found = (program: string | undefined) => (program ? { program } : undefined);

const findProgram = (...names: string[]) => names.flatMap(findPrograms)[0];

/** Returns the programs that show and control WebKitGTK without a screen. */
function webKitParts() {
  return {
    WebKitWebDriver: findProgram('WebKitWebDriver'),
    'xvfb-run': findProgram('xvfb-run'),
    // xvfb-run does not start without it.
    xauth: findProgram('xauth'),
    'the MiniBrowser of WebKitGTK': globSync(
      '/usr/{lib,libexec}/{,*/}webkit2gtk-4.*/MiniBrowser',
    ).toSorted()[0],
  };
}

function findWebKit() {
  const parts = webKitParts();
  const { WebKitWebDriver: driver, 'xvfb-run': display, xauth } = parts;
  const browser = parts['the MiniBrowser of WebKitGTK'];
  return driver && display && browser && xauth ? { driver, display, browser } : undefined;
}

// Vitest evaluates its configuration once per project, in one process.
const shared = globalThis as { hasDjango?: Map<string, boolean> };
const known = (shared.hasDjango ??= new Map<string, boolean>());

/** Returns whether this Python has Django. */
function hasDjango(python: string): boolean {
  const result = known.get(python) ?? spawnSync(python, ['-c', 'import django']).status === 0;
  known.set(python, result);
  return result;
}

if (import.meta.main) console.log(packagesOf(findMissingSoftware()));
