/**
 * `npm run bench:server`: how fast the reference backend is, as ratios to a bare `node:http` server that sends the same bytes, and how
 * the cost of a list grows with it. Writes docs/server-speed.md and docs/server-speed.svg. The machine is shared and so are its
 * caches: only figures of one run can be compared, which is why rounds take turns.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createSessions } from '../../server/auth/sessions.ts';
import { openStore } from '../../server/store/store.ts';
import { fill, memoryOf, signIn, withDatabase } from '../support/database.ts';
import { startPostgres } from '../support/postgres.ts';
import { runServer } from '../support/server-process.ts';
import type { Load, Loaded } from './load-generator.ts';
import { circumstances, median, table } from './report.ts';
import { bars, curves, picture } from './plot.ts';

const rounds = 5;
const seconds = 2;
const connections = 10;
const lengths = [10, 100, 1_000, 10_000, 100_000];
const strangers = 1_500; // their lists together are more than the server keeps

type Settings = Record<string, string>;
type Run = ReturnType<typeof runServer> & { address: string; settings: Settings };

/** A call to measure, with what one server needs for it. */
interface Call {
  name: string;
  load: (run: Run) => Promise<Omit<Load, 'url' | 'connections' | 'seconds'>>;
  path: string;
}

interface Measured {
  name: string;
  bare: Loaded;
  stores: Record<string, Loaded & { ratio: number }>;
}

interface Grown {
  store: string;
  length: number;
  firstByte: number;
  lastByte: number;
  /** Megabytes, after four such readings at once. */
  memory: number;
}

const json = { 'content-type': 'application/json' };
const credentials = (email: string) => JSON.stringify({ email, password: 'correct horse' });

const calls: Call[] = [
  {
    name: 'listProjects, 100 projects',
    path: '/api/v1/projects',
    async load({ address, settings }) {
      const { email, headers } = await signIn(address);
      await fill(settings, email, 100);
      return { method: 'GET', headers: [headers] };
    },
  },
  {
    name: 'listProjects, 100 projects that were not asked for lately',
    path: '/api/v1/projects',
    load: async ({ settings }) => ({ method: 'GET', headers: await signInStrangers(settings) }),
  },
  {
    name: 'createProject',
    path: '/api/v1/projects',
    async load({ address }) {
      const { headers } = await signIn(address);
      const body = JSON.stringify({ title: 'Website relaunch', description: 'New pages.' });
      return { method: 'POST', headers: [{ ...headers, ...json }], body };
    },
  },
  {
    name: 'login',
    path: '/api/v1/auth/login',
    async load({ address }) {
      const { email } = await signIn(address);
      return { method: 'POST', headers: [json], body: credentials(email) };
    },
  },
  {
    name: 'registerUser',
    path: '/api/v1/users/register',
    load: async () => ({ method: 'POST', headers: [json], body: credentials('EMAIL') }),
  },
];

const folder = mkdtempSync(join(tmpdir(), 'tracker-app-bench-'));
writeFileSync(join(folder, 'index.html'), '<!doctype html>');
const postgres = await startPostgres();
const stores: Record<string, Settings> = {
  SQLite: { DATA_DIR: join(folder, 'data') },
  PostgreSQL: { DATABASE_URL: postgres.url },
};

try {
  const starts: Record<string, number> = {};
  const running: Record<string, Run> = {};
  for (const [store, settings] of Object.entries(stores)) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await running[store]?.kill('SIGKILL');
      const began = performance.now();
      running[store] = await start(settings);
      times.push(performance.now() - began);
    }
    starts[store] = median(times);
  }

  const measured: Measured[] = [];
  for (const call of calls) measured.push(await measure(call, running));
  const grown: Grown[] = [];
  for (const [store, { kill, settings }] of Object.entries(running)) {
    await kill('SIGKILL');
    for (const length of lengths) grown.push({ store, length, ...(await grow(settings, length)) });
  }

  const page = describe(starts, measured, grown);
  console.log(page);
  const docs = new URL('../../docs/', import.meta.url);
  writeFileSync(new URL('./server-speed.md', docs), page);
  writeFileSync(new URL('./server-speed.svg', docs), plot(measured, grown));
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit();

async function start(settings: Settings): Promise<Run> {
  const run = runServer({
    DIST_DIR: folder,
    LOG_LEVEL: 'warn', // the bare server logs no requests either
    TRUST_PROXY: '127.0.0.1,::1', // the load comes from many addresses, or the throttle would be what is measured
    ...settings,
  });
  return { ...run, settings, address: await run.ready() };
}

/** Rounds of bare server and stores in turn; medians of each, and of the ratios within a round. */
async function measure(
  { name, path, load }: Call,
  running: Record<string, Run>,
): Promise<Measured> {
  const loads: Record<string, Load> = {};
  for (const [store, run] of Object.entries(running)) {
    loads[store] = { ...(await load(run)), url: run.address + path, connections, seconds };
  }
  const [sample] = Object.values(loads) as [Load];
  const bare = await startBare(sample);
  const results: Record<string, Loaded[]> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const [who, one] of Object.entries({ bare: { ...sample, url: bare.address }, ...loads })) {
      const loaded = await ask<Loaded>('load.ts', one);
      if (loaded.refused > 0) throw new Error(`${name}, ${who}: ${loaded.refused} were refused`);
      (results[who] ??= []).push(loaded);
    }
  }
  bare.kill();
  const { bare: bareRounds = [], ...others } = results;
  const entries = Object.entries(others).map(([store, all]) => {
    const ratio = median(all.map(({ rate }, round) => rate / (bareRounds[round]?.rate ?? 0)));
    return [store, { ...middle(all), ratio }];
  });
  console.error(`measured ${name}`);
  return { name, bare: middle(bareRounds), stores: Object.fromEntries(entries) };
}

function middle(all: Loaded[]): Loaded {
  return {
    rate: median(all.map(({ rate }) => rate)),
    median: median(all.map((one) => one.median)),
    p99: median(all.map(({ p99 }) => p99)),
    refused: 0,
  };
}

/** A bare server that sends what ours sends. */
async function startBare({ url, method, headers, body }: Load) {
  const response = await fetch(url, {
    method,
    headers: { ...headers[0], 'accept-encoding': 'identity' },
    ...(body && { body: body.replace('EMAIL', `${randomUUID()}@example.org`) }),
  });
  const { status } = response;
  const sent = {
    status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
  for (const name of ['date', 'connection', 'keep-alive']) delete sent.headers[name];
  const child = spawn(process.execPath, [beside('bare.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(sent));
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return { address: said.toString().trim(), kill: () => child.kill() };
}

/** People who are signed in, with 100 projects each. */
async function signInStrangers(settings: Settings): Promise<Record<string, string>[]> {
  const headers = await withDatabase(settings, async (database) => {
    const store = await openStore(database);
    const sessions = createSessions(store, Date.now);
    const made = [];
    for (let i = 0; i < strangers; i += 1) {
      const id = randomUUID();
      const email = `stranger-${i}@example.org`;
      await store.createAccount({ id, email, passwordHash: '', role: 'member', createdAt: 0 });
      const { token } = await sessions.start(id, undefined);
      made.push({ cookie: `session=${token}` });
    }
    return made;
  });
  await fill(settings, 'stranger-%', 100);
  return headers;
}

/** What a list of this length costs on a server that has just started. */
async function grow(settings: Settings, length: number) {
  const { address, pid, kill } = await start(settings);
  const { email, headers } = await signIn(address);
  await fill(settings, email, length);
  const read = async () => {
    const began = performance.now();
    const [response] = (await once(get(`${address}/api/v1/projects`, { headers }), 'response')) as [
      IncomingMessage,
    ];
    let firstByte = 0;
    for await (const _ of response) firstByte ||= performance.now() - began;
    return { firstByte, lastByte: performance.now() - began };
  };
  await read();
  const times = [];
  for (let round = 0; round < rounds; round += 1) times.push(await read());
  await Promise.all([1, 2, 3, 4].map(read));
  const memory = memoryOf(pid).peak;
  await kill('SIGKILL');
  return {
    firstByte: median(times.map((one) => one.firstByte)),
    lastByte: median(times.map((one) => one.lastByte)),
    memory,
  };
}

function describe(starts: Record<string, number>, measured: Measured[], grown: Grown[]): string {
  const rows = measured.flatMap(({ name, bare, stores: byStore }) => [
    [name, 'bare `node:http`', ...cells(bare), ''],
    ...Object.entries(byStore).map(([store, one]) => [
      '',
      store,
      ...cells(one),
      one.ratio.toFixed(2),
    ]),
  ]);
  return `# How fast the reference backend is

Written by \`npm run bench:server\`. Each call is measured in ${rounds} rounds of ${seconds} seconds with ${connections} connections, in turn
with a bare \`node:http\` server that sends the same bytes; the load comes from a process of its own. Medians. Requests and
answers are checked against the contract as always; the request log is off. The machine is shared with others, so compare the figures of this
page with each other and with no other page.

${circumstances()}

![Ratios of each call to a bare server, and the time to the first and the last byte of lists of 10 to 100,000 projects](server-speed.svg)

${table(['call', 'server', 'answers a second', 'median (ms)', 'p99 (ms)', 'ratio to bare'], rows)}

\`login\` and \`registerUser\` hash a password, on purpose at a cost of tens of milliseconds. \`createProject\` waits until the project is on
the disk; the PostgreSQL of this run does not (\`fsync=off\`), as it is that of the tests. \`listProjects\` sends what it sent last time while the store
says that nothing has changed; the second row is for people whose list it does not have. On PostgreSQL each question to the store is a
way there and back.

From start to ready: ${Object.entries(starts)
    .map(([store, time]) => `${time.toFixed(0)} ms on ${store}`)
    .join(', ')}.

${table(
  ['store', 'projects', 'first byte (ms)', 'last byte (ms)', 'memory, four readers at once (MB)'],
  grown.map(({ store, length, firstByte, lastByte, memory }) => [
    store,
    length.toLocaleString('en'),
    firstByte.toFixed(1),
    lastByte.toFixed(1),
    memory.toFixed(0),
  ]),
)}
`;
}

function cells({ rate, median: middleOne, p99 }: Loaded): string[] {
  return [rate.toFixed(0), String(middleOne), String(p99)];
}

/** Starts a script of this folder, gives it `question`, and reads its answer. */
async function ask<T>(script: string, question: unknown): Promise<T> {
  const child = spawn(process.execPath, [beside(script)], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(question));
  return JSON.parse(await text(child.stdout)) as T;
}

function beside(script: string): string {
  return fileURLToPath(new URL(script, import.meta.url));
}

/** The ratio of each call to a bare server, and below it the cost of a list by its length. */
function plot(measured: Measured[], grown: Grown[]): string {
  const colours: Record<string, string> = { SQLite: '#1b6ca8', PostgreSQL: '#e08a1e' };
  const ratios = measured.map(({ name, stores: byStore }) => ({
    name: name.replace(' that were not', ', not'),
    bars: Object.entries(byStore).map(([store, { ratio }]) => ({
      colour: colours[store] ?? '',
      value: ratio,
      text: ratio.toFixed(2),
    })),
  }));
  const growth = Object.entries(colours).flatMap(([store, colour]) =>
    (['firstByte', 'lastByte'] as const).map((what) => ({
      colour,
      dashed: what === 'firstByte',
      points: grown
        .filter((one) => one.store === store)
        .map((one): [number, number] => [one.length, one[what]]),
    })),
  );
  return picture(
    colours,
    bars(
      'Answers a second, as a ratio to a bare node:http server that sends the same bytes',
      ratios,
    ),
    curves(
      'Milliseconds to the first byte (dashed) and to the last byte (solid) of a list, by the number of projects',
      growth,
    ),
  );
}
