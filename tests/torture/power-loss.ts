import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { findFreePort } from '../../tools/free-port.ts';
import { createDisk, type Disk } from './disk.ts';
import { createPostgres } from './killable-postgres.ts';
import { createUntil, Person, type Promised } from './client.ts';
import { compare, type Figures, type Settings } from './scenarios.ts';
import { onPostgres, onSqlite } from './deployments.ts';

const rows = 500;

/** Cuts the power of the disk under a store in the middle of creates, `rounds` times. Throws `NotPossible`. */
export async function powerLoss(
  store: 'SQLite' | 'PostgreSQL',
  settings: Settings,
  rounds: number,
  creates: number,
): Promise<Figures> {
  const disk = createDisk();
  try {
    const make = store === 'SQLite' ? onSqlite : onPostgres;
    const site = await make(disk.mountPoint, settings);
    const all: Promised = { kept: [], unanswered: [] };
    let figures: Figures;
    try {
      const person = await new Person().settle(site.address());
      for (let round = 0; round < rounds; round += 1) {
        const stop = new AbortController();
        let dead: Promise<void> | undefined;
        const cutPower = async () => {
          await disk.cutPower().finally(() => stop.abort());
          await site.die();
        };
        const { kept, unanswered } = await createUntil(
          stop.signal,
          person,
          [site.address()],
          8,
          (count) => {
            if (count === creates) dead = cutPower();
          },
        );
        all.kept.push(...kept);
        all.unanswered.push(...unanswered);
        await dead;
        await disk.comeBack();
        await site.rise();
      }
      figures = await compare(person, site.address(), all);
    } finally {
      await site.stop();
    }
    // The proof that the cut is one: a writer that does not sync must lose rows by it.
    const found = await (store === 'SQLite' ? unsyncedSqlite(disk) : unsyncedPostgres(disk));
    return {
      'power cuts': rounds,
      ...figures,
      'control without sync: written': rows,
      'control: gone': rows - found,
      'failed: the control lost nothing': found < rows ? 0 : 1,
    };
  } finally {
    await disk.remove();
  }
}

/** How many rows are found again. */
async function unsyncedSqlite(disk: Disk): Promise<number> {
  const file = join(disk.mountPoint, 'control.sqlite');
  const writer = spawn(process.execPath, [
    '--input-type=module',
    '--eval',
    `import { DatabaseSync } from 'node:sqlite';
     const db = new DatabaseSync(${JSON.stringify(file)});
     db.exec('pragma journal_mode = wal; pragma synchronous = off; create table t (n integer)');
     for (let n = 1; n <= ${rows}; n += 1) db.exec('insert into t values (' + n + ')');
     console.log('written');
     setInterval(() => {}, 1000);`,
  ]);
  await once(writer.stdout, 'data');
  await disk.cutPower();
  writer.kill('SIGKILL');
  await once(writer, 'close');
  await disk.comeBack();
  const database = new DatabaseSync(file);
  try {
    return Number(database.prepare('select count(*) as n from t').get()?.['n']);
  } catch {
    return 0; // Not even the table is there.
  } finally {
    database.close();
  }
}

/** How many rows are found again. */
async function unsyncedPostgres(disk: Disk): Promise<number> {
  const postgres = createPostgres(join(disk.mountPoint, 'control'), await findFreePort());
  const query = async (sql: string, times = 1) => {
    const client = new Client(postgres.url);
    // The connection breaks when the power is cut.
    client.on('error', () => {});
    await client.connect();
    let result;
    for (let i = 0; i < times; i += 1) result = await client.query(sql);
    await client.end();
    return result?.rows[0] as { n: string } | undefined;
  };
  try {
    await postgres.start('-c', 'fsync=off');
    await query('create table t (n integer)');
    await query('checkpoint');
    await query('insert into t values (1)', rows);
    await disk.cutPower();
    await postgres.kill();
    await disk.comeBack();
    await postgres.start();
    return Number((await query('select count(*) as n from t'))?.n);
  } catch {
    return 0; // It does not even start, or the table is not there.
  } finally {
    await postgres.kill();
    postgres.remove();
  }
}
