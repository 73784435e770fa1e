import { parseArgs } from 'node:util';

export type RunSettings = {
  /** As it was given. */
  address: string;
  /** Ids of checks, or their beginnings; all checks when empty. */
  only: string[];
  /** The folder for the reports. */
  report: string | undefined;
  origin: string | undefined;
  seed: number;
  verbose: boolean;
  ui: boolean;
};

export const help = `Usage: npm run conformance -- ADDRESS [options]      (from a tarball: npx ./tracker-conformance.tgz ADDRESS [options])

Tells whether the Tracker App works on the backend at ADDRESS, such as http://localhost:8080, and what its users would read.
The kit registers people of its own, signs them in and makes projects; it changes nothing else.

  --only ID       only this check, or the checks whose ids begin so (REACH-1, XSRF); may be repeated
  --report DIR    writes conformance.html, conformance.json and conformance.xml (JUnit) into DIR
  --origin URL    the app will live there, on another origin than the backend: CORS is checked as well
  --seed N        what people type follows from this number (1): the same seed, the same run
  --ui            also walks the real app in a browser in front of the backend
  --verbose       every check with its calls, and not only what failed
  --list          the checks, and nothing else
  --help          this text

Ends with 0 when every MUST is met, 1 when one is not, 2 when it was asked in a way that it does not understand, 3 when nothing
answers at ADDRESS.
`;

export type Command =
  | { does: 'run'; settings: RunSettings }
  | { does: 'help' }
  | { does: 'list' }
  | { does: 'refuse'; errors: string[] };

/** Reads the arguments, or says everything that is wrong with them, one line each. `ids` are the checks that there are. */
export function parseArguments(args: string[], ids: string[]): Command {
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
    return { does: 'refuse', errors: [error instanceof Error ? error.message : String(error)] };
  }
  const { values, positionals } = parsed;
  if (values.help) return { does: 'help' };
  if (values.list) return { does: 'list' };

  const mistakes: string[] = [];
  const [address, ...more] = positionals;
  if (address === undefined) {
    mistakes.push(
      'Which backend? Give its address, as in: npm run conformance -- http://localhost:8080',
    );
  }
  if (more.length > 0)
    mistakes.push(`One address is enough; there is also "${more.join('", "')}".`);
  const only = values.only
    .flatMap((each) => each.split(','))
    .map((each) => each.trim().toUpperCase());
  for (const wanted of only.filter((each) => !ids.some((id) => isSelected(id, [each])))) {
    mistakes.push(`--only: no check is called "${wanted}": --list shows them.`);
  }
  if (!/^\d{1,9}$/.test(values.seed)) {
    mistakes.push(`--seed must be a whole number, and is "${values.seed}".`);
  }
  const origin = values.origin === undefined ? undefined : originOf(values.origin);
  if (values.origin !== undefined && origin === undefined) {
    mistakes.push(
      `--origin must be an address such as https://app.example.org, and is "${values.origin}".`,
    );
  }
  if (values.report === '') mistakes.push('--report needs the name of a folder.');
  if (mistakes.length > 0 || address === undefined) return { does: 'refuse', errors: mistakes };
  const { report, verbose, ui } = values;
  return {
    does: 'run',
    settings: { address, only, report, origin, seed: Number(values.seed), verbose, ui },
  };
}

/** Whether a check belongs to what was asked for: `XSRF` means all of that group, `XSRF-1` not `XSRF-12`. */
export function isSelected(id: string, only: string[]): boolean {
  return only.length === 0 || only.some((each) => id === each || id.startsWith(`${each}-`));
}

function originOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, origin } = new URL(text);
  return /^https?:$/.test(protocol) ? origin : undefined;
}
