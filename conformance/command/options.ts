import { parseArgs } from 'node:util';
import { UsageError } from '../../shared/usage-error.ts';
import { maxRunMs } from '../http/client.ts';
import { maxWaitMinutes } from '../http/patience.ts';
import packageJson from '../package.json' with { type: 'json' };

export const { version } = packageJson;

/** The command as the user typed it, for the help and the examples in messages. */
export const command =
  process.env['npm_lifecycle_event'] === 'conformance'
    ? 'npm run conformance --'
    : 'npx tracker-conformance';

export type RunSettings = Extract<ReturnType<typeof parseArguments>, { kind: 'run' }>['settings'];

export const help = `Usage: ${command} ADDRESS [options]

Checks whether the Tracker App works with the backend at ADDRESS, for example
${command} http://localhost:8080
Reports each problem with what users see, and the requests that show it.
The kit registers its own accounts and creates projects. It changes no other
data.

  --only ID       run only this check or group (REACH-1, XSRF); repeatable
  --report DIR    write conformance.html, conformance.json and conformance.xml
                  (JUnit) to the folder DIR
  --origin URL    the app is served from this other origin: send it, and also
                  check CORS
  --wait          take as long as it needs, not ${maxRunMs / 60_000} minutes, and obey every
                  Retry-After, up to ${maxWaitMinutes} minutes in total
  --verbose       also print what users read, and every check with its requests
  --list          list the checks and exit
  --version       print the version and exit
  --help          print this text and exit

Exit codes:
  0    every MUST check passed
  1    a MUST check failed or could not run
  2    the kit cannot run: invalid arguments, or a Node older than 20
  3    no server accepts connections at ADDRESS
  130  stopped with Ctrl+C`;

const options = {
  only: { type: 'string', multiple: true, default: [] as string[] },
  report: { type: 'string' },
  origin: { type: 'string' },
  wait: { type: 'boolean', default: false },
  verbose: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  version: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** Parses the command line. Throws all errors in values at once, one line each. */
export function parseArguments(args: string[], checkIds: string[]) {
  const { values, positionals } = parseOptions(args);
  const kind = (['help', 'version', 'list'] as const).find((option) => values[option]);
  if (kind) return { kind };

  const errors: string[] = [];
  const [address = '', ...extra] = positionals;
  if (address === '') errors.push(`ADDRESS is missing. Example: ${command} http://localhost:8080`);
  if (extra.length > 0) errors.push(`Only one ADDRESS is allowed. Remove: ${extra.join(', ')}`);
  const only = values.only.flatMap((ids) => ids.split(',')).map((id) => id.trim().toUpperCase());
  for (const wanted of only.filter((id) => !checkIds.some((known) => isSelected(known, [id]))))
    errors.push(`--only: there is no check "${wanted}". See --list.`);
  const { report: reportFolder, origin, wait: isPatient, verbose } = values;
  if (reportFolder === '') errors.push('--report needs a folder.');
  const isUrl = origin !== undefined && URL.canParse(origin) && /^https?:/i.test(origin);
  const appOrigin = isUrl ? new URL(origin).origin : undefined;
  if (origin !== undefined && !isUrl)
    errors.push(`--origin must be a URL such as https://app.example.org, but is "${origin}".`);
  if (errors.length > 0) throw new UsageError([...errors, 'See --help.'].join('\n'));
  const settings = {
    address,
    only,
    reportFolder,
    appOrigin,
    limitMs: isPatient ? Infinity : maxRunMs,
    isPatient,
    verbose,
  };
  return { kind: 'run' as const, settings };
}

/** Parses the options. An error of Node names the option in its first sentence. */
function parseOptions(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split(/\.\s/)[0]}.\nSee --help.`);
  }
}

/** Whether `only` selects a check: XSRF selects the whole group, XSRF-1 does not select XSRF-12. */
export function isSelected(id: string, only: string[]): boolean {
  return only.length === 0 || only.some((prefix) => id === prefix || id.startsWith(`${prefix}-`));
}
