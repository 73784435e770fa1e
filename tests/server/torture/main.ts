import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine, selectNamesOrExit } from '../../../tools/command-line.ts';
import { startPostgres } from '../../support/postgres.ts';
import { proxyNames, startBalancer } from '../../support/proxies.ts';
import type { Settings } from '../../support/server-process.ts';
import { readLongLists } from './concurrent-reads.ts';
import { loseLeader } from './cluster.ts';
import { NotSupported } from './disk.ts';
import { fillDisk } from './full-disk.ts';
import { usePooler } from './pooler.ts';
import { failOver, loseStandby, makeReadOnly } from './postgres-outages.ts';
import { cutPowerDuringCreates } from './power-loss.ts';
import { requirePrograms } from './programs.ts';
import {
  floodLogins,
  fuzzRequests,
  killDuringCreates,
  restartReplicas,
  shareStore,
  type Figures,
} from './scenarios.ts';
import { runSql } from './sql.ts';

const { options, words } = readCommandLine(
  `Usage: npm run node -- tests/server/torture/main.ts [--allow-missing] [WORD…]

Kills, restarts, cuts off and floods real servers and PostgreSQL clusters, and counts lost data.
A WORD selects scenarios by a part of their name. Writes only to temporary folders.

  --allow-missing  accept scenarios that this machine does not support, for example without root

Exit code 1: data was lost or duplicated, or something failed. Exit code 2: a scenario is not
supported here.`,
  { options: ['allow-missing'], words: true },
);
const folder = mkdtempSync(join(tmpdir(), 'tracker-app-torture-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'index.html'), '<!doctype html>');
const common: Settings = { DIST_DIR: folder, LOG_LEVEL: 'warn' };
let stores = 0;

const sqlite = async (): Promise<Settings> => {
  stores += 1;
  return { ...common, DATA_DIR: join(folder, `data-${stores}`) };
};

let starting: ReturnType<typeof startPostgres> | undefined;
const postgresql = async (): Promise<Settings> => {
  const postgres = await (starting ??= startPostgres());
  stores += 1;
  const name = `torture_${process.pid}_${stores}`;
  await runSql(postgres.url, `create database ${name}`);
  return { ...common, DATABASE_URL: Object.assign(new URL(postgres.url), { pathname: name }).href };
};

const scenarios: Record<string, () => Promise<Figures>> = {
  'kill -9 during creates, SQLite': async () => killDuringCreates(await sqlite(), 20, 100),
  'kill -9 during creates, PostgreSQL': async () => killDuringCreates(await postgresql(), 20, 100),
  'power cut during creates, SQLite': () => cutPowerDuringCreates('SQLite', common, 10, 100),
  'power cut during creates, PostgreSQL': () =>
    cutPowerDuringCreates('PostgreSQL', common, 10, 100),
  'full disk, SQLite': () => fillDisk('SQLite', common, 6),
  'full disk, PostgreSQL': () => fillDisk('PostgreSQL', common, 6),
  'full disk, PostgreSQL with its WAL on it': () =>
    fillDisk('PostgreSQL with its WAL on it', common, 4),
  'two servers on one file, SQLite': async () => shareStore(await sqlite(), 2, 2000, 50),
  'four servers on one database, PostgreSQL': async () =>
    shareStore(await postgresql(), 4, 2000, 50),
  'rolling restart behind a load balancer, PostgreSQL': async () =>
    restartReplicas(await postgresql(), 3, 3, 8),
  'rolling restart behind a load balancer, SQLite': async () =>
    restartReplicas(await sqlite(), 2, 3, 8),
  'failover to a synchronous standby, primary killed with kill -9': () =>
    failOver('kill -9', common),
  'failover to a synchronous standby, primary stopped with SIGSTOP': () =>
    failOver('SIGSTOP', common),
  'failover to a synchronous standby, primary in a black hole': () =>
    failOver('black hole', common),
  'documented cluster, leader killed with kill -9': () => loseLeader('kill -9', common),
  'documented cluster, leader stopped with SIGSTOP': () => loseLeader('SIGSTOP', common),
  'missing synchronous standby': () => loseStandby(common, 40, 60),
  'read-only primary': () => makeReadOnly(common),
  'pooler in session mode': async () => usePooler('session', 20, await postgresql()),
  'pooler in transaction mode': async () => usePooler('transaction', 5, await postgresql()),
  ...Object.fromEntries(
    proxyNames.map((name) => [
      `rolling restart behind ${name}, PostgreSQL`,
      async () => {
        requirePrograms(name);
        return restartReplicas(await postgresql(), 2, 3, 16, startBalancer(name));
      },
    ]),
  ),
  'login flood, SQLite': async () => floodLogins(await sqlite(), 100, 100),
  'login flood, PostgreSQL': async () => floodLogins(await postgresql(), 100, 100),
  '100,000 projects for four readers, SQLite': async () => readLongLists(await sqlite(), 4),
  '100,000 projects for four readers, PostgreSQL': async () => readLongLists(await postgresql(), 4),
  'fuzzed requests, SQLite': async () => fuzzRequests(await sqlite(), 10_000),
  'fuzzed requests, PostgreSQL': async () => fuzzRequests(await postgresql(), 10_000),
};

const selected = new Set(selectNamesOrExit(Object.keys(scenarios), words));
const passed: string[] = [];
const failed: string[] = [];
const unsupported: string[] = [];
const notSelected = Object.keys(scenarios).filter((name) => !selected.has(name));
for (const [name, run] of Object.entries(scenarios)) {
  if (!selected.has(name)) continue;
  const startMs = performance.now();
  try {
    const figures = await run();
    const isFailed = Object.entries(figures).some(
      ([figure, value]) => /^(lost|duplicated|failed)/.test(figure) && value !== 0,
    );
    (isFailed ? failed : passed).push(name);
    print(name, isFailed ? 'FAILED' : 'passed', figures, startMs);
  } catch (error) {
    const isUnsupported = error instanceof NotSupported;
    (isUnsupported ? unsupported : failed).push(name);
    const verdict = isUnsupported ? 'NOT SUPPORTED HERE' : 'FAILED';
    print(name, verdict, { reason: String(error).trim() }, startMs);
  }
}
await (await starting)?.stop();

console.log(`\n${passed.length} of ${Object.keys(scenarios).length} scenarios passed.`);
for (const [label, names] of [
  ['FAILED', failed],
  ['NOT RUN, not supported here', unsupported],
  ['Not selected', notSelected],
] as const) {
  if (names.length > 0) console.log(`${label}: ${names.join('; ')}.`);
}
const isMissing = unsupported.length > 0 && !options.has('allow-missing');
if (unsupported.length > 0 && !isMissing) console.log('Accepted because of --allow-missing.');
process.exitCode = failed.length > 0 ? 1 : isMissing ? 2 : 0;

function print(name: string, verdict: string, figures: Figures, startMs: number) {
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  console.log(`\n${name}: ${verdict} (${seconds} s)`);
  const width = Math.max(...Object.keys(figures).map((figure) => figure.length));
  for (const [figure, value] of Object.entries(figures)) {
    console.log(`  ${figure.padEnd(width)}  ${value}`);
  }
}
