import { isUtf8 } from 'node:buffer';
import type { Exchange } from './record.ts';
import { setCookieOf, withRequirements } from './requirements.ts';
import { hasSucceeded, headerValues } from './response.ts';
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
  /^(accept|content-type|idempotency-key|if-.*|origin|referer|access-control-.*)$/;

const freshRun = 'cd "$(mktemp -d)"; RUN=0$(date +%s)   # cookie files, and emails that are new';

/** What reads a cookie file, by name. */
const shellFunctions = {
  token: String.raw`token() { awk '$6 == "XSRF-TOKEN" { print $7 }' "$1" | sed 's/%2[Bb]/+/g; s/%2[Ff]/\//g; s/%3[Dd]/=/g'; }`,
  cookie: String.raw`cookie() { awk -v name="$2" '$6 == name { print $7 }' "$1"; }`,
};

/**
 * Returns shell commands that repeat requests of a run with new accounts, including the requests
 * that set their cookies. Returns none when commands cannot do that. They contain no secrets:
 * cookies are read from files, and each letter of a password is replaced by the next one.
 */
export function reproduce(run: Run, exchanges: Exchange[]): string[] {
  const all = run.http.exchanges;
  const { script, repeated, count } = foldCreates(withRequirements(all, exchanges));
  if (script.length === 0 || script.length > maxCommands) return [];
  const lines: string[] = [];
  for (let first = 0; first < script.length;) {
    // Exchanges are in the order in which they ended.
    const end = all.indexOf(script[first]!);
    const next = script.findIndex(({ startedAfter }, index) => index > first && startedAfter > end);
    const batch = script.slice(first, next === -1 ? undefined : next);
    const { idleMs } = batch[0]!;
    if (idleMs) lines.push(`sleep ${Math.ceil(idleMs / 1000)}`);
    for (const exchange of batch) {
      const command = renderCommand(run, script, batch, exchange, exchange === repeated);
      if (command === undefined) return [];
      const times =
        exchange === repeated ? `for n in $(seq ${count}); do ${command}; done` : command;
      lines.push(batch.length > 1 ? `${times} &` : times);
    }
    if (batch.length > 1) lines.push('wait');
    first += batch.length;
  }
  const functions = Object.entries(shellFunctions)
    .filter(([name]) => lines.some((line) => line.includes(`"$(${name} `)))
    .map(([, text]) => text);
  return [freshRun, ...functions, ...lines];
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

const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Quotes a text, with a new run id in place of that of the run, in any letter case. */
const quoteWithRun = (text: string, { fixtures }: Run): string =>
  text.split(new RegExp(fixtures.runId, 'i')).map(quote).join('"$RUN"');

/**
 * Returns the cookies of a request of which some are not its browser's own. Each is read from the
 * file of the browser that got it, or is a text. Undefined if that file has another value by then.
 */
function borrowCookies(run: Run, script: Exchange[], exchange: Exchange): string | undefined {
  const before = script.slice(0, script.indexOf(exchange));
  const texts: string[] = [];
  for (const { name, value, setBy, filter } of exchange.cookies) {
    if (!setBy) {
      texts.push(quoteWithRun(`${name}=${Buffer.from(value, 'latin1').toString()}`, run));
      continue;
    }
    const last = before
      .filter(({ browserName }) => browserName === setBy.browserName)
      .findLast((each) => setCookieOf(each, name));
    if (!last || setCookieOf(last, name) !== setCookieOf(setBy, name)) return undefined;
    const pipe = filter === undefined ? '' : ` | ${filter}`;
    texts.push(`${quote(`${name}=`)}"$(cookie ${fileOf(setBy)} ${quote(name)}${pipe})"`);
  }
  return texts.join(quote('; '));
}

/** Returns the command for one request; undefined when a command cannot make it. */
function renderCommand(
  run: Run,
  script: Exchange[],
  batch: Exchange[],
  exchange: Exchange,
  isRepeated: boolean,
): string | undefined {
  const { request, browserName } = exchange;
  const isOwn = exchange.cookies.every(({ setBy }) => setBy?.browserName === browserName);
  const cookies = isOwn ? fileOf(exchange) : borrowCookies(run, script, exchange);
  const headers = headersOf(run, exchange, isRepeated);
  const body = bodyOf(run, exchange);
  if (cookies === undefined || !headers || !body) return undefined;
  // Two concurrent commands must not write the same cookie file.
  const writesFile = batch.filter((other) => other.browserName === browserName).length === 1;
  return [
    ...body.input,
    isRepeated ? 'curl -so /dev/null' : String.raw`curl -si -w '\n%{time_total} s\n'`,
    ...flagsOf(exchange, run.http.origin),
    `-b ${cookies}`,
    ...(writesFile ? [`-c ${fileOf(exchange)}`] : []),
    ...headers.map((header) => `-H ${header}`),
    ...body.options,
    quoteWithRun(run.http.origin + request.path, run),
  ].join(' ');
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
function headersOf(run: Run, exchange: Exchange, isRepeated: boolean): string[] | undefined {
  const { headers, body } = exchange.request;
  const texts = Object.entries(headers)
    .filter(([name]) => copiedHeaders.test(name))
    .map(([name, value]) => {
      if (name !== 'idempotency-key') return quoteWithRun(`${name}: ${value}`, run);
      // A run has keys of its own, which are equal where those of the kit are.
      const start = quote(`${name}: ${value.slice(0, -run.fixtures.runId.length)}`);
      return `${start}"$RUN${isRepeated ? '-$n' : ''}"`;
    });
  if (body !== undefined && headers['content-type'] === undefined)
    texts.push(quote('content-type:'));
  const token = headers['x-xsrf-token'];
  if (token === undefined) return texts;
  const { setBy } =
    exchange.cookies.find(({ value }) => encodedVariants(value).includes(token)) ?? {};
  if (!setBy && run.secrets.has(token)) return undefined;
  const value = setBy ? `"$(token ${fileOf(setBy)})"` : quote(token);
  return [...texts, `'x-xsrf-token: '${value}`];
}

/** Returns the options for the body of a request, and its input; undefined if it is too long. */
function bodyOf(run: Run, { request: { body } }: Exchange) {
  const piped = (command: string) => ({ input: [command, '|'], options: ['--data-binary @-'] });
  if (body === undefined) return { input: [], options: [] };
  // No body of a request has control characters: JSON escapes them.
  if (!isUtf8(Buffer.from(body)))
    return piped(`printf ${quoteWithRun(inOctal(Buffer.from(body)), run)}`);
  const text = withOtherPassword(String(body));
  if (text.length <= maxInlineBodyLength)
    return { input: [], options: [`--data-raw ${quoteWithRun(text, run)}`] };
  const match = /(.{1,40}?)\1{20,}/su.exec(text);
  if (!match) return undefined;
  const [repeated, unit = ''] = match;
  const [before, after] = [text.slice(0, match.index), text.slice(match.index + repeated.length)];
  if (before.length + after.length > maxInlineBodyLength) return undefined;
  const unitCount = repeated.length / unit.length;
  const units = `yes ${quote(unit)} | head -n ${unitCount} | tr -d '\\n'`;
  const [start, end] = [before, after].map((part) => `printf %s ${quoteWithRun(part, run)}`);
  return piped(`{ ${start}; ${units}; ${end}; }`);
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
