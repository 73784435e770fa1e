import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import {
  claimMigration,
  findOwnTables,
  isRead,
  RowsRefused,
  StoreUnavailable,
  writeRow,
  type Database,
  type SqlValue,
  type Transaction,
} from './database.ts';
import { removeAbandonedDrafts, startDraft } from './files.ts';
import { isBusy, primaryCode } from './sqlite-errors.ts';
import {
  assertAccess,
  assertHasWal,
  assertIntact,
  connect,
  countOpenFile,
  findDatabase,
  finishCopy,
  markDatabase,
  openDatabaseFile,
  watchFiles,
} from './sqlite-files.ts';

/** How long a writer waits for another process. */
const defaultBusyTimeoutMs = 5_000;
const constraintErrorCode = 19;
// Returns no row if there is no such table yet.
const accountsCheck =
  "select * from sqlite_schema, pragma_integrity_check(name) where name = 'accounts'";
/** A reader of another process lets the write-ahead log grow. It shrinks to this afterwards. */
const maxIdleWalBytes = 16 * 1024 * 1024;

/**
 * Opens the database file in `directory`. Creates the directory if it is missing, readable by its
 * owner only. Throws if the file is damaged.
 */
export function openSqlite(directory: string, busyTimeoutMs = defaultBusyTimeoutMs): Database {
  const { file, connection, assertOwnFiles } = openDatabaseFile(
    directory,
    busyTimeoutMs,
    (path) => {
      const opened = connect(path, { folder: directory, busyTimeoutMs });
      markDatabase(opened, () => enableWal(opened, busyTimeoutMs));
      opened.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
      countOpenFile(path, 1);
      return { file: path, connection: opened, assertOwnFiles: watchFiles(directory, path) };
    },
  );
  // Some builds of SQLite open a WAL database at NORMAL, which may lose acknowledged rows when the
  // power fails. The setting belongs to the connection, not to the file.
  connection.exec('pragma synchronous = full');
  connection.exec(`pragma journal_size_limit = ${maxIdleWalBytes}`);
  // Comparing all indexes with their tables takes eight times as long as `quick_check`. That of the
  // accounts is short, and one changed byte would let an email register twice.
  assertIntact(connection, 'pragma quick_check(1)');
  assertIntact(connection, accountsCheck);

  const statements = new Map<string, { statement: StatementSync; columns: string[] }>();
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
    now: "cast(unixepoch('subsec') * 1000 as integer)",
    jsonArray: (columns) =>
      `json_group_array(json_object(${columns.map((name) => `'${name}', "${name}"`).join(', ')}))`,

    query: <Row>(sql: string, values?: SqlValue[]) =>
      retryWhileBusy(() => {
        if (!isRead(sql)) assertOwnFiles();
        return run(sql, values) as Row[];
      }),

    transact: (transaction) =>
      retryWhileBusy(() => {
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
      await retryWhileBusy(() => {
        assertOwnFiles(true);
        run(writeRow);
      });
    },

    async size() {
      const files = [file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false }));
      return files.reduce((sum, stats) => sum + (stats?.size ?? 0), 0);
    },

    async close() {
      connection.close();
      countOpenFile(file, -1);
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

const retryDelayMs = () => 1 + Math.random() * 9;

/**
 * Copies the database into a new `file`, also while other processes write to it. The file appears
 * when the copy is complete and synced. Throws if `file` exists. Returns what `publishDraft` does.
 */
export async function backUpSqlite(directory: string, file: string) {
  const source = findDatabase(directory);
  const folder = dirname(file);
  if (!existsSync(folder)) throw new Error(`there is no folder ${folder}`);
  removeAbandonedDrafts(folder);
  if (existsSync(file)) throw new Error(`${file} exists, and no backup is overwritten`);
  const draft = startDraft(file);
  try {
    let connection: DatabaseSync | undefined;
    try {
      assertHasWal(source);
      connection = connect(source, { folder });
      // One step: between steps, each write of another process would restart the copy.
      await backup(connection, draft.path, { rate: 2 ** 31 - 1 });
    } catch (error) {
      assertAccess(directory); // SQLite does not say what is missing
      throw error;
    } finally {
      connection?.close();
    }
    await finishCopy(draft.path);
    {
      using copy = new DatabaseSync(draft.path, { readOnly: true });
      const query = async <Row>(sql: string) => copy.prepare(sql).all() as Row[];
      if (!(await findOwnTables({ dialect: 'sqlite', query }, source))) {
        throw new Error(`${source} has no tables of this app`);
      }
    }
    return draft.publish();
  } finally {
    draft.end();
  }
}
