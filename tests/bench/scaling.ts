import { mkdtempSync, rmSync, writeFileSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../tools/free-port.ts';
import { markdownTable } from '../../tools/diagram.ts';
import { peakMemoryMb, withDatabase } from '../support/database.ts';
import { processorMs } from '../support/process-tree.ts';
import { startServerProcess, type Settings } from '../support/server-process.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { createPostgres } from '../torture/killable-postgres.ts';
import { calls, runLoad, unchangedList, type Call, type Server } from './calls.ts';
import { forceHelp, startBenchmark } from './environment.ts';

const paragraph = await startBenchmark(`Usage: npm run node -- tests/bench/scaling.ts [--force]

Measures what each call costs on both stores, and calculates what 1,000 to 10,000,000 users need.
Writes docs/scaling.md. Linux only.

${forceHelp}`);

const seconds = 3;
const connections = 10;

/** What a user does in a day. */
const callsPerDay = {
  unchanged: 5,
  cached: 4,
  uncached: 1,
  create: 0.2,
  login: 1 / 30,
  register: 1 / 365,
};
const peakFactor = 10;
const maxUtilization = 0.5;
const maxConnections = 100;
const projectsPerYear = callsPerDay.create * 365;
const userCounts = [1_000, 100_000, 10_000_000];

const measuredCalls: Record<keyof typeof callsPerDay, Call> = {
  unchanged: unchangedList,
  cached: findCall('listProjects, 100 projects, cached'),
  uncached: findCall('listProjects, 100 projects, not cached'),
  create: findCall('createProject'),
  login: findCall('login'),
  register: findCall('registerUser'),
};
const callNames = Object.keys(measuredCalls) as (keyof typeof callsPerDay)[];

/** The cost of one call. */
interface Cost {
  serverMs: number;
  postgresMs: number;
  roundTrips: number;
  requestBytes: number;
  responseBytes: number;
  callsPerSecond: number;
}

interface Measured {
  costs: Record<keyof typeof callsPerDay, Cost>;
  idleMb: number;
  peakMb: number;
  connections: number;
  bytesPerProject: number;
}

const folder = mkdtempSync(join(tmpdir(), 'tracker-app-scaling-'));
chmodSync(folder, 0o755);
writeFileSync(join(folder, 'index.html'), '<!doctype html>');
const postgres = createPostgres(join(folder, 'postgres'), await findFreePort());
await postgres.start({ shared_buffers: '512MB', max_wal_size: '2GB' });
const network = await startTcpProxy(postgres.port);
const stores: Record<string, Settings> = {
  SQLite: { DATA_DIR: join(folder, 'data') },
  PostgreSQL: { DATABASE_URL: postgres.url.replace(String(postgres.port), String(network.port)) },
};

try {
  const measured: Record<string, Measured> = {};
  for (const [store, settings] of Object.entries(stores)) {
    measured[store] = await measureStore(settings);
    console.error(`measured ${store}`);
  }
  const page = describe(measured['SQLite']!, measured['PostgreSQL']!);
  console.log(page);
  writeFileSync(new URL('../../docs/scaling.md', import.meta.url), page);
} finally {
  await network[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}
process.exit();

function findCall(name: string): Call {
  const call = calls.find((each) => each.name === name);
  if (!call) throw new Error(`There is no call "${name}".`);
  return call;
}

async function measureStore(settings: Settings): Promise<Measured> {
  await using process = await startServerProcess({
    DIST_DIR: folder,
    TRUST_PROXY: '127.0.0.1,::1', // the throttle would refuse the load of one address
    ...settings,
  });
  const server: Server = { ...process, settings };
  const idleMb = peakMemoryMb(server.pid);
  await using http = await startTcpProxy(Number(new URL(server.address).port));
  let bytesPerProject = 0;
  const costs: Partial<Measured['costs']> = {};
  for (const name of callNames) {
    const call = measuredCalls[name];
    const before = await storedProjects(settings);
    const load = await call.load(server);
    if (name === 'uncached') {
      const after = await storedProjects(settings);
      bytesPerProject = (after.bytes - before.bytes) / (after.count - before.count);
    }
    const url = `http://127.0.0.1:${http.port}${call.path}`;
    await runLoad(call.name, { ...load, url, connections, seconds: 1 }); // compiles the code
    const meters = () => [
      processorMs(server.pid),
      settings['DATABASE_URL'] ? processorMs(postgres.pid()) : 0,
      network.counts.roundTrips,
      http.counts.bytesToServer,
      http.counts.bytesToClient,
    ];
    const start = meters();
    const { responses, requestsPerSecond } = await runLoad(call.name, {
      ...load,
      url,
      connections,
      seconds,
    });
    const [serverMs, postgresMs, roundTrips, requestBytes, responseBytes] = meters().map(
      (value, i) => (value - start[i]!) / responses,
    ) as [number, number, number, number, number];
    const cost = { serverMs, postgresMs, roundTrips, requestBytes, responseBytes };
    costs[name] = { ...cost, callsPerSecond: requestsPerSecond };
    console.error(call.name, cost);
  }
  return {
    costs: costs as Measured['costs'],
    idleMb,
    peakMb: peakMemoryMb(server.pid),
    connections: settings['DATABASE_URL'] ? await countConnections(settings) : 0,
    bytesPerProject,
  };
}

async function storedProjects(settings: Settings): Promise<{ count: number; bytes: number }> {
  const size = settings['DATABASE_URL']
    ? 'pg_database_size(current_database())'
    : '(select page_count * page_size from pragma_page_count, pragma_page_size)';
  const [row] = await withDatabase(settings, (database) =>
    database.query<{ count: number | string; bytes: number | string }>(
      `select (select count(*) from projects) as count, ${size} as bytes`,
    ),
  );
  return { count: Number(row?.count), bytes: Number(row?.bytes) };
}

async function countConnections(settings: Settings): Promise<number> {
  const [row] = await withDatabase(settings, (database) =>
    database.query<{ n: string }>(
      `select count(*) as n from pg_stat_activity
       where usename = current_user and pid <> pg_backend_pid() and datname is not null`,
    ),
  );
  return Number(row?.n);
}

/** Returns the sum over all calls of what a user causes in a day. */
function perUserDay({ costs }: Measured, read: (cost: Cost) => number): number {
  return callNames.reduce((sum, name) => sum + callsPerDay[name] * read(costs[name]), 0);
}

/** Returns what `users` need in a second at the peak. */
function demand(users: number, measured: Measured) {
  const perSecond = (users * peakFactor) / 86_400;
  return {
    calls: perSecond * perUserDay(measured, () => 1),
    creates: perSecond * callsPerDay.create,
    serverCores: (perSecond * perUserDay(measured, ({ serverMs }) => serverMs)) / 1000,
    postgresCores: (perSecond * perUserDay(measured, ({ postgresMs }) => postgresMs)) / 1000,
    megabits: (perSecond * perUserDay(measured, ({ responseBytes }) => responseBytes) * 8) / 1e6,
    signInCores: ((users / 3600) * measured.costs.login.serverMs) / 1000,
    gigabytesPerYear: (users * projectsPerYear * measured.bytesPerProject) / 1e9,
  };
}

/** Returns the deployment for `users`, and the share of each resource that the peak uses. */
function plan(users: number, sqlite: Measured, postgresql: Measured) {
  if (users < 10_000) {
    const { serverCores, creates } = demand(users, sqlite);
    const use = {
      'one core of the server': serverCores,
      'creates of one file': creates / sqlite.costs.create.callsPerSecond,
    };
    return { run: 'one server, SQLite, a nightly backup', use };
  }
  const { serverCores, postgresCores, megabits, gigabytesPerYear } = demand(users, postgresql);
  const replicas = Math.ceil(serverCores / maxUtilization) + 1; // one may be missing
  const isEnough = (cores: number) => postgresCores / cores <= maxUtilization;
  const cores = [4, 8, 16, 32, 64, 128].find(isEnough) ?? Infinity;
  const open = replicas * postgresql.connections;
  const needsPooler = open > maxConnections * 0.9;
  const use = {
    'a core of each server': serverCores / (replicas - 1),
    [`the ${cores} cores of the primary`]: postgresCores / cores,
    'network of 1 Gbit/s': megabits / 1000,
    'disk of 1 TB after a year': gigabytesPerYear / 1000,
    [`${maxConnections} connections`]: needsPooler ? 0 : open / maxConnections,
  };
  const pooler = needsPooler ? `, PgBouncer in transaction mode (${open} connections)` : '';
  return {
    run: `${replicas} servers, [the cluster](deploy/cluster/) with ${cores} cores per node${pooler}`,
    use,
  };
}

function describe(sqlite: Measured, postgresql: Measured): string {
  const measured = { SQLite: sqlite, PostgreSQL: postgresql };
  const grouped = (value: number) => Math.round(value).toLocaleString('en');
  const short = (value: number) =>
    value >= 100 ? grouped(value) : String(Number(value.toPrecision(2)));
  const percent = (value: number) => `${short(value * 100)} %`;
  const perUser = demand(1, sqlite);
  const sqliteUsers = 10 ** Math.floor(Math.log10(maxUtilization / perUser.serverCores));
  return `# What to run for how many users

${paragraph}

Written by \`tests/bench/scaling.ts\`. The first two tables are measured. Everything after
"Calculated" follows from them and from the assumptions.

## Measured: the cost of a call

${markdownTable(
  [
    'call',
    'store',
    'server (CPU ms)',
    'PostgreSQL (CPU ms)',
    'round trips',
    'bytes in',
    'bytes out',
  ],
  callNames.flatMap((name) =>
    Object.entries(measured).map(([store, { costs }], i) => {
      const cost = costs[name];
      return [
        i === 0 ? measuredCalls[name].name : '',
        store,
        short(cost.serverMs),
        i === 0 ? '' : short(cost.postgresMs),
        i === 0 ? '' : short(cost.roundTrips),
        grouped(cost.requestBytes),
        grouped(cost.responseBytes),
      ];
    }),
  ),
)}
- ${connections} connections for ${seconds} seconds, with the request log on, and uncompressed responses. Both stores
  sync their writes.
- Processor time is that of all threads of the server, and of all processes of PostgreSQL.
- Round trips to PostgreSQL are per call. Waiting calls share queries, so a lookup can be less than
  one. All creates are of one account, which is the slowest case.

${markdownTable(
  [
    'replica with',
    'memory at start (MB)',
    'memory at most (MB)',
    'connections',
    'bytes per project on disk',
  ],
  Object.entries(measured).map(([store, figures]) => [
    store,
    grouped(figures.idleMb),
    grouped(figures.peakMb),
    String(figures.connections || ''),
    grouped(figures.bytesPerProject),
  ]),
)}
## Assumptions

- A user opens a list of 100 projects ${callsPerDay.unchanged + callsPerDay.cached + callsPerDay.uncached} times a day: ${callsPerDay.unchanged} times unchanged, ${callsPerDay.cached} times from the server's
  memory and once from the store. A user creates a project every ${1 / callsPerDay.create} days.
- A session lasts 30 days, so a user signs in every 30 days. One in 365 registers each day.
- The peak has ${peakFactor} times the calls of the average second.
- At the peak, a core is used to ${percent(maxUtilization)}, so that responses do not wait.
- TLS and load balancers are not included, and responses are not compressed.

## Calculated: the need at the peak

${markdownTable(
  [
    'users',
    'calls/s',
    'creates/s',
    'cores of the servers',
    'cores of PostgreSQL',
    'Mbit/s out',
    'cores if all sign in within an hour',
    'GB of projects per year',
  ],
  userCounts.map((users) => {
    const need = demand(users, postgresql);
    return [
      grouped(users),
      short(need.calls),
      short(need.creates),
      short(need.serverCores),
      short(need.postgresCores),
      short(need.megabits),
      short(need.signInCores),
      short(need.gigabytesPerYear),
    ];
  }),
)}
## Calculated: what to run

${markdownTable(
  ['users', 'run', 'saturates first', 'use of all resources at the peak'],
  userCounts.map((users) => {
    const { run, use } = plan(users, sqlite, postgresql);
    const sorted = Object.entries(use).toSorted(([, a], [, b]) => b - a);
    return [
      grouped(users),
      run,
      sorted[0]?.[0] ?? '',
      sorted.map(([resource, share]) => `${resource}: ${percent(share)}`).join(', '),
    ];
  }),
)}
- One server more than needed runs, so that one can restart. Each server is one process with one
  busy core and threads that hash passwords.
- \`DATABASE_POOL_SIZE\` × servers must stay below \`max_connections\` (${maxConnections} in the cluster), with
  room for administrators. Otherwise lower it, or put PgBouncer between them.
- Signing in costs more than everything else: see the column "cores if all sign in". After all
  sessions were ended, the hashing queue answers 503 with \`Retry-After\` until all have signed in.

## When to leave SQLite

- One process on one core carries about ${grouped(sqliteUsers)} users (calculated, rounded down).
  Several processes on one machine share the file, but only one writes at a time: ${grouped(sqlite.costs.create.callsPerSecond)} creates per
  second (measured).
- Speed is rarely the reason. Leave SQLite when the app must survive the loss of its machine, or be
  upgraded while a machine is down.
- Move before the file exceeds what a backup can copy in a night.

## Beyond one primary

Every account's data is independent: no statement reads two accounts. If the cores or the disk of
one primary no longer suffice, split the accounts over several clusters by the hash of the email,
each with its own servers. This is not built.
`;
}
