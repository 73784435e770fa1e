/**
 * `npm run test:torture`: the long proofs, against real processes, by HTTP. Prints what it found in each as a table; ends with 1 when anything
 * was lost, kept twice, or failed. Arguments choose scenarios by a part of their name.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { fullDisk } from './full-disk.ts';
import { NotPossible, powerLoss } from './power.ts';
import { fuzzed, longLists } from './readers.ts';
import {
  kills,
  loginFlood,
  rollingRestart,
  together,
  type Figures,
  type Settings,
} from './scenarios.ts';

const folder = mkdtempSync(join(tmpdir(), 'tracker-app-torture-'));
writeFileSync(join(folder, 'index.html'), '<!doctype html>');
const common: Settings = { DIST_DIR: folder, LOG_LEVEL: 'warn' };
let made = 0;

const sqlite = async (): Promise<Settings> => {
  made += 1;
  return { ...common, DATA_DIR: join(folder, `data-${made}`) };
};

const postgres = await startPostgres();
const postgresql = async (): Promise<Settings> => {
  made += 1;
  const name = `torture_${process.pid}_${made}`;
  const client = new Client(postgres.url);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return { ...common, DATABASE_URL: Object.assign(new URL(postgres.url), { pathname: name }).href };
};

const scenarios: [name: string, run: () => Promise<Figures>][] = [
  ['kill -9 in the middle of creates, SQLite', async () => kills(await sqlite(), 20, 100)],
  ['kill -9 in the middle of creates, PostgreSQL', async () => kills(await postgresql(), 20, 100)],
  ['power cut in the middle of creates, SQLite', async () => powerLoss(common, 10, 100)],
  ['full disk, SQLite', async () => fullDisk(common, 6)],
  ['two processes on one file, SQLite', async () => together(await sqlite(), 2, 2000)],
  ['four processes on one database, PostgreSQL', async () => together(await postgresql(), 4, 2000)],
  [
    'rolling restart behind a balancer, PostgreSQL',
    async () => rollingRestart(await postgresql(), 3, 3),
  ],
  ['rolling restart behind a balancer, SQLite', async () => rollingRestart(await sqlite(), 2, 3)],
  ['login flood, SQLite', async () => loginFlood(await sqlite(), 100, 100)],
  ['login flood, PostgreSQL', async () => loginFlood(await postgresql(), 100, 100)],
  ['100,000 projects for four readers, SQLite', async () => longLists(await sqlite(), 4)],
  ['100,000 projects for four readers, PostgreSQL', async () => longLists(await postgresql(), 4)],
  ['fuzzed requests, SQLite', async () => fuzzed(await sqlite(), 10_000)],
  ['fuzzed requests, PostgreSQL', async () => fuzzed(await postgresql(), 10_000)],
];

const wanted = process.argv.slice(2);
let failed = 0;
for (const [name, run] of scenarios) {
  if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue;
  const began = performance.now();
  try {
    const figures = await run();
    const isBroken = Object.entries(figures).some(
      ([figure, value]) => /^(lost|twice|failed)/.test(figure) && value !== 0,
    );
    if (isBroken) failed += 1;
    print(name, isBroken ? 'FAILED' : 'passed', figures, began);
  } catch (error) {
    const isMissing = error instanceof NotPossible;
    if (!isMissing) failed += 1;
    print(name, isMissing ? 'NOT POSSIBLE HERE' : 'FAILED', { why: String(error).trim() }, began);
  }
}
await postgres.stop();
rmSync(folder, { recursive: true, force: true });
process.exitCode = failed > 0 ? 1 : 0;

function print(name: string, verdict: string, figures: Figures, began: number) {
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`\n${name}: ${verdict} (${seconds} s)`);
  const width = Math.max(...Object.keys(figures).map((figure) => figure.length));
  for (const [figure, value] of Object.entries(figures)) {
    console.log(`  ${figure.padEnd(width)}  ${value}`);
  }
}

/** The one that TEST_DATABASE_URL names, or one of our own. */
async function startPostgres() {
  const given = process.env['TEST_DATABASE_URL'];
  if (given) return { url: given, stop: async () => {} };
  const script = fileURLToPath(new URL('../server/postgres-process.ts', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const [said] = await Promise.race([once(child.stdout, 'data'), ended]);
  const url = String(said).trim();
  if (!url.startsWith('postgres:')) throw new Error('PostgreSQL did not start.');
  return {
    url,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
