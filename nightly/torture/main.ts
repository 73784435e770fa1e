import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from '../../tools/command-line.ts';
import { startPostgres } from '../../testing/postgres.ts';
import { proxyNames } from '../../testing/proxies.ts';
import type { Environment } from '../../testing/server-process.ts';
import { fillDisk } from './full-disk.ts';
import { failOver, loseStandby } from '../../testing/torture/postgres-outages.ts';
import { cutPowerDuringCreates } from './power-loss.ts';
import type { Figures } from '../../testing/torture/figures.ts';
import { requireProgram, runScenarios } from './run-scenarios.ts';
import {
  floodLogins,
  killDuringCreates,
  restartReplicas,
  shareStore,
} from '../../testing/torture/scenarios.ts';
import { runSql } from '../../testing/sql.ts';

const { words } = readCommandLine(
  `Usage: npm run node -- nightly/torture/main.ts [WORD…]

Kills, restarts, cuts off and floods real servers and PostgreSQL, and counts lost data.
A WORD selects scenarios by a part of their name. Writes only to temporary folders.

Exit code 1: data was lost or duplicated, or something failed. Exit code 2: a scenario is not
supported here.`,
  { words: true },
);
const folder = mkdtempSync(join(tmpdir(), 'tracker-app-torture-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const dist = join(folder, 'dist');
mkdirSync(dist);
writeFileSync(join(dist, 'index.html'), '<!doctype html>');
const common: Environment = { DIST_DIR: dist, LOG_LEVEL: 'warn' };
const sqlite = async (): Promise<Environment> => ({
  ...common,
  DATA_DIR: mkdtempSync(join(folder, 'data-')),
});

let databases = 0;
let starting: ReturnType<typeof startPostgres> | undefined;
const postgresql = async (): Promise<Environment> => {
  const postgres = await (starting ??= startPostgres());
  databases += 1;
  const name = `torture_${process.pid}_${databases}`;
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
  'failover to a synchronous standby, primary killed with kill -9': () =>
    failOver('kill -9', common),
  'failover to a synchronous standby, primary stopped with SIGSTOP': () =>
    failOver('SIGSTOP', common),
  'failover to a synchronous standby, primary in a black hole': () =>
    failOver('black hole', common),
  'missing synchronous standby': () => loseStandby(common, 40, 60),
  ...Object.fromEntries(
    proxyNames.map((name) => [
      `rolling restart behind ${name}, PostgreSQL`,
      async () => {
        requireProgram(name);
        return restartReplicas(await postgresql(), name, 3, 16);
      },
    ]),
  ),
  'login flood, SQLite': async () => floodLogins(await sqlite(), 100, 100),
  'login flood, PostgreSQL': async () => floodLogins(await postgresql(), 100, 100),
};

await runScenarios(scenarios, words);
await (await starting)?.stop();
