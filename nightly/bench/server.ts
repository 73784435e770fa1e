import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from '../../tools/command-line.ts';
import { markdownTable } from '../../tools/diagram.ts';
import { paths } from '../../testing/contract.ts';
import { signedInClient } from '../../testing/cookie-client.ts';
import { insertProjects, peakMemoryMb } from '../../testing/database.ts';
import { median, medians } from '../../testing/median.ts';
import { startPostgres } from '../../testing/postgres.ts';
import { startServerProcess, type Environment } from '../../testing/server-process.ts';
import { calls, type Call, type Server } from './calls.ts';
import { runLoad, type Load, type LoadResult } from './load.ts';

readCommandLine(`Usage: npm run node -- nightly/bench/server.ts

Measures the speed of the reference backend on SQLite and PostgreSQL, and the cost of sign-ins and
long lists. Writes docs/server-speed.md. Leave the machine idle meanwhile.`);

const [loadAverage = 0] = loadavg();
/** Only figures of one run can be compared, so the servers take turns in each round. */
const rounds = 5;
const seconds = 2;
const connections = 10;
const listLengths = [100, 10_000, 100_000];

const folder = mkdtempSync(join(tmpdir(), 'tracker-app-bench-'));
const dist = join(folder, 'dist');
const dataFolder = join(folder, 'data');
for (const created of [dist, dataFolder]) mkdirSync(created);
writeFileSync(join(dist, 'index.html'), '<!doctype html>');
const postgres = await startPostgres();
const stores: Record<string, Environment> = {
  SQLite: { DATA_DIR: dataFolder },
  PostgreSQL: { DATABASE_URL: postgres.url },
};

try {
  const startTimes: string[] = [];
  const servers: Record<string, Server> = {};
  for (const [store, settings] of Object.entries(stores)) {
    const timesMs: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await servers[store]?.kill();
      const startMs = performance.now();
      servers[store] = await start(settings);
      timesMs.push(performance.now() - startMs);
    }
    startTimes.push(`${median(timesMs).toFixed(0)} ms on ${store}`);
  }

  const callRows: string[][] = [];
  for (const call of calls) callRows.push(...(await measureCall(call, servers)));
  const signInRows: string[][] = [];
  for (const [store, server] of Object.entries(servers))
    signInRows.push([store, ...(await measureSignIns(server))]);
  const listRows: string[][] = [];
  for (const [store, settings] of Object.entries(stores)) {
    await servers[store]!.kill();
    for (const length of listLengths) {
      listRows.push([store, length.toLocaleString('en'), ...(await measureList(settings, length))]);
    }
  }

  const page = describe(startTimes, callRows, signInRows, listRows);
  console.log(page);
  writeFileSync(new URL('../../docs/server-speed.md', import.meta.url), page);
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit();

async function start(settings: Environment) {
  const server = await startServerProcess({
    DIST_DIR: dist,
    LOG_LEVEL: 'warn',
    TRUST_PROXY: '127.0.0.1,::1', // the throttle would refuse the load of one address
    ...settings,
  });
  return { ...server, settings };
}

/** Measures sign-ins, and short calls while they are hashed. */
async function measureSignIns(server: Server): Promise<string[]> {
  const [list, login] = await Promise.all(
    ['listProjects, 100 projects, cached', 'login'].map(async (name) => {
      const { path, load } = calls.find((call) => call.name === name)!;
      return { ...(await load(server)), url: server.address + path };
    }),
  );
  const alone = await runLoad('a list', { ...list!, connections: 1, seconds });
  const [signIns, beside] = await Promise.all([
    runLoad('sign-ins', { ...login!, connections, seconds: 3 * seconds }),
    runLoad('a list beside sign-ins', { ...list!, connections: 1, seconds: 2 * seconds }),
  ]);
  return [
    signIns.requestsPerSecond.toFixed(0),
    ...[alone, beside].flatMap(({ medianMs, p99Ms }) => [String(medianMs), String(p99Ms)]),
  ];
}

/** Measures a call on the servers in turn. Returns one row for each. */
async function measureCall(
  { name, path, load }: Call,
  servers: Record<string, Server>,
): Promise<string[][]> {
  const loads: Record<string, Load> = {};
  for (const [store, server] of Object.entries(servers)) {
    loads[store] = { ...(await load(server)), url: server.address + path, connections, seconds };
  }
  const results: Record<string, LoadResult[]> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const store of Object.keys(servers)) {
      (results[store] ??= []).push(await runLoad(`${name}, ${store}`, loads[store]!));
    }
  }
  console.error(`measured ${name}`);
  return Object.entries(results).map(([store, measured]) => {
    const { requestsPerSecond, medianMs, p99Ms } = medians(measured);
    return [name, store, requestsPerSecond.toFixed(0), String(medianMs), String(p99Ms)];
  });
}

/** Measures a list on a newly started server: first byte, last byte and memory. */
async function measureList(settings: Environment, length: number): Promise<string[]> {
  const { address, pid, kill } = await start(settings);
  const client = await signedInClient(address);
  const headers = client.cookieHeaders();
  await insertProjects(settings, client.credentials.email, length);
  const read = async () => {
    const startMs = performance.now();
    const [response] = (await once(
      get(`${address}${paths.listProjects}`, { headers }),
      'response',
    )) as [IncomingMessage];
    let firstByteMs = 0;
    for await (const _ of response) firstByteMs ||= performance.now() - startMs;
    return { firstByteMs, lastByteMs: performance.now() - startMs };
  };
  await read();
  const reads = [];
  for (let round = 0; round < rounds; round += 1) reads.push(await read());
  await Promise.all([1, 2, 3, 4].map(read));
  const memoryMb = peakMemoryMb(pid!);
  await kill();
  const { firstByteMs, lastByteMs } = medians(reads);
  return [firstByteMs.toFixed(1), lastByteMs.toFixed(1), memoryMb.toFixed(0)];
}

function describe(
  startTimes: string[],
  callRows: string[][],
  signInRows: string[][],
  listRows: string[][],
): string {
  return `# How fast the reference backend is

${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB.
Load average before the measurement: ${loadAverage.toFixed(1)}.

Written by \`nightly/bench/server.ts\`. Each call is measured in ${rounds} rounds of ${seconds} seconds with ${connections}
connections. The stores take turns. Figures are medians, of the server without its request log.
Compare figures within this page only.

${markdownTable(['call', 'store', 'responses per second', 'median (ms)', 'p99 (ms)'], callRows)}
- \`login\` hashes a password, which takes tens of milliseconds on purpose.
- \`createProject\` waits until the project is on the disk. The PostgreSQL of the tests does not sync
  its writes (\`fsync=off\`).
- \`listProjects\` sends a cached response while a list of up to 256 projects is unchanged. Each query
  to PostgreSQL takes a round trip.

Hashing decides how many users can sign in. It runs beside the other calls, in threads, and waits in
a queue. These are sign-ins on ${connections} connections, and a cached list on one connection beside them:

${markdownTable(
  [
    'store',
    'sign-ins per second',
    'list alone: median (ms)',
    'p99 (ms)',
    'list beside them: median (ms)',
    'p99 (ms)',
  ],
  signInRows,
)}
From start to ready: ${startTimes.join(', ')}.
These are medians of ${rounds} starts.

${markdownTable(
  ['store', 'projects', 'first byte (ms)', 'last byte (ms)', 'memory, four concurrent reads (MB)'],
  listRows,
)}`;
}
