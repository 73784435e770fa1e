import { existsSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
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
import {
  assertIntact,
  backupMark,
  connect,
  findDatabase,
  openDatabaseFile,
  partialName,
  publish,
  repeatMark,
  watchFiles,
} from './sqlite-files.ts';

/** How long a writer waits for another process. */
const defaultBusyTimeoutMs = 5_000;
// Returns no row if there is no such table yet.
const accountsCheck =
  "select * from sqlite_schema, pragma_integrity_check(name) where name = 'accounts'";
/** A reader of another process lets the write-ahead log grow. It shrinks to this afterwards. */
const maxIdleWalBytes = 16 * 1024 * 1024;

/**
 * Opens the database file in `directory`. Creates the directory if it is missing, readable by its
 * owner only. Throws if the file is damaged.
 */
// oxlint-disable-next-line max-lines-per-function -- its methods share one connection
export function openSqlite(directory: string, busyTimeoutMs = defaultBusyTimeoutMs): Database {
  const { file, connection, mark } = openDatabaseFile(directory, busyTimeoutMs);
  const assertOwnFiles = watchFiles(directory, file, mark);
  connection.exec(`pragma journal_size_limit = ${maxIdleWalBytes}`);
  // Comparing all indexes with their tables takes eight times as long as `quick_check`. That of the
  // accounts is short, and one changed byte would let an email register twice.
  assertIntact(connection, 'pragma quick_check(1)');
  assertIntact(connection, accountsCheck);
  const run = createRunner(connection);
  const retry = <T>(task: () => T) => retryWhileBusy(task, busyTimeoutMs);

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

/** Returns a function that runs a statement, which it prepares once, and returns the rows. */
function createRunner(connection: DatabaseSync) {
  const statements = new Map<string, { statement: StatementSync; columns: string[] }>();
  return (sql: string, values: SqlValue[] = []): unknown[] => {
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
  };
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

/**
 * Copies the database into a new `file`, also while other processes write to it. The file appears
 * when the copy is complete, checked and synced. Throws if `file` exists.
 */
export async function backUpSqlite(directory: string, file: string) {
  const source = findDatabase(directory);
  if (existsSync(file)) throw new Error(`${file} exists, and no backup is overwritten`);
  const path = partialName(file);
  try {
    using connection = connect(source, dirname(file), defaultBusyTimeoutMs);
    // The copy gets new indexes, so it does not show whether those of the database are damaged.
    assertIntact(connection, 'pragma integrity_check(1)');
    connection.prepare('vacuum into ?').run(path);
    {
      using copy = new DatabaseSync(path);
      assertIntact(copy, 'pragma quick_check(1)');
      // The end of this transaction syncs the whole file.
      copy.exec(`pragma synchronous = full; pragma user_version = ${backupMark}`);
    }
    publish(path, file);
  } finally {
    rmSync(path, { force: true });
  }
}
