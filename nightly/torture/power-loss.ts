import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { findFreePort } from '../../tools/free-port.ts';
import { startProgram } from '../../tools/start-program.ts';
import type { Environment } from '../../testing/server-process.ts';
import { deployOnPostgres, deployOnSqlite } from '../../testing/torture/deployments.ts';
import { createDisk, type Disk } from './disk.ts';
import { createPostgres } from '../../testing/torture/killable-postgres.ts';
import type { Figures } from '../../testing/torture/figures.ts';
import { crashDuringCreates } from '../../testing/torture/scenarios.ts';

const controlRows = 500;

const stores = {
  SQLite: { deploy: deployOnSqlite, countRowsWithoutSync: countSqliteRows },
  PostgreSQL: { deploy: deployOnPostgres, countRowsWithoutSync: countPostgresRows },
};

/** Cuts the power of the store's disk during creates, `rounds` times. Throws `NotSupported`. */
export async function cutPowerDuringCreates(
  store: keyof typeof stores,
  settings: Environment,
  rounds: number,
  creates: number,
): Promise<Figures> {
  await using disk = createDisk();
  const { deploy, countRowsWithoutSync } = stores[store];
  let figures: Figures;
  {
    await using deployment = await deploy(disk.mountPoint, settings);
    figures = await crashDuringCreates(
      deployment,
      { rounds, creates },
      async (stopCreates, stopCounting) => {
        await disk.cutPower(stopCounting).finally(stopCreates);
        await deployment.crash();
      },
      async () => {
        await disk.remount();
        await deployment.recover();
      },
    );
  }
  // Proves that the power cut is real: a writer that does not sync must lose rows.
  const found = await countRowsWithoutSync(disk);
  return {
    'power cuts': rounds,
    ...figures,
    'control without sync: written': controlRows,
    'control without sync: gone': controlRows - found,
    'failed: the control lost nothing': found < controlRows ? 0 : 1,
  };
}

/** Returns how many rows that SQLite wrote without sync are left after a power cut. */
async function countSqliteRows(disk: Disk): Promise<number> {
  const file = join(disk.mountPoint, 'control.sqlite');
  const writer = startProgram([
    process.execPath,
    '--input-type=module',
    '--eval',
    `import { DatabaseSync } from 'node:sqlite';
     const db = new DatabaseSync(${JSON.stringify(file)});
     db.exec('pragma journal_mode = wal; pragma synchronous = off; create table t (n integer)');
     for (let n = 1; n <= ${controlRows}; n += 1) db.exec('insert into t values (' + n + ')');
     console.log('written');
     setInterval(() => {}, 1000);`,
  ]);
  await writer.printed(/written/);
  await disk.cutPower();
  await writer.kill();
  await disk.remount();
  using database = new DatabaseSync(file);
  try {
    return Number(database.prepare('select count(*) as n from t').get()?.['n']);
  } catch {
    return 0; // The table is gone.
  }
}

/** Returns how many rows that PostgreSQL wrote without sync are left after a power cut. */
async function countPostgresRows(disk: Disk): Promise<number> {
  await using postgres = createPostgres(join(disk.mountPoint, 'control'), await findFreePort());
  const query = async (sql: string, times = 1) => {
    const client = new Client(postgres.url);
    // The power cut breaks the connection.
    client.on('error', () => {});
    await client.connect();
    let result;
    for (let i = 0; i < times; i += 1) result = await client.query(sql);
    await client.end();
    return result?.rows[0] as { n: string } | undefined;
  };
  try {
    await postgres.start({ fsync: 'off' });
    await query('create table t (n integer)');
    await query('checkpoint');
    await query('insert into t values (1)', controlRows);
    await disk.cutPower();
    await postgres.kill();
    await disk.remount();
    await postgres.start();
    return Number((await query('select count(*) as n from t'))?.n);
  } catch {
    return 0; // PostgreSQL does not start, or the table is gone.
  }
}
