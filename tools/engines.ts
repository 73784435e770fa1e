/**
 * Finds what some tests need and `npm test` does without: browsers besides Chromium, which
 * `ensure-chromium.ts` provides, and the runtimes of `conformance/examples`.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

type OptionalSoftware = {
  name: string;
  /** The tests that need it, and are not run without it. */
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
} as const satisfies Record<string, OptionalSoftware>;

/** The packages of Debian and Ubuntu that extend Go. */
const goPath = '/usr/share/gocode';

/** The runtimes of `conformance/examples` besides Node.js and Python, which all tests need. */
export const runtimes = {
  fastapi: {
    name: 'FastAPI',
    testFile: 'tests/conformance/examples/fastapi.test.ts',
    find: () => findPython('fastapi', 'uvicorn'),
    installAdvice: 'Install it (Debian: apt-get install python3-fastapi python3-uvicorn).',
  },
  django: {
    name: 'Django',
    testFile: 'tests/conformance/examples/django.test.ts',
    find: () => findPython('django'),
    installAdvice: 'Install it (Debian: apt-get install python3-django).',
  },
  go: {
    name: 'Go',
    testFile: 'tests/conformance/examples/go.test.ts',
    find: () => {
      const command = findOnPath('go');
      const hasCrypto = existsSync(join(goPath, 'src/golang.org/x/crypto/bcrypt'));
      return command && hasCrypto ? { command, goPath } : undefined;
    },
    installAdvice: 'Install it (Debian: apt-get install golang-go golang-golang-x-crypto-dev).',
  },
} as const satisfies Record<string, OptionalSoftware>;

/** Returns what is not installed. */
export const findMissingSoftware = (): OptionalSoftware[] =>
  [...Object.values(engines), ...Object.values(runtimes)].filter(
    ({ find }) => find() === undefined,
  );

/** Returns a Python that has the modules: the one on the path, or that of the system's packages. */
function findPython(...modules: string[]): { command: string } | undefined {
  const program =
    'import importlib.util as u, sys; sys.exit(None in map(u.find_spec, sys.argv[1:]))';
  const command = ['python3', '/usr/bin/python3'].find(
    (python) => spawnSync(python, ['-c', program, ...modules]).status === 0,
  );
  return command === undefined ? undefined : { command };
}

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
