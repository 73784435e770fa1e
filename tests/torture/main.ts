/**
 * `npm run test:torture`: the long proofs, against real processes, by HTTP. Prints what it found in each as a table, and at the end
 * what was proven and what was not. Ends with 1 when anything was lost, kept twice, or failed; and with 2 when this machine does not allow a
 * scenario, as without root, unless `--allow-missing` says that this is known. Other arguments choose scenarios by a part of their name.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { startPostgres } from '../support/postgres.ts';
import { NotPossible } from './disk.ts';
import { fullDisk } from './full-disk.ts';
import { powerLoss } from './power-loss.ts';
import { fuzzed, longLists } from './concurrent-reads.ts';
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
const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { 'allow-missing': { type: 'boolean', default: false } },
});
const allowMissing = values['allow-missing'];
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
  ['power cut in the middle of creates, SQLite', () => powerLoss('SQLite', common, 10, 100)],
  [
    'power cut in the middle of creates, PostgreSQL',
    () => powerLoss('PostgreSQL', common, 10, 100),
  ],
  ['full disk, SQLite', () => fullDisk('SQLite', common, 6)],
  ['full disk, PostgreSQL', () => fullDisk('PostgreSQL', common, 6)],
  [
    'full disk, PostgreSQL with its WAL there too',
    () => fullDisk('PostgreSQL with its WAL there too', common, 4),
  ],
  ['two processes on one file, SQLite', async () => together(await sqlite(), 2, 2000, 50)],
  [
    'four processes on one database, PostgreSQL',
    async () => together(await postgresql(), 4, 2000, 50),
  ],
  [
    'rolling restart behind a balancer, PostgreSQL',
    async () => rollingRestart(await postgresql(), 3, 3, 8),
  ],
  [
    'rolling restart behind a balancer, SQLite',
    async () => rollingRestart(await sqlite(), 2, 3, 8),
  ],
  ['login flood, SQLite', async () => loginFlood(await sqlite(), 100, 100)],
  ['login flood, PostgreSQL', async () => loginFlood(await postgresql(), 100, 100)],
  ['100,000 projects for four readers, SQLite', async () => longLists(await sqlite(), 4)],
  ['100,000 projects for four readers, PostgreSQL', async () => longLists(await postgresql(), 4)],
  ['fuzzed requests, SQLite', async () => fuzzed(await sqlite(), 10_000)],
  ['fuzzed requests, PostgreSQL', async () => fuzzed(await postgresql(), 10_000)],
];

const passed: string[] = [];
const failed: string[] = [];
const missing: string[] = [];
const left: string[] = [];
for (const [name, run] of scenarios) {
  if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) {
    left.push(name);
    continue;
  }
  const began = performance.now();
  try {
    const figures = await run();
    const isBroken = Object.entries(figures).some(
      ([figure, value]) => /^(lost|twice|failed)/.test(figure) && value !== 0,
    );
    (isBroken ? failed : passed).push(name);
    print(name, isBroken ? 'FAILED' : 'passed', figures, began);
  } catch (error) {
    const isMissing = error instanceof NotPossible;
    (isMissing ? missing : failed).push(name);
    print(name, isMissing ? 'NOT POSSIBLE HERE' : 'FAILED', { why: String(error).trim() }, began);
  }
}
await postgres.stop();
rmSync(folder, { recursive: true, force: true });

console.log(`\n${passed.length} of ${scenarios.length} proven.`);
for (const [what, names] of Object.entries({
  'FAILED: ': failed,
  'NOT PROVEN, not possible here: ': missing,
  'Not asked for: ': left,
})) {
  if (names.length > 0) console.log(`${what}${names.join('; ')}.`);
}
if (passed.length + failed.length + missing.length === 0) failed.push('No scenario has this name');
if (missing.length > 0 && allowMissing) console.log('That is accepted: --allow-missing.');
process.exitCode = failed.length > 0 ? 1 : missing.length > 0 && !allowMissing ? 2 : 0;

function print(name: string, verdict: string, figures: Figures, began: number) {
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`\n${name}: ${verdict} (${seconds} s)`);
  const width = Math.max(...Object.keys(figures).map((figure) => figure.length));
  for (const [figure, value] of Object.entries(figures)) {
    console.log(`  ${figure.padEnd(width)}  ${value}`);
  }
}
