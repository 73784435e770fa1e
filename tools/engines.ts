/** Finds the browsers of tests/engines besides Chromium, which `ensure-chromium.ts` provides. */
import { accessSync, constants, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

type Engine = {
  name: string;
  /** The tests that need it. */
  testFile: string;
  /** Returns undefined if something is missing. */
  find: () => object | undefined;
  installAdvice: string;
};

/** Returns the path of Firefox, of which Debian's package is the extended support release. */
export const findFirefox = (): string | undefined =>
  process.env['FIREFOX'] ?? findOnPath('firefox-esr') ?? findOnPath('firefox');

/** Returns the programs that show and control WebKitGTK without a screen. */
export function findWebKit() {
  const driver = findOnPath('WebKitWebDriver');
  const display = findOnPath('xvfb-run');
  const [browser] = globSync('/usr/{lib,libexec}/{,*/}webkit2gtk-4.*/MiniBrowser').toSorted();
  // xvfb-run does not start without it.
  const hasXauth = findOnPath('xauth') !== undefined;
  return driver && display && browser && hasXauth ? { driver, display, browser } : undefined;
}

export const engines = {
  firefox: {
    name: 'Firefox',
    testFile: 'tests/engines/firefox.test.ts',
    find: () => {
      const path = findFirefox();
      return path === undefined ? undefined : { path };
    },
    installAdvice:
      'Install Firefox (Debian: apt-get install firefox-esr), or set FIREFOX to its path.',
  },
  webkit: {
    name: 'WebKitGTK',
    testFile: 'tests/engines/webkit.test.ts',
    find: findWebKit,
    installAdvice:
      'Install its driver and a virtual screen (Debian: apt-get install webkit2gtk-driver xvfb xauth).',
  },
} as const satisfies Record<string, Engine>;

/** Returns the engines that are not installed. */
export const findMissingEngines = (): Engine[] =>
  Object.values(engines).filter(({ find }) => find() === undefined);

function findOnPath(command: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  return folders
    .map((folder) => join(folder, command))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
