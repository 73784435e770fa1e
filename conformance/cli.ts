import { parseArgs } from 'node:util';
import packageJson from './package.json' with { type: 'json' };

/** The file that `npm run conformance:pack` writes. */
export const tarball = `tracker-conformance-${packageJson.version}.tgz`;

export type RunSettings = {
  address: string;
  /** Ids or groups of the checks to run. Empty for all checks. */
  only: string[];
  reportFolder: string | undefined;
  appOrigin: string | undefined;
  seed: number;
  verbose: boolean;
  ui: boolean;
};

export const help = `Usage: npm run conformance -- ADDRESS [options]
       npx ./${tarball} ADDRESS [options]

Checks whether the Tracker App works with the backend at ADDRESS, for example http://localhost:8080.
Reports each problem with what users see, and the requests that reproduce it.
The kit registers its own accounts and creates projects. It changes no other data.

  --only ID       run only this check or group (REACH-1, XSRF); repeatable
  --report DIR    write conformance.html, conformance.json and conformance.xml (JUnit) to DIR
  --origin URL    the app is served from this other origin: also check CORS
  --seed N        seed of the generated data (default 1); the same seed sends the same requests
  --ui            also run the app itself in a browser, with this backend
  --verbose       list every check with its requests
  --list          list the checks and exit
  --help          show this text

Exit codes: 0 every MUST check passed, 1 a MUST check failed, 2 invalid arguments,
3 no server accepts connections at ADDRESS.
`;

export type Command =
  | { kind: 'run'; settings: RunSettings }
  | { kind: 'help' }
  | { kind: 'list' }
  | { kind: 'invalid'; errors: string[] };

/** Parses the command line. Reports all errors at once, one line each. */
export function parseArguments(args: string[], checkIds: string[]): Command {
  let parsed;
  try {
    parsed = parseArgs({
      args,
      allowPositionals: true,
      options: {
        only: { type: 'string', multiple: true, default: [] },
        report: { type: 'string' },
        origin: { type: 'string' },
        seed: { type: 'string', default: '1' },
        ui: { type: 'boolean', default: false },
        verbose: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    return { kind: 'invalid', errors: [error instanceof Error ? error.message : String(error)] };
  }
  const { values, positionals } = parsed;
  if (values.help) return { kind: 'help' };
  if (values.list) return { kind: 'list' };

  const errors: string[] = [];
  const [address = '', ...extra] = positionals;
  if (address === '') {
    errors.push('ADDRESS is missing. Example: npm run conformance -- http://localhost:8080');
  }
  if (extra.length > 0) errors.push(`Only one ADDRESS is allowed. Remove: ${extra.join(', ')}`);
  const only = values.only.flatMap((ids) => ids.split(',')).map((id) => id.trim().toUpperCase());
  for (const wanted of only.filter((id) => !checkIds.some((known) => isSelected(known, [id])))) {
    errors.push(`--only: there is no check "${wanted}". See --list.`);
  }
  if (!/^\d{1,9}$/.test(values.seed)) {
    errors.push(`--seed must be a whole number, but is "${values.seed}".`);
  }
  const appOrigin = values.origin === undefined ? undefined : parseOrigin(values.origin);
  if (values.origin !== undefined && appOrigin === undefined) {
    errors.push(
      `--origin must be a URL such as https://app.example.org, but is "${values.origin}".`,
    );
  }
  if (values.report === '') errors.push('--report needs the name of a folder.');
  if (errors.length > 0) return { kind: 'invalid', errors };
  const { report: reportFolder, verbose, ui } = values;
  const seed = Number(values.seed);
  return { kind: 'run', settings: { address, only, reportFolder, appOrigin, seed, verbose, ui } };
}

/** Whether `only` selects a check: XSRF selects the whole group, XSRF-1 does not select XSRF-12. */
export function isSelected(id: string, only: string[]): boolean {
  return only.length === 0 || only.some((prefix) => id === prefix || id.startsWith(`${prefix}-`));
}

function parseOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, origin } = new URL(text);
  return /^https?:$/.test(protocol) ? origin : undefined;
}
