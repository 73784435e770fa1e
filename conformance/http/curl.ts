import { isUtf8 } from 'node:buffer';
import type { Exchange } from './record.ts';
import { setCookieOf, withRequirements } from './requirements.ts';
import { hasSucceeded, headerValues } from './response.ts';
import { encodedVariants, type Secrets } from './secrets.ts';
import { renderScript, type Body, type Command, type Text } from './shell.ts';

type Run = {
  http: { origin: string; exchanges: Exchange[] };
  secrets: Secrets;
  fixtures: { runId: string };
};

/** Longer bodies have to repeat a text, because command lines have a length limit. */
const maxInlineBodyLength = 2000;
const maxCommands = 40;

/** The other headers of a browser, except cookies and the XSRF token, do not matter. */
const copiedHeaders =
  /^(accept|content-type|idempotency-key|if-none-match|origin|referer|access-control-.*)$/;

/**
 * Returns shell commands that repeat requests of a run with new accounts, including the requests
 * that set their cookies. Returns none when commands cannot do that. They contain no secrets:
 * cookies are read from files, and each letter of a password is replaced by the next one.
 */
export function reproduce(run: Run, exchanges: Exchange[]): string[] {
  const all = run.http.exchanges;
  const { script, repeated, count } = foldCreates(withRequirements(all, exchanges));
  const batches: { waitSeconds: number; commands: Command[] }[] = [];
  for (let first = 0; first < script.length;) {
    // Exchanges are in the order in which they ended.
    const end = all.indexOf(script[first]!);
    const next = script.findIndex(({ startedAfter }, index) => index > first && startedAfter > end);
    const batch = script.slice(first, next === -1 ? undefined : next);
    // Two concurrent commands must not write the same cookie file.
    const writesFile = ({ browserName }: Exchange) =>
      batch.filter((other) => other.browserName === browserName).length === 1;
    const commands = batch.map((each) =>
      createCommand(run, script, each, writesFile(each), each === repeated ? count : undefined),
    );
    const possible = commands.filter((each) => each !== undefined);
    if (possible.length < commands.length) return [];
    batches.push({
      waitSeconds: Math.ceil((batch[0]!.idleMs ?? 0) / 1000),
      commands: possible,
    });
    first += batch.length;
  }
  return script.length === 0 || script.length > maxCommands ? [] : renderScript(batches);
}

/** Leaves one of many creates of a browser, and counts them. */
function foldCreates(script: Exchange[]) {
  const creates = script.filter((exchange) => hasSucceeded(exchange, '/projects'));
  const [repeated, ...others] = creates.filter(({ request }) => request.method === 'POST');
  const isLong = others.length > maxCommands;
  return {
    script: isLong ? script.filter((exchange) => !others.includes(exchange)) : script,
    repeated: isLong ? repeated : undefined,
    count: others.length + 1,
  };
}

const fileOf = ({ browserName }: Exchange) => `${browserName.replaceAll(/\W+/g, '-')}.txt`;

/** Puts a new run id in place of that of the run, in any letter case. */
const withNewRun = (text: string, runId: string): Text =>
  text
    .split(new RegExp(`(${runId})`, 'i'))
    .map((part) => (part.toLowerCase() === runId ? ({ kind: 'run' } as const) : part))
    .filter((part) => part !== '');

/**
 * Returns the cookies of a request of which some are not its browser's own. Each is read from the
 * file of the browser that got it, or is a text. Undefined if that file has another value by then.
 */
function borrowCookies(script: Exchange[], exchange: Exchange, runId: string): Text | undefined {
  const before = script.slice(0, script.indexOf(exchange));
  const text: Text = [];
  for (const { name, value, setBy, filter } of exchange.cookies) {
    if (text.length > 0) text.push('; ');
    if (!setBy) {
      text.push(...withNewRun(`${name}=${value}`, runId));
      continue;
    }
    const last = before
      .filter(({ browserName }) => browserName === setBy.browserName)
      .findLast((each) => setCookieOf(each, name));
    if (!last || setCookieOf(last, name) !== setCookieOf(setBy, name)) return undefined;
    text.push(`${name}=`, { kind: 'cookie', file: fileOf(setBy), name, filter });
  }
  return text;
}

/** Returns the command for one request; undefined when a command cannot make it. */
function createCommand(
  run: Run,
  script: Exchange[],
  exchange: Exchange,
  writesFile: boolean,
  count: number | undefined,
): Command | undefined {
  const { origin } = run.http;
  const { runId } = run.fixtures;
  const { request, browserName, cookies } = exchange;
  const isOwn = cookies.every(({ setBy }) => setBy?.browserName === browserName);
  const borrowed = isOwn ? undefined : borrowCookies(script, exchange, runId);
  const headers = headersOf(run, exchange, count !== undefined);
  const body = bodyOf(exchange, runId);
  if ((!isOwn && !borrowed) || !headers || body === 'too long') return undefined;
  return {
    flags: flagsOf(exchange, origin),
    cookies: borrowed ? { text: borrowed } : { file: fileOf(exchange) },
    writtenFile: writesFile ? fileOf(exchange) : undefined,
    headers,
    body,
    url: withNewRun(origin + request.path, runId),
    count,
  };
}

function flagsOf({ request, response, failure }: Exchange, origin: string): string[] {
  const { method, body } = request;
  const isUsual = method === 'GET' || (method === 'POST' && body !== undefined);
  return [
    ...(origin.startsWith('https:') ? ['-k'] : []),
    ...(failure?.isTimeout ? ['-m 10'] : []),
    ...(headerValues(response, 'content-encoding').length > 0 ? ['--compressed'] : []),
    ...(isUsual ? [] : [`-X ${method}`]),
  ];
}

/** Returns the headers of a request; undefined if its token is a secret of no cookie file. */
function headersOf({ secrets, fixtures }: Run, exchange: Exchange, isRepeated: boolean) {
  const { headers, body } = exchange.request;
  const texts = Object.entries(headers)
    .filter(([name]) => copiedHeaders.test(name))
    .map(([name, value]): Text => {
      if (name !== 'idempotency-key') return withNewRun(`${name}: ${value}`, fixtures.runId);
      // A run has keys of its own, which are equal where those of the kit are.
      const key: Text = [`${name}: ${value.slice(0, -fixtures.runId.length)}`, { kind: 'run' }];
      return isRepeated ? [...key, '-', { kind: 'count' }] : key;
    });
  if (body !== undefined && headers['content-type'] === undefined) texts.push(['content-type:']);
  const token = headers['x-xsrf-token'];
  if (token === undefined) return texts;
  const { setBy } =
    exchange.cookies.find(({ value }) => encodedVariants(value).includes(token)) ?? {};
  if (!setBy && secrets.has(token)) return undefined;
  const value: Text = setBy ? [{ kind: 'token', file: fileOf(setBy) }] : [token];
  return [...texts, ['x-xsrf-token: ', ...value] satisfies Text];
}

/** Returns the body of a request. */
function bodyOf({ request: { body } }: Exchange, runId: string): Body | 'too long' | undefined {
  if (body === undefined) return undefined;
  // No body of a request has control characters: JSON escapes them.
  if (!isUtf8(Buffer.from(body))) return { format: withNewRun(inOctal(Buffer.from(body)), runId) };
  const text = withOtherPassword(String(body));
  if (text.length <= maxInlineBodyLength) return { text: withNewRun(text, runId) };
  const match = /(.{1,40}?)\1{20,}/su.exec(text);
  if (!match) return 'too long';
  const [repeated, unit = ''] = match;
  const [before, after] = [text.slice(0, match.index), text.slice(match.index + repeated.length)];
  if (before.length + after.length > maxInlineBodyLength) return 'too long';
  return {
    before: withNewRun(before, runId),
    unit: [unit],
    count: repeated.length / unit.length,
    after: withNewRun(after, runId),
  };
}

/** Replaces each letter of a password by the next one: `***` would not reproduce its faults. */
const withOtherPassword = (body: string) =>
  body.replaceAll(/(?<="password":")(?:[^"\\]|\\.)*/g, (password) =>
    password.replaceAll(/' OR '|\\u[\da-f]{4}|\\.|[a-z]/gi, (part) =>
      part.length > 1
        ? part
        : String.fromCodePoint(part.codePointAt(0)! + (/z/i.test(part) ? -25 : 1)),
    ),
  );

/** Returns bytes as a format of printf. */
const inOctal = (bytes: Buffer) =>
  bytes
    .toString('latin1')
    .replaceAll(/[%\\]/g, '$&$&')
    .replaceAll(/[^ -~]/g, (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`);
