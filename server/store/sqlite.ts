import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import {
  claimMigration,
  createMigrationsTable,
  RowsRefused,
  StoreUnavailable,
  type Database,
  type SqlValue,
  type Transaction,
} from './database.ts';

/** How long a writer waits for another process. */
const defaultBusyTimeoutMs = 5_000;
const busyErrorCode = 5;
const constraintErrorCode = 19;

/**
 * Opens the database file in `directory`. Creates the directory if it is missing, readable by its
 * owner only. Throws if the file is damaged.
 */
export function openSqlite(directory: string, busyTimeoutMs = defaultBusyTimeoutMs): Database {
  makeDirectory(directory);
  const connection = new DatabaseSync(databaseFile(directory), {
    timeout: busyTimeoutMs,
    enableForeignKeyConstraints: true,
  });
  enableWal(connection, busyTimeoutMs);
  // Some builds of SQLite open a WAL database at NORMAL, which may lose acknowledged rows when the
  // power fails. The setting belongs to the connection, not to the file.
  connection.exec('pragma synchronous = full');
  assertIntact(connection);

  const statements = new Map<string, StatementSync>();
  function run(sql: string, values: SqlValue[] = []): unknown[] {
    let statement = statements.get(sql);
    if (!statement) {
      statement = connection.prepare(sql);
      statements.set(sql, statement);
    }
    const named: Record<string, SqlValue> = {};
    for (const [i, value] of values.entries()) named[`$${i + 1}`] = value;
    return statement.all(named);
  }

  /** Repeats a task while another process writes. Throws `StoreUnavailable` if SQLite fails. */
  async function retryWhileBusy<T>(task: () => T): Promise<T> {
    const deadline = performance.now() + busyTimeoutMs;
    for (;;) {
      try {
        return task();
      } catch (error) {
        if (!isDatabaseError(error)) throw error;
        if (primaryCode(error) === constraintErrorCode) throw new RowsRefused(error);
        if (!isBusy(error) || performance.now() > deadline) throw new StoreUnavailable(error);
      }
      await delay(retryDelayMs());
    }
  }

  function runTransaction<T>(transaction: Transaction<T>): T {
    run('begin immediate');
    try {
      const steps = transaction();
      let step = steps.next();
      while (!step.done) step = steps.next(run(...step.value));
      run('commit');
      return step.value;
    } finally {
      if (connection.isTransaction) run('rollback');
    }
  }

  return {
    dialect: 'sqlite',

    query: <Row>(sql: string, values?: SqlValue[]) =>
      retryWhileBusy(() => run(sql, values) as Row[]),

    transact: (transaction) => retryWhileBusy(() => runTransaction(transaction)),

    async migrate(name, sql) {
      connection.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
      connection.exec('begin immediate');
      try {
        connection.exec(createMigrationsTable);
        if (run(claimMigration, [name]).length > 0) connection.exec(sql);
        connection.exec('commit');
      } catch (error) {
        connection.exec('rollback');
        throw error;
      }
      // From now on `query` waits for locks, because SQLite would block the event loop.
      connection.exec('pragma busy_timeout = 0');
    },

    async close() {
      connection.close();
    },
  };
}

/** Retries, because SQLite ignores its busy timeout when several processes do this at once. */
function enableWal(connection: DatabaseSync, busyTimeoutMs: number) {
  const deadline = performance.now() + busyTimeoutMs;
  const waitCell = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      return connection.exec('pragma journal_mode = wal');
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
    }
    Atomics.wait(waitCell, 0, 0, retryDelayMs());
  }
}

/** The second code is that of a closed connection. */
const isDatabaseError = (error: unknown) =>
  ['ERR_SQLITE_ERROR', 'ERR_INVALID_STATE'].includes((error as NodeJS.ErrnoException).code ?? '');

const primaryCode = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) % 256;

const isBusy = (error: unknown) => primaryCode(error) === busyErrorCode;

const retryDelayMs = () => 1 + Math.random() * 9;

/**
 * Copies the database into a new `file`, also while other processes write to it. The file appears
 * when the copy is complete and synced. Throws if `file` exists.
 */
export async function backUpSqlite(directory: string, file: string): Promise<void> {
  const source = databaseFile(directory);
  if (!existsSync(source)) throw new Error(`there is no database in ${directory}`);
  if (existsSync(file)) throw new Error(`${file} exists, and no backup is overwritten`);
  const partial = `${file}.${process.pid}.partial`;
  const connection = new DatabaseSync(source, { timeout: defaultBusyTimeoutMs });
  try {
    // One step: between steps, each write of another process would restart the copy.
    await backup(connection, partial, { rate: 2 ** 31 - 1 });
    const copy = new DatabaseSync(partial);
    copy.exec('pragma journal_mode = delete'); // a single file that can be read-only
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
  const { quick_check: result } = connection.prepare('pragma quick_check(1)').get() ?? {};
  if (result === 'ok') return;
  const details = String(result).replaceAll('\n', ' ');
  throw new Error(`the database is damaged, restore a backup (${details})`);
}

function sync(path: string) {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Creates parents too. Node's `recursive` option never returns below /proc. */
function makeDirectory(path: string) {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may create it at the same moment.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
