import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markdownTable } from '../../tools/diagram.ts';
import { paths } from '../../testing/contract.ts';
import { signedInClient } from '../../testing/cookie-client.ts';
import { insertProjects, peakMemoryMb } from '../../testing/database.ts';
import { median, medians } from '../../testing/median.ts';
import { startPostgres } from '../../testing/postgres.ts';
import { startServerProcess, type Environment } from '../../testing/server-process.ts';
import type { FixedResponse } from './baseline-server.ts';
import { calls, runLoad, startScript, type Call, type Server } from './calls.ts';
import type { Load, LoadResult } from './load-generator.ts';
import { forceHelp, startBenchmark } from './environment.ts';

const paragraph = await startBenchmark(`Usage: npm run node -- nightly/bench/server.ts [--force]

Measures the reference backend on SQLite and PostgreSQL: its speed as a ratio to a bare node:http
server that sends the same bytes, and the cost of sign-ins and long lists. Writes
docs/server-speed.md.

${forceHelp}`);

/** Only figures of one run can be compared, so the servers take turns in each round. */
const rounds = 5;
const seconds = 2;
const connections = 10;
const listLengths = [100, 10_000, 100_000];
const bare = 'bare `node:http`';

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
    LOG_LEVEL: 'warn', // the baseline logs no requests either
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

/**
 * Measures the bare server and the others in turn. Returns one row for each. A ratio compares
 * figures of the same round.
 */
async function measureCall(
  { name, path, load }: Call,
  servers: Record<string, Server>,
): Promise<string[][]> {
  const loads: Record<string, Load> = {};
  for (const [store, server] of Object.entries(servers)) {
    loads[store] = { ...(await load(server)), url: server.address + path, connections, seconds };
  }
  const [sample] = Object.values(loads) as [Load];
  const baseline = await startBaseline(sample);
  loads[bare] = { ...sample, url: baseline.address };
  const names = [bare, ...Object.keys(servers)];
  const results: Record<string, LoadResult[]> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const server of names) {
      (results[server] ??= []).push(await runLoad(`${name}, ${server}`, loads[server]!));
    }
  }
  await baseline.stop();
  console.error(`measured ${name}`);
  return names.map((server) => {
    const { requestsPerSecond, medianMs, p99Ms } = medians(results[server]!);
    const ratios = results[server]!.map(
      (result, round) => result.requestsPerSecond / results[bare]![round]!.requestsPerSecond,
    );
    return [
      server === bare ? name : '',
      server,
      requestsPerSecond.toFixed(0),
      String(medianMs),
      String(p99Ms),
      server === bare ? '' : median(ratios).toFixed(2),
    ];
  });
}

/** Starts a bare server that sends what the server answers to a load. */
async function startBaseline({ url, method, headers, body }: Load) {
  const response = await fetch(url, {
    method,
    headers: { ...headers[0], 'accept-encoding': 'identity' },
    ...(body && { body }),
  });
  const fixed: FixedResponse = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
  for (const name of ['date', 'connection', 'keep-alive']) delete fixed.headers[name];
  const program = startScript('baseline-server.ts', fixed);
  const [address] = await program.printed(/http:\S+/);
  return { address, stop: () => program.kill('SIGTERM') };
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

${paragraph}

Written by \`nightly/bench/server.ts\`. Each call is measured in ${rounds} rounds of ${seconds} seconds with ${connections}
connections. The servers take turns with a bare \`node:http\` server that sends the same bytes.
Figures are medians. SQLite and PostgreSQL are the reference backend without its request log.
Compare figures within this page only.

${markdownTable(
  ['call', 'server', 'responses per second', 'median (ms)', 'p99 (ms)', 'ratio to bare'],
  callRows,
)}
- \`login\` hashes a password, which takes tens of milliseconds on purpose.
- \`createProject\` waits until the project is on the disk. The PostgreSQL of the tests does not sync
  its writes (\`fsync=off\`).
- \`listProjects\` sends a cached response while the list is unchanged. Each query to PostgreSQL takes
  a round trip.

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
