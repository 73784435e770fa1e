import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import {
  claimMigration,
  isRead,
  RowsRefused,
  StoreUnavailable,
  writeRow,
  type Database,
  type SqlValue,
  type Transaction,
} from './database.ts';
import { constraintCode, isBusy, primaryCode, retryDelayMs } from './sqlite-errors.ts';
import { defaultBusyTimeoutMs, openDatabaseFile, repeatMark, watchFiles } from './sqlite-files.ts';

/** A reader of another process lets the write-ahead log grow. It shrinks to this afterwards. */
const maxIdleWalBytes = 16 * 1024 * 1024;

/** Opens the database file in `directory`. Creates what is missing. Throws if it is damaged. */
export function openSqlite(directory: string, busyTimeoutMs = defaultBusyTimeoutMs): Database {
  const { file, connection, mark } = openDatabaseFile(directory, busyTimeoutMs);
  const assertOwnFiles = watchFiles(directory, file, mark);
  connection.exec(`pragma journal_size_limit = ${maxIdleWalBytes}`);
  const { run, runTransaction } = createRunner(connection);
  const retry = <T>(task: () => T) => retryWhileBusy(task, busyTimeoutMs);

  return {
    dialect: 'sqlite',
    now: "cast(unixepoch('subsec') * 1000 as integer)",
    jsonArray: (columns) =>
      `json_group_array(json_object(${columns.map((name) => `'${name}', "${name}"`).join(', ')}))`,

    query: <Row>(sql: string, values?: SqlValue[]) =>
      retry(() => {
        if (!isRead(sql)) assertOwnFiles();
        return run(sql, values) as Row[];
      }),

    transact: (transaction) =>
      retry(() => {
        assertOwnFiles();
        return runTransaction(transaction);
      }),

    async migrate(name, sql) {
      connection.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
      const isRun = runTransaction(function* () {
        connection.exec('create table if not exists migrations (name text primary key)');
        const claimed = yield [claimMigration, [name]];
        if (claimed.length > 0) connection.exec(sql);
        return claimed.length > 0;
      });
      // From now on `query` waits for locks, because SQLite would block the event loop.
      connection.exec('pragma busy_timeout = 0');
      return isRun;
    },

    async checkWrite() {
      await retry(() => {
        assertOwnFiles(true);
        runTransaction(function* () {
          yield [writeRow];
          yield [repeatMark(mark)];
        });
      });
    },

    async size() {
      const files = [file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false }));
      return files.reduce((sum, stats) => sum + (stats?.size ?? 0), 0);
    },

    close: async () => connection.close(),
  };
}

/** Returns functions that run statements, each of which is prepared once. */
function createRunner(connection: DatabaseSync) {
  const statements = new Map<string, { statement: StatementSync; columns: string[] }>();

  /** Returns the rows of a statement. */
  function run(sql: string, values: SqlValue[] = []): unknown[] {
    let prepared = statements.get(sql);
    if (!prepared) {
      const statement = connection.prepare(sql);
      statement.setReturnArrays(true);
      prepared = { statement, columns: statement.columns().map(({ name }) => name) };
      statements.set(sql, prepared);
    }
    const { statement, columns } = prepared;
    const named: Record<string, SqlValue> = {};
    for (const [i, value] of values.entries()) named[`$${i + 1}`] = value;
    // The objects that SQLite returns are hash tables, which take twice as long to read.
    return (statement.all(named) as unknown[] as SqlValue[][]).map((row) => {
      const object: Record<string, SqlValue> = {};
      for (let i = 0; i < columns.length; i += 1) object[columns[i]!] = row[i]!;
      return object;
    });
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

  return { run, runTransaction };
}

/** Repeats a task while another process writes. Throws `StoreUnavailable` if SQLite fails. */
async function retryWhileBusy<T>(task: () => T, busyTimeoutMs: number): Promise<T> {
  const deadline = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      return task();
    } catch (error) {
      if (!isDatabaseError(error)) throw error;
      if (primaryCode(error) === constraintCode) throw new RowsRefused(error);
      if (!isBusy(error) || performance.now() > deadline) throw new StoreUnavailable(error);
    }
    await delay(retryDelayMs());
  }
}

/** The second code is that of a closed connection. */
const isDatabaseError = (error: unknown) =>
  ['ERR_SQLITE_ERROR', 'ERR_INVALID_STATE'].includes((error as NodeJS.ErrnoException).code ?? '');
