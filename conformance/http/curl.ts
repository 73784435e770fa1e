import { isUtf8 } from 'node:buffer';
import type { Exchange } from './record.ts';
import { emailOf, hasSucceeded, headerValues, isSuccess, statusOf } from './response.ts';
import { encodedVariants, type Secrets } from './secrets.ts';

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

const freshRun = 'cd "$(mktemp -d)"; RUN=0$(date +%s)   # cookie files, and emails that are new';
const tokenFunction = String.raw`token() { awk '$6 == "XSRF-TOKEN" { print $7 }' "$1" | sed 's/%2[Bb]/+/g; s/%2[Ff]/\//g; s/%3[Dd]/=/g'; }`;

const cookieFunction = String.raw`cookie() { awk -v name="$2" '$6 == name { print $7 }' "$1"; }`;

/**
 * Returns shell commands that repeat requests of a run with new accounts, including the requests
 * that set their cookies. Returns none when commands cannot do that. They contain no secrets:
 * cookies are read from files, and each letter of a password is replaced by the next one.
 */
export function reproduce(run: Run, exchanges: Exchange[]): string[] {
  const all = run.http.exchanges;
  const { runId } = run.fixtures;
  const { script, repeated, count } = foldCreates(withRequirements(all, exchanges));
  const lines: string[] = [];
  for (let first = 0; first < script.length;) {
    // Exchanges are in the order in which they ended.
    const end = all.indexOf(script[first]!);
    const next = script.findIndex(({ startedAfter }, index) => index > first && startedAfter > end);
    const batch = script.slice(first, next === -1 ? undefined : next);
    // Two concurrent commands must not write the same cookie file.
    const writesFile = ({ browserName }: Exchange) =>
      batch.filter((other) => other.browserName === browserName).length === 1;
    const commands = batch.map((each) => curlCommand(run, script, each, writesFile(each)));
    if (commands.includes(undefined)) return [];
    if (batch.includes(repeated!)) commands[0] = repeatCommand(commands[0]!, count);
    const idleMs = batch[0]!.idleMs ?? 0;
    if (idleMs > 0) lines.push(`sleep ${Math.ceil(idleMs / 1000)}`);
    lines.push(...commands.map((command) => `${command}${batch.length > 1 ? ' &' : ''}`));
    if (batch.length > 1) lines.push('wait');
    first += batch.length;
  }
  if (lines.length === 0 || lines.length > maxCommands) return [];
  const functions = Object.entries({ token: tokenFunction, cookie: cookieFunction })
    .filter(([name]) => lines.some((line) => line.includes(`$(${name} `)))
    .map(([, definition]) => definition);
  return [freshRun, ...functions, ...lines].map((line) =>
    line
      .replace(/(?<=-H 'idempotency-key: [\w-]*)[\w-]{11}(?=')/, runId)
      .replaceAll(new RegExp(runId, 'gi'), `'"$RUN"'`),
  );
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

/** Repeats a create quietly, each time with another Idempotency-Key. */
const repeatCommand = (command: string, count: number) =>
  `for n in $(seq ${count}); do ${command
    .replace(/ -si -w '.*? s\\n'/, ' -so /dev/null')
    .replace(/(?<=-H 'idempotency-key: [^']*)'/, String.raw`-'"$n"`)}; done`;

/** Returns exchanges of a run together with the earlier ones that they depend on, in order. */
export function withRequirements(all: Exchange[], exchanges: Exchange[]): Exchange[] {
  const needed = new Set<Exchange>();
  for (const exchange of exchanges) addNeeded(exchange, all, needed);
  return all.filter((exchange) => needed.has(exchange));
}

/** Adds an exchange, those that ran at the same time, and those that it depends on. */
function addNeeded(exchange: Exchange, all: Exchange[], needed: Set<Exchange>) {
  if (needed.has(exchange)) return;
  needed.add(exchange);
  const end = all.indexOf(exchange);
  const earlier = all.slice(0, end).toReversed();
  const own = earlier.filter(({ browserName }) => browserName === exchange.browserName);
  // Not each response that renewed a cookie since: a repetition does not need them.
  const signIn = own.find((each) => hasSucceeded(each, '/login'));
  const setters = exchange.cookies.map(({ name, setBy }) =>
    setBy?.browserName === exchange.browserName && signIn && setCookieOf(signIn, name)
      ? signIn
      : setBy,
  );
  const email = emailOf(exchange);
  const registration =
    email && earlier.find((each) => hasSucceeded(each, '/register') && emailOf(each) === email);
  const concurrent = all.filter(
    (each, index) => index >= exchange.startedAfter && each.startedAfter <= end,
  );
  // What else happened to an account may be why its session ended.
  const [setter] = setters;
  const sinceSignIn = setter ? all.slice(all.indexOf(setter) + 1, end) : [];
  const hasEnded =
    [401, 403].includes(statusOf(exchange)) &&
    sinceSignIn.some((each) => each.browserName === exchange.browserName && isSuccess(each));
  const others = sinceSignIn.filter((each) => hasEnded && emailOf(each) === emailOf(setter!));
  for (const each of [...setters, registration, ...concurrent, ...others])
    if (each) addNeeded(each, all, needed);
}

/** Returns the name and the value of a cookie that a response sets. */
const setCookieOf = ({ response }: Exchange, name: string) =>
  headerValues(response, 'set-cookie')
    .find((line) => line.startsWith(`${name}=`))
    ?.split(';')[0];

const fileOf = ({ browserName }: Exchange) => `${browserName.replaceAll(/\W+/g, '-')}.txt`;

/**
 * Returns the cookies of a request of which some are not its browser's own. Each is read from the
 * file of the browser that got it, or is a text. Undefined if that file has another value by then.
 */
function borrowCookies(script: Exchange[], exchange: Exchange) {
  const before = script.slice(0, script.indexOf(exchange));
  const parts = exchange.cookies.map(({ name, value, setBy, filter }) => {
    if (!setBy) return quote(`${name}=${value}`);
    const last = before
      .filter(({ browserName }) => browserName === setBy.browserName)
      .findLast((each) => setCookieOf(each, name));
    const isCurrent = last && setCookieOf(last, name) === setCookieOf(setBy, name);
    const change = filter === undefined ? '' : ` | ${filter}`;
    return isCurrent && `"${name}=$(cookie ${fileOf(setBy)} ${quote(name)}${change})"`;
  });
  return parts.every(Boolean) ? parts.join("'; '") : undefined;
}

/** Returns a command for one request; undefined when a command cannot make it. */
function curlCommand(
  { http: { origin }, secrets }: Run,
  script: Exchange[],
  exchange: Exchange,
  writesFile: boolean,
) {
  const { request, browserName, cookies, failure } = exchange;
  const { method, headers, body } = request;
  const args = [String.raw`curl -si -w '\n%{time_total} s\n'`];
  if (origin.startsWith('https:')) args.push('-k');
  if (failure?.isTimeout) args.push('-m 10');
  if (headerValues(exchange.response, 'content-encoding').length > 0) args.push('--compressed');
  if (method !== 'GET' && (method !== 'POST' || body === undefined)) args.push(`-X ${method}`);

  const isOwn = cookies.every(({ setBy }) => setBy?.browserName === browserName);
  const sent = isOwn ? fileOf(exchange) : borrowCookies(script, exchange);
  if (sent === undefined) return undefined;
  args.push(`-b ${sent}${writesFile ? ` -c ${fileOf(exchange)}` : ''}`);

  for (const [name, value] of Object.entries(headers))
    if (copiedHeaders.test(name)) args.push(`-H ${quote(`${name}: ${value}`)}`);
  if (body !== undefined && headers['content-type'] === undefined) args.push("-H 'content-type:'");
  const token = headers['x-xsrf-token'];
  if (token !== undefined) {
    const { setBy } = cookies.find(({ value }) => encodedVariants(value).includes(token)) ?? {};
    if (!setBy && secrets.has(token)) return undefined;
    const value = setBy
      ? `"x-xsrf-token: $(token ${fileOf(setBy)})"`
      : quote(`x-xsrf-token: ${token}`);
    args.push(`-H ${value}`);
  }
  const url = quote(origin + request.path);
  if (body === undefined) return [...args, url].join(' ');
  const text = withOtherPassword(String(body));
  // No body of a request has control characters: JSON escapes them.
  if (!isUtf8(Buffer.from(body)))
    return `printf ${quote(inOctal(Buffer.from(body)))} | ${[...args, '--data-binary @-', url].join(' ')}`;
  if (text.length <= maxInlineBodyLength)
    return [...args, `--data-raw ${quote(text)}`, url].join(' ');
  const printBody = printLongText(text);
  return printBody && `${printBody} | ${[...args, '--data-binary @-', url].join(' ')}`;
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

/** Returns a command that prints a text in which a part repeats; undefined for other texts. */
function printLongText(text: string): string | undefined {
  const match = /(.{1,40}?)\1{20,}/su.exec(text);
  if (!match) return undefined;
  const [repeated, unit = ''] = match;
  const [before, after] = [text.slice(0, match.index), text.slice(match.index + repeated.length)];
  if (before.length + after.length > maxInlineBodyLength) return undefined;
  const print = `yes ${quote(unit)} | head -n ${repeated.length / unit.length} | tr -d '\\n'`;
  return `{ printf %s ${quote(before)}; ${print}; printf %s ${quote(after)}; }`;
}

/** Returns bytes as a format of printf. */
const inOctal = (bytes: Buffer) =>
  bytes
    .toString('latin1')
    .replaceAll(/[%\\]/g, '$&$&')
    .replaceAll(/[^ -~]/g, (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`);

const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
