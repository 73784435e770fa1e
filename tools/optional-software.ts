/**
 * What some tests need and a machine may lack. A test file names it in a comment, such as
 * `@module-tag nginx`. Vitest skips the tests of what is missing, and the reporter names them.
 * With `TRACKER_TEST_ALL=1`, each missing program is a failure.
 *
 * `npm run node --silent -- tools/optional-software.ts` prints the packages of Debian and Ubuntu
 * that are missing, for `apt-get install`.
 */
import { existsSync } from 'node:fs';
import { findChromiums, findPrograms } from '../shared/programs.ts';

const findProgram = (...names: string[]) => names.flatMap(findPrograms)[0];

type Software = {
  /** Returns the path of the program, and nothing if it or a part is missing. */
  find: () => string | undefined | void;
  /** Names of Debian's packages. */
  packages: string;
};

const optionalSoftware = {
  chromium: {
    find: () => findChromiums().next().value,
    packages: 'chromium-headless-shell',
  },
  firefox: {
    find: () => process.env['FIREFOX'] ?? findProgram('firefox-esr', 'firefox'),
    packages: 'firefox-esr',
  },
  webkit: {
    // xvfb-run does not start without xauth.
    find: () =>
      findProgram('xvfb-run') && findProgram('xauth') ? findProgram('WebKitWebDriver') : undefined,
    packages: 'webkit2gtk-driver xvfb xauth',
  },
  nginx: { find: () => findProgram('nginx'), packages: 'nginx-light' },
  haproxy: { find: () => findProgram('haproxy'), packages: 'haproxy' },
  pgbouncer: { find: () => findProgram('pgbouncer'), packages: 'pgbouncer' },
  // Processes are found there, so their tests need Linux.
  '/proc': { find: () => (existsSync('/proc/self/stat') ? '/proc' : undefined), packages: '' },
  curl: { find: () => findProgram('curl'), packages: 'curl' },
  // Gives a program a terminal.
  script: { find: () => findProgram('script'), packages: 'bsdutils' },
} satisfies Record<string, Software>;

export type SoftwareName = keyof typeof optionalSoftware;
export const softwareNames = Object.keys(optionalSoftware) as SoftwareName[];

/** Returns the path of a program that a test needs. Throws if it is not installed. */
export function requireSoftware(name: SoftwareName): string {
  const path = optionalSoftware[name].find();
  if (path) return path;
  throw new Error(`${name} is not installed. ${installCommand([name])}`);
}

export const findMissingSoftware = () =>
  softwareNames.filter((name) => !optionalSoftware[name].find());

/** Returns a sentence with one command that installs all of it. */
export const installCommand = (missing: SoftwareName[]) =>
  `On Debian and Ubuntu: apt-get install --no-install-recommends ${packagesOf(missing)}`;

const packagesOf = (names: SoftwareName[]) =>
  names.map((name) => optionalSoftware[name].packages).join(' ');

/** Returns true if each missing program is a failure. */
export const mustTestAll = () => process.env['TRACKER_TEST_ALL'] === '1';

if (import.meta.main) console.log(packagesOf(findMissingSoftware()));
