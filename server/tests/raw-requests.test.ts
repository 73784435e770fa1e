/**
 * Sends odd requests over raw sockets to a server process, and measures the processor time of each.
 * For minutes: `RAW_REQUESTS=50000 RAW_SEED=7 npm run test:server -- raw-requests`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { findFreePort } from '../../tools/free-port.ts';
import { findCall } from '../../model/requests.ts';
import { operations, paths } from '../../testing/contract.ts';
import { signedInClient, type CookieClient } from '../../testing/cookie-client.ts';
import type { Environment } from '../../testing/server-process.ts';
import { longProject } from '../../testing/projects.ts';
import { emptyStore, startProcess, storeNames } from '../../testing/server-fixtures.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { exchange } from './exchange.ts';

const numRuns = Number(process.env['RAW_REQUESTS'] ?? 300);
const seed = Number(process.env['RAW_SEED'] ?? 1);
vi.setConfig({ testTimeout: 600_000 + numRuns * 100 });

/** Far above a usual request, and far below a header that is read in quadratic time. */
const maxCpuMs = 100;
/** The garbage collector interrupts one request, not the same one three times. */
const attempts = 3;

const api = [paths.listProjects, paths.login, paths.registerUser];
const targets = fc.oneof(
  fc.constantFrom(...api, '/', '/login', '/healthz', '/readyz', '/unknown', '/assets/a.js'),
  fc.constantFrom('*', '*%ff', '*login', '/%', '/%ff', '/%00', '//', '/..', '/./%2e%2e/', '?', '#'),
  fc.constantFrom('http://', 'http://x', 'HTTP://[::1]/', 'ftp://x/', 'x:443', '', 'login', '/ /'),
  repeated('/', '/', '../', '%2f', '%', 'a/', '?', '&a=', ';', '%ff', '\\'),
  fc.string({ unit: 'binary-ascii' }).map((text) => `/${text.replaceAll(/[\r\n]/g, '')}`),
);
const methods = fc.constantFrom(
  ...'GET GET GET POST POST HEAD PUT DELETE OPTIONS TRACE CONNECT PROPFIND QUERY get BREW'.split(
    ' ',
  ),
);
/** The headers that the server or one of its libraries reads, each with the start of a value. */
const headerStarts = {
  Accept: 'text/html',
  'Accept-Encoding': 'gzip',
  'Accept-Version': '1.x',
  Authorization: 'Basic ',
  Connection: 'keep-alive',
  'Content-Encoding': 'identity',
  'Content-Length': '5',
  'Content-Type': 'application/json;',
  Cookie: 'a=b',
  Expect: '100-continue',
  Forwarded: 'for=x',
  Host: 'x',
  'Idempotency-Key': 'key',
  'If-Modified-Since': 'Mon, 01 Jan 2024',
  'If-None-Match': 'W/"a"',
  'Keep-Alive': 'timeout=5',
  Origin: 'http://x',
  'Sec-Fetch-Site': 'same-origin',
  TE: 'trailers',
  Trailer: 'a',
  'Transfer-Encoding': 'chunked',
  Upgrade: 'h2c',
  'X-Forwarded-For': '192.0.2.1',
  'X-Forwarded-Host': 'x',
  'X-Forwarded-Port': '80',
  'X-Forwarded-Proto': 'https',
  'X-Original-Host': 'x',
  'X-Request-Id': 'x',
  'X-XSRF-TOKEN': 'x',
};
const headerNames = fc.constantFrom(...Object.keys(headerStarts));
/** What makes expressions with two loops read a text again and again. */
const pieces = [' ', '\t ', ',', ' ,', ';', ';q=', '"', '",', 'a;', '=', '\\"', '%', '::', '.'];
const usualValues = fc.oneof(
  fc.constantFrom('text/html', '*/*', 'application/json', 'gzip', 'gzip;q=0, *', 'identity', 'x'),
  fc.constantFrom('keep-alive, Upgrade', 'close', 'h2c', 'websocket', '100-continue', 'chunked'),
  fc.constantFrom('0', '5', '-1', '1e9', 'session=x', 'W/"x"', '*', '"', 'null'),
  fc.constantFrom('http://x', 'same-origin', '__proto__'),
);
const headerValues = fc.oneof(usualValues, repeated(...pieces, "'", 'é', '*/*,', 'a/b;x=",",'));
const headers = fc
  .array(fc.tuple(headerNames, headerValues), { maxLength: 4 })
  .map((pairs) => pairs.map(([name, value]) => `${name}: ${value}\r\n`).join(''));
const bodies = fc.constantFrom(
  '',
  '{}',
  '{"email":',
  '5\r\nhello\r\n0\r\n\r\n',
  'x'.repeat(9),
  '\0',
);
const isSignedIn = fc.boolean();

/** A call of the contract whose body is that of an example, but for one field. */
const calls = fc.constantFrom(...operations).chain(({ method, path, body, isPublic }) => {
  const example = body?.examples[0]?.value as object | undefined;
  const names = fc.constantFrom('other', ...Object.keys(example ?? {}));
  const values = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom('', '\0', '\ud83d', '__proto__', "'; --", '😀'.repeat(255)),
    fc.jsonValue(),
  );
  const ends = usually(fc.constant(Infinity), fc.nat(99));
  const bodiesOf = fc
    .tuple(names, values, ends)
    .map(([name, value, end]) => toAscii({ ...example, [name]: value }).slice(0, end));
  return fc.record({
    method: fc.constant(method),
    target: fc.constant(path),
    headers: fc.oneof(fc.constant(''), headers),
    // A sign-in would end the session.
    isSignedIn: isPublic ? fc.constant(false) : isSignedIn,
    body: example ? bodiesOf : fc.constant(''),
  });
});

/** Returns JSON of one byte for each character. */
const toAscii = (value: object) =>
  JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const oddRequest = fc.record({
  method: methods,
  target: targets,
  headers,
  isSignedIn,
  body: bodies,
});
/** What a client writes at once: requests one after the other, of which the last may be cut off. */
const oddPackets = fc.record({
  requests: fc.array(fc.oneof(oddRequest, calls), { minLength: 1, maxLength: 3 }),
  cut: usually(fc.constant(0), fc.nat(50)),
  isWhole: fc.constant(false),
});
/** A call whose end the server knows, so that it always answers. */
const wholeCalls = calls
  .filter(({ headers: lines }) => !/^(Connection|Content-Len|Expect|T|Upgrade)/m.test(lines))
  .map((call) => ({ requests: [call], cut: 0, isWhole: true }));
const packets = fc.oneof(oddPackets, wholeCalls);
type Packet = typeof packets extends fc.Arbitrary<infer T> ? T : never;

function usually<Value>(usual: fc.Arbitrary<Value>, otherwise: fc.Arbitrary<Value>) {
  return fc.oneof({ weight: 3, arbitrary: usual }, otherwise);
}

/** Returns texts of up to 20 kB that repeat a piece between a start and an end. */
function repeated(...repeatedPieces: string[]) {
  return fc
    .tuple(
      fc.constantFrom(
        '',
        'gzip',
        'a/b',
        'application/json;',
        'bytes=',
        '"',
        '/',
        'https',
        '1.2.3.4',
      ),
      fc.constantFrom(...repeatedPieces),
      fc.constantFrom(3, 100, 4_000, 15_000, 20_000),
      fc.constantFrom('', 'x', '"', '=', ',text/html'),
    )
    .map(([start, piece, bytes, end]) => start + piece.repeat(bytes / piece.length) + end);
}

test('a long header costs no more time than a short one, whatever it repeats', async () => {
  const server = await startMeasuredServer();
  const client = await signedInClient(server.address);
  await client.createProject(longProject(2_000));
  const session = cookieLines(client);
  const slow: string[] = [];
  for (const [name, start] of Object.entries(headerStarts)) {
    for (const piece of pieces) {
      const value = `${start}${piece.repeat(15_000 / piece.length)}x`;
      for (const line of [`GET ${paths.listProjects}`, 'GET /', `POST ${paths.login}`]) {
        const bytes = Buffer.from(
          `${line} HTTP/1.1\r\nHost: x\r\n${session}${name}: ${value}\r\n\r\n`,
        );
        const cpuMs = await server.cpuMsOf(async () =>
          expect(problemsOf(await exchange(server.address, bytes, true))).toEqual([]),
        );
        if (cpuMs > maxCpuMs)
          slow.push(`${line}, ${name} with "${piece}": ${Math.round(cpuMs)} ms`);
      }
    }
  }
  expect(slow).toEqual([]);
});

test('a long body costs no more time than a short one, whatever it repeats', async () => {
  const server = await startMeasuredServer();
  const post = `POST ${paths.registerUser} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n`;
  const emails = [...pieces, 'a-', 'a.', 'a@', 'ü', '\u0301'].flatMap((piece) =>
    ['', 'ada@', 'ada@a.'].map((start) => `${start}${piece.repeat(15_000 / piece.length)}x`),
  );
  const slow: string[] = [];
  for (const body of [
    ...emails.map((email) => JSON.stringify({ email, password: 'short' })),
    ...['[', '{"a":', '[],', '"\\u0000', '1e9', ' '].map((piece) =>
      piece.repeat(15_000 / piece.length),
    ),
    `{${Array.from({ length: 2_000 }, (_, i) => `"${i}":0`).join(',')}}`,
  ]) {
    const bytes = Buffer.from(body);
    const head = Buffer.from(`${post}Content-Length: ${bytes.length}\r\n\r\n`);
    const cpuMs = await server.cpuMsOf(async () =>
      expect(problemsOf(await exchange(server.address, Buffer.concat([head, bytes])))).toEqual([]),
    );
    if (cpuMs > maxCpuMs) slow.push(`${body.slice(0, 40)}: ${Math.round(cpuMs)} ms`);
  }
  expect(slow).toEqual([]);
});

test.each(storeNames)(
  'odd requests are answered as the contract says, in a moment, on %s',
  async (name) => {
    const server = await startMeasuredServer(await emptyStore(name));
    const client = await signedInClient(server.address);
    await client.createProject();
    const session = cookieLines(client);
    const statuses = new Set<number>();
    await fc.assert(
      // No database sees what is odd in a packet.
      fc.asyncProperty(name === 'SQLite' ? packets : wholeCalls, async (packet: Packet) => {
        const bytes = toBytes(packet, session);
        const cpuMs = await server.cpuMsOf(async () => {
          const text = await exchange(server.address, bytes, !packet.isWhole);
          expect([...problemsOf(text), ...undeclaredIn(packet, text, statuses)]).toEqual([]);
        });
        expect(cpuMs).toBeLessThanOrEqual(maxCpuMs);
      }),
      { numRuns, seed, endOnFailure: true },
    );
    // Without each of these, the test would prove little.
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 400, 401, 403, 415, 422]));
    expect((await fetch(`${server.address}/healthz`)).status).toBe(200);
    expect((await (await signedInClient(server.address)).listProjects()).status).toBe(200);
    expect((await client.listProjects()).status).toBe(200);
    expect(server.errors()).not.toContain('"level":"error"');
    expect((await server.kill('SIGTERM')).code).toBe(0);
  },
);

const cookieLines = (client: CookieClient) =>
  Object.entries(client.cookieHeaders())
    .map((pair) => `${pair.join(': ')}\r\n`)
    .join('');

/** Starts a server process that tells the processor time of its main thread on another port. */
async function startMeasuredServer(settings: Environment = { DATA_DIR: temporaryFolder() }) {
  const dist = temporaryFolder();
  writeFileSync(join(dist, 'index.html'), 'Home');
  writeFileSync(join(dist, '404.html'), '<a href="./">Home</a>'.repeat(10));
  const port = await findFreePort();
  const meter = `
    import http from 'node:http';
    http.createServer((_request, response) => {
      const { user, system } = process.threadCpuUsage();
      response.end(String((user + system) / 1000));
    }).listen(${port}, '127.0.0.1').unref();`;
  const server = await startProcess({
    ...settings,
    DIST_DIR: dist,
    DRAIN_SECONDS: '0',
    TRUST_PROXY: '127.0.0.1',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(meter)}`,
  });
  const cpuMs = async () => Number(await (await fetch(`http://127.0.0.1:${port}`)).text());
  return {
    ...server,
    /** Returns the processor time of a task, the least of several attempts if it is long. */
    async cpuMsOf(task: () => Promise<unknown>): Promise<number> {
      let least = Infinity;
      for (let attempt = 0; attempt < attempts && least > maxCpuMs; attempt += 1) {
        const before = await cpuMs();
        await task();
        least = Math.min(least, (await cpuMs()) - before);
      }
      return least;
    },
  };
}

function toBytes({ requests, cut, isWhole }: Packet, session: string): Buffer {
  const texts = requests.map(({ method, target, headers: fields, isSignedIn: isUser, body }) => {
    const length = fields.includes('Content-Length') ? '' : `Content-Length: ${body.length}\r\n`;
    const type = fields.includes('Content-Type') ? '' : 'Content-Type: application/json\r\n';
    const start = `${method} ${target} HTTP/1.1\r\nHost: x\r\n`;
    const close = isWhole ? 'Connection: close\r\n' : '';
    return `${start}${close}${length}${type}${isUser ? session : ''}${fields}\r\n${body}`;
  });
  const bytes = Buffer.from(texts.join(''), 'latin1');
  return bytes.subarray(0, bytes.length - cut);
}

/** Returns what no response may contain: a server error, or a text that is not for users. */
function problemsOf(text: string): string[] {
  const statuses = text.match(/^HTTP\/1.1 5\d\d.*$/gm) ?? [];
  const internals = text.match(/.*(ERR_|FST_|node:|\bat .+:\d+|Invalid count|undefined).*/g) ?? [];
  const messages = [...text.matchAll(/^\{"message":(.*)\}/gm)].map(([, message = '']) => message);
  return [
    ...statuses,
    ...internals,
    ...messages.filter((message) => !/^"[A-Z].*\."$/.test(message)),
  ];
}

/** Returns the status of the first response if its call does not declare it. Adds it to `seen`. */
function undeclaredIn({ requests: [first] }: Packet, text: string, seen: Set<number>): string[] {
  const status = Number(/^HTTP\/1.1 (?!100)(\d+)/m.exec(text)?.[1]);
  const call = findCall(first!.method, first!.target)?.call;
  if (!status || !call) return [];
  seen.add(status);
  const { responses } = operations.find(({ id }) => id === call)!;
  const isDeclared = responses.some((response) => response.status === status);
  return isDeclared ? [] : [`${call} is answered with ${status}`];
}
