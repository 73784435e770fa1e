/**
 * `npm run bench:server`: speed of the reference backend as a ratio to a bare `node:http` server
 * that sends the same bytes, and the cost of long lists. Writes docs/server-speed.md. Only figures
 * of one run can be compared, so the servers take turns.
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
import { signedInClient } from '../support/cookie-client.ts';
import { insertProjects, peakMemoryMb, withDatabase } from '../support/database.ts';
import { startPostgres } from '../support/postgres.ts';
import {
  startServerProcess,
  type ServerProcess,
  type Settings,
} from '../support/server-process.ts';
import type { FixedResponse } from './baseline-server.ts';
import type { Load, LoadResult } from './load-generator.ts';
import { environment, markdownTable, median, medians } from './report.ts';

const rounds = 5;
const seconds = 2;
const connections = 10;
const listLengths = [10, 100, 1_000, 10_000, 100_000];
const uncachedAccounts = 1_500; // their lists together exceed the server's cache

type Server = ServerProcess & { settings: Settings };

/** A call to measure. `load` prepares a server for it and returns the requests. */
interface Call {
  name: string;
  path: string;
  load: (server: Server) => Promise<Omit<Load, 'url' | 'connections' | 'seconds'>>;
}

interface CallResult {
  name: string;
  baseline: LoadResult;
  byStore: Record<string, LoadResult & { ratio: number }>;
}

type ListResult = {
  firstByteMs: number;
  lastByteMs: number;
  /** After four concurrent reads. */
  memoryMb: number;
};

const json = { 'content-type': 'application/json' };
const credentials = (email: string) => JSON.stringify({ email, password: 'correct horse' });

const calls: Call[] = [
  {
    name: 'listProjects, 100 projects, cached',
    path: '/api/v1/projects',
    async load({ address, settings }) {
      const client = await signedInClient(address);
      await insertProjects(settings, client.credentials.email, 100);
      return { method: 'GET', headers: [client.cookieHeaders()] };
    },
  },
  {
    name: 'listProjects, 100 projects, not cached',
    path: '/api/v1/projects',
    load: async ({ settings }) => ({
      method: 'GET',
      headers: await createUncachedAccounts(settings),
    }),
  },
  {
    name: 'createProject',
    path: '/api/v1/projects',
    async load({ address }) {
      const client = await signedInClient(address);
      const body = JSON.stringify({ title: 'Website relaunch', description: 'New pages.' });
      return { method: 'POST', headers: [{ ...client.cookieHeaders(), ...json }], body };
    },
  },
  {
    name: 'login',
    path: '/api/v1/auth/login',
    async load({ address }) {
      const { email } = (await signedInClient(address)).credentials;
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
  const startTimesMs: Record<string, number> = {};
  const servers: Record<string, Server> = {};
  for (const [store, settings] of Object.entries(stores)) {
    const timesMs: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await servers[store]?.kill();
      const startMs = performance.now();
      servers[store] = await start(settings);
      timesMs.push(performance.now() - startMs);
    }
    startTimesMs[store] = median(timesMs);
  }

  const callResults: CallResult[] = [];
  for (const call of calls) callResults.push(await measureCall(call, servers));
  const listRows: string[][] = [];
  for (const [store, { kill, settings }] of Object.entries(servers)) {
    await kill();
    for (const length of listLengths) {
      const { firstByteMs, lastByteMs, memoryMb } = await measureList(settings, length);
      listRows.push([
        store,
        length.toLocaleString('en'),
        firstByteMs.toFixed(1),
        lastByteMs.toFixed(1),
        memoryMb.toFixed(0),
      ]);
    }
  }

  const page = describe(startTimesMs, callResults, listRows);
  console.log(page);
  writeFileSync(new URL('../../docs/server-speed.md', import.meta.url), page);
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit();

async function start(settings: Settings): Promise<Server> {
  const server = await startServerProcess({
    DIST_DIR: folder,
    LOG_LEVEL: 'warn', // the baseline logs no requests either
    TRUST_PROXY: '127.0.0.1,::1', // the throttle would refuse the load of one address
    ...settings,
  });
  return { ...server, settings };
}

/** Measures the baseline and the stores in turn. Ratios compare figures of the same round. */
async function measureCall(
  { name, path, load }: Call,
  servers: Record<string, Server>,
): Promise<CallResult> {
  const loads: Record<string, Load> = {};
  for (const [store, server] of Object.entries(servers)) {
    loads[store] = { ...(await load(server)), url: server.address + path, connections, seconds };
  }
  const [sample] = Object.values(loads) as [Load];
  const baseline = await startBaseline(sample);
  loads['baseline'] = { ...sample, url: baseline.address };
  const results: Record<string, LoadResult[]> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const store of ['baseline', ...Object.keys(servers)]) {
      const child = spawnScript('load-generator.ts', loads[store]);
      const result = JSON.parse(await text(child.stdout)) as LoadResult;
      if (result.failed > 0) throw new Error(`${name}, ${store}: ${result.failed} requests failed`);
      (results[store] ??= []).push(result);
    }
  }
  baseline.stop();
  const { baseline: baselineResults = [], ...storeResults } = results;
  const byStore = Object.entries(storeResults).map(([store, storeRounds]) => {
    const ratios = storeRounds.map(
      ({ requestsPerSecond }, round) =>
        requestsPerSecond / (baselineResults[round]?.requestsPerSecond ?? 0),
    );
    return [store, { ...medians(storeRounds), ratio: median(ratios) }];
  });
  console.error(`measured ${name}`);
  return { name, baseline: medians(baselineResults), byStore: Object.fromEntries(byStore) };
}

/** Starts a bare server that sends what the server answers to a load. */
async function startBaseline({ url, method, headers, body }: Load) {
  const response = await fetch(url, {
    method,
    headers: { ...headers[0], 'accept-encoding': 'identity' },
    ...(body && { body: body.replace('EMAIL', `${randomUUID()}@example.org`) }),
  });
  const fixed: FixedResponse = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
  for (const name of ['date', 'connection', 'keep-alive']) delete fixed.headers[name];
  const child = spawnScript('baseline-server.ts', fixed);
  const [output] = (await once(child.stdout, 'data')) as [Buffer];
  return { address: output.toString().trim(), stop: () => child.kill() };
}

/** Creates signed-in accounts with 100 projects each. Returns their request headers. */
async function createUncachedAccounts(settings: Settings): Promise<Record<string, string>[]> {
  const headers = await withDatabase(settings, async (database) => {
    const store = await openStore(database);
    const sessions = createSessions(store, Date.now);
    const created = [];
    for (let i = 0; i < uncachedAccounts; i += 1) {
      const id = randomUUID();
      const email = `uncached-${i}@example.org`;
      await store.createAccount({ id, email, passwordHash: '', role: 'member', createdAt: 0 });
      const { token } = await sessions.start(id, undefined);
      created.push({ cookie: `session=${token}` });
    }
    return created;
  });
  await insertProjects(settings, 'uncached-%', 100);
  return headers;
}

/** Measures a list on a newly started server. */
async function measureList(settings: Settings, length: number): Promise<ListResult> {
  const { address, pid, kill } = await start(settings);
  const client = await signedInClient(address);
  const headers = client.cookieHeaders();
  await insertProjects(settings, client.credentials.email, length);
  const read = async () => {
    const startMs = performance.now();
    const [response] = (await once(get(`${address}/api/v1/projects`, { headers }), 'response')) as [
      IncomingMessage,
    ];
    let firstByteMs = 0;
    for await (const _ of response) firstByteMs ||= performance.now() - startMs;
    return { firstByteMs, lastByteMs: performance.now() - startMs };
  };
  await read();
  const reads = [];
  for (let round = 0; round < rounds; round += 1) reads.push(await read());
  await Promise.all([1, 2, 3, 4].map(read));
  const memoryMb = peakMemoryMb(pid);
  await kill();
  return { ...medians(reads), memoryMb };
}

/** Starts a script of this folder with JSON on its standard input. */
function spawnScript(script: string, input: unknown) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [path], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(input));
  return child;
}

function describe(
  startTimesMs: Record<string, number>,
  callResults: CallResult[],
  listRows: string[][],
): string {
  const cells = ({ requestsPerSecond, medianMs, p99Ms }: LoadResult) => [
    requestsPerSecond.toFixed(0),
    String(medianMs),
    String(p99Ms),
  ];
  const callRows = callResults.flatMap(({ name, baseline, byStore }) => [
    [name, 'bare `node:http`', ...cells(baseline), ''],
    ...Object.entries(byStore).map(([store, result]) => [
      '',
      store,
      ...cells(result),
      result.ratio.toFixed(2),
    ]),
  ]);
  return `# How fast the reference backend is

Written by \`npm run bench:server\`. Each call is measured in ${rounds} rounds of ${seconds} seconds with ${connections}
connections. The stores take turns with a bare \`node:http\` server that sends the same bytes. The
load comes from a separate process. Figures are medians. The server validates requests and
responses against the contract as usual, and its request log is off. The machine is shared, so
compare figures within this page only.

${environment()}

${markdownTable(
  ['call', 'server', 'responses per second', 'median (ms)', 'p99 (ms)', 'ratio to bare'],
  callRows,
)}

- \`login\` and \`registerUser\` hash a password, which takes tens of milliseconds on purpose.
- \`createProject\` waits until the project is on the disk. The PostgreSQL of the tests does not sync
  its writes (\`fsync=off\`).
- \`listProjects\` sends a cached response while the list is unchanged. Each query to PostgreSQL takes
  a round trip.

From start to ready: ${Object.entries(startTimesMs)
    .map(([store, timeMs]) => `${timeMs.toFixed(0)} ms on ${store}`)
    .join(', ')}.

${markdownTable(
  ['store', 'projects', 'first byte (ms)', 'last byte (ms)', 'memory, four concurrent reads (MB)'],
  listRows,
)}
`;
}
