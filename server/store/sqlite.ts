import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as passed } from 'node:timers/promises';
import {
  claimMigration,
  createMigrationsTable,
  StoreUnavailable,
  type Database,
  type Value,
} from './database.ts';

const busyTimeout = 5_000; // milliseconds that a writer waits for another process
const busy = 5; // SQLite's code

/**
 * Opens the database file in `directory`, which is made when it is missing, readable by its owner only.
 * Throws when the directory or the file cannot be used, or the file is damaged.
 */
export function openSqlite(directory: string): Database {
  makeFolder(directory);
  const connection = new DatabaseSync(databaseFile(directory), {
    timeout: busyTimeout,
    enableForeignKeyConstraints: true,
  });
  enableWal(connection);
  // Some builds of SQLite open a WAL database at NORMAL, which may lose acknowledged rows when the power fails. It is no property
  // of the file: every connection has to ask for it.
  connection.exec('pragma synchronous = full');
  assertIntact(connection);

  const statements = new Map<string, StatementSync>();
  function run(sql: string, values: Value[] = []): unknown[] {
    let statement = statements.get(sql);
    if (!statement) {
      statement = connection.prepare(sql);
      statements.set(sql, statement);
    }
    const named: Record<string, Value> = {};
    for (const [i, value] of values.entries()) named[`$${i + 1}`] = value;
    return statement.all(named);
  }

  return {
    async query<Row>(sql: string, values?: Value[]) {
      const end = performance.now() + busyTimeout;
      for (;;) {
        try {
          return run(sql, values) as Row[];
        } catch (cause) {
          if (!isBusy(cause) || performance.now() > end) throw new StoreUnavailable(cause);
        }
        await passed(1 + Math.random() * 9);
      }
    },

    async migrate(name, sql) {
      connection.exec(`pragma busy_timeout = ${busyTimeout}`);
      connection.exec('begin immediate');
      try {
        connection.exec(createMigrationsTable);
        if (run(claimMigration, [name]).length > 0) connection.exec(sql);
        connection.exec('commit');
      } catch (error) {
        connection.exec('rollback');
        throw error;
      }
      // From now on other requests are answered while one waits for a lock: SQLite itself would hold up the whole process.
      connection.exec('pragma busy_timeout = 0');
    },

    async close() {
      connection.close();
    },
  };
}

/** Of several that do this to a new file at once, SQLite turns away all but one, however long they would wait. */
function enableWal(connection: DatabaseSync) {
  const end = performance.now() + busyTimeout;
  const waitCell = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      return connection.exec('pragma journal_mode = wal');
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error;
    }
    Atomics.wait(waitCell, 0, 0, 1 + Math.random() * 9);
  }
}

const isBusy = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) % 256 === busy;

/**
 * Copies the database in `directory`, which other processes may be writing to, into a new `file`, which appears when the copy is
 * complete and safely on disk. Throws when `file` exists.
 */
export async function backUpSqlite(directory: string, file: string): Promise<void> {
  const source = databaseFile(directory);
  if (!existsSync(source)) throw new Error(`there is no database in ${directory}`);
  if (existsSync(file)) throw new Error(`${file} exists, and no backup is overwritten`);
  const partial = `${file}.${process.pid}.partial`;
  const connection = new DatabaseSync(source, { timeout: busyTimeout });
  try {
    // In one step: writers go on meanwhile, and between steps each of their writes would begin the copy anew.
    await backup(connection, partial, { rate: 2 ** 31 - 1 });
    const copy = new DatabaseSync(partial);
    copy.exec('pragma journal_mode = delete'); // one file, which may lie where nobody can write
    assertIntact(copy);
    copy.close();
    sync(partial);
    linkSync(partial, file);
    sync(dirname(file));
  } finally {
    connection.close();
    rmSync(partial, { force: true });
  }
}

function databaseFile(directory: string): string {
  return join(directory, 'tracker.sqlite');
}

function assertIntact(connection: DatabaseSync) {
  const { quick_check: found } = connection.prepare('pragma quick_check(1)').get() ?? {};
  if (found === 'ok') return;
  const what = String(found).replaceAll('\n', ' ');
  throw new Error(`the database is damaged, restore a backup (${what})`);
}

function sync(path: string) {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Node's own way to make parents too never ends where they can't be made, as below /proc. */
function makeFolder(path: string) {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process that starts just now may have been faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
