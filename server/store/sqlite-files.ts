import { randomInt, randomUUID } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { StoreUnavailable } from './database.ts';
import { isBusy, notDatabaseCode, primaryCode, retryDelayMs } from './sqlite-errors.ts';

const fileName = 'tracker.sqlite';
/** A copy with this mark has no write-ahead log. */
const backupMark = 0;
/** How long a writer waits for another process. */
export const defaultBusyTimeoutMs = 5_000;
// Returns no row if there is no such table yet.
const accountsCheck =
  "select * from sqlite_schema, pragma_integrity_check(name) where name = 'accounts'";

export const databaseFile = (directory: string) => join(directory, fileName);

/** Opens the database in `directory` in WAL mode. Creates what is missing, for its owner only. */
export function openDatabaseFile(directory: string, busyTimeoutMs: number) {
  if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700, recursive: true });
  createDatabase(directory);
  const file = findDatabase(directory);
  const connection = connect(file, busyTimeoutMs);
  try {
    const mark = enterWal(connection, file, busyTimeoutMs);
    // Comparing all indexes with their tables takes eight times as long as `quick_check`. That of
    // the accounts is short, and one changed byte would let an email register twice.
    assertIntact(connection, 'pragma quick_check(1)');
    assertIntact(connection, accountsCheck);
    return { file, connection, mark };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Opens a file of SQLite. Temporary files are beside it, because /tmp may not be writable. */
function connect(file: string, timeout: number): DatabaseSync {
  const folder = dirname(file);
  // SQLite names neither, and calls a file that it may only read a failing disk.
  for (const path of [folder, file]) accessSync(path, constants.W_OK);
  const connection = new DatabaseSync(file, { timeout, enableForeignKeyConstraints: true });
  connection.exec(`pragma temp_store_directory = '${folder.replaceAll("'", "''")}'`);
  return connection;
}

/**
 * Creates the database unless it exists. It gets its name when it is complete, so a file without
 * bytes is always a mistake. Throws if only the name seems to be lost: a start must not hide data.
 */
function createDatabase(directory: string) {
  const file = databaseFile(directory);
  const names = readdirSync(directory).filter((name) => /^(?!.*\.partial).*\.sqlite/.test(name));
  if (lstatSync(file, { throwIfNoEntry: false })) return;
  if (names.length > 0) {
    throw new Error(
      `there is no ${fileName}, but ${names.join(', ')}: restore a backup, ` +
        'or move all of them to another folder to start without data',
    );
  }
  const path = partialName(file);
  try {
    markDatabase(path);
    publish(path, file);
  } catch (error) {
    if (!existsSync(file)) throw error; // otherwise another process has created it
  } finally {
    rmSync(path, { force: true });
  }
}

/** Returns the name under which `file` is written until it is complete. */
const partialName = (file: string) => `${file}.${randomUUID()}.partial`;

/** Names a complete file. Throws if `file` exists: a rename would replace another process's. */
function publish(path: string, file: string) {
  try {
    linkSync(path, file);
  } catch (error) {
    if (existsSync(file)) throw error;
    renameSync(path, file); // this file system has no hard links
  }
}

/**
 * Returns the database file in `directory`, without symbolic links: SQLite looks for the log beside
 * that file. Throws if there is none that can be opened.
 */
export function findDatabase(directory: string): string {
  let file;
  try {
    file = realpathSync(databaseFile(directory));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    const problem = `there is no database in ${directory}, set DATA_DIR as for the server`;
    throw new Error(problem, { cause });
  }
  if (statSync(file).size === 0) {
    throw new Error(`${file} is empty: restore a backup, or delete it to start without data`);
  }
  assertOwnWal(file);
  return file;
}

/** Writes the mark of a database to its log. */
export const repeatMark = (mark: number) => `pragma user_version = ${mark}`;

const readMark = (connection: DatabaseSync) =>
  Number(connection.prepare('pragma user_version').get()?.['user_version']);

/**
 * Returns the mark in the file itself, without what its write-ahead log changes. Only SQLite may
 * open the file: any other `close` ends all locks that this process has on it.
 */
function markOf(file: string): number {
  const url = Object.assign(pathToFileURL(file), { search: 'immutable=1' });
  using connection = new DatabaseSync(url, { readOnly: true, defensive: false });
  // Otherwise a file is damaged while another process moves pages of the log into it: its first
  // page may name pages that are not there yet.
  connection.exec('pragma writable_schema = on');
  return readMark(connection);
}

/** Throws if the write-ahead log beside a database belongs to another one: SQLite would apply it. */
function assertOwnWal(file: string) {
  const { size = 0 } = statSync(`${file}-wal`, { throwIfNoEntry: false }) ?? {};
  if (size <= 32) return; // it has only its header
  // Reads the log, and unlike a writer does not apply it when it closes.
  using connection = new DatabaseSync(file, { readOnly: true, timeout: defaultBusyTimeoutMs });
  connection.exec('begin'); // so that no other process changes the mark in between
  const mark = readMark(connection);
  if (mark !== backupMark && mark === markOf(file)) return;
  throw new Error(
    `${file} was copied over another database, whose newest changes are in ${file}-wal: ` +
      `move ${file}-wal and ${file}-shm to another folder to start with the copy`,
  );
}

/**
 * Gives a database a new mark and puts it into WAL mode, under one exclusive lock. The mark is
 * stored without a log, so each log that belongs to the database has the same mark. Throws if
 * another process uses the database.
 */
function markDatabase(file: string) {
  using connection = new DatabaseSync(file, { timeout: 0 });
  connection.exec(
    `pragma synchronous = full; pragma locking_mode = exclusive; begin exclusive; commit;
     pragma journal_mode = delete; pragma user_version = ${randomInt(1, 2 ** 31)};
     pragma journal_mode = wal`,
  );
}

/**
 * Marks the database, unless another process uses it. Writes the mark to its log and returns it.
 * From then on the connection has a lock, so that no process changes the mark.
 */
function enterWal(connection: DatabaseSync, file: string, busyTimeoutMs: number): number {
  const deadline = performance.now() + busyTimeoutMs;
  const waitCell = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      try {
        markDatabase(file);
      } catch (error) {
        // With a log, another process uses it and has marked it.
        if (!isBusy(error) || !existsSync(`${file}-wal`)) throw error;
      }
      // Some builds of SQLite sync less in WAL mode, and a power cut may lose acknowledged rows.
      connection.exec('pragma synchronous = full; begin immediate');
      const mark = readMark(connection);
      connection.exec(`${repeatMark(mark)}; commit`);
      if (existsSync(`${file}-wal`)) return mark;
    } catch (error) {
      if (connection.isTransaction) connection.exec('rollback');
      if (!isBusy(error) || performance.now() > deadline) throw error;
    }
    Atomics.wait(waitCell, 0, 0, retryDelayMs());
  }
}

/**
 * Returns a function that throws `StoreUnavailable` if an open database has lost its files. SQLite
 * does not notice another file with their names, or a copy over them: what is written from then on
 * is gone after a restart. The content is read only with `readsContent`, because that takes as long
 * as a transaction.
 */
export function watchFiles(directory: string, file: string, openedMark: number) {
  const paths = [databaseFile(directory), `${file}-wal`, `${file}-shm`];
  const identityOf = (path: string) => {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats && `${stats.dev}:${stats.ino}`;
  };
  const opened = paths.map(identityOf);
  let mark = openedMark;
  return (readsContent = false) => {
    const changed = paths.find((path, i) => identityOf(path) !== opened[i]);
    if (readsContent && !changed) {
      try {
        mark = markOf(file);
      } catch (error) {
        // Others, such as too many open files, say nothing about the content.
        if (primaryCode(error) === notDatabaseCode) mark = backupMark;
      }
    }
    if (!changed && mark === openedMark) return;
    const problem = changed ? `${changed} was replaced or removed` : `${file} was overwritten`;
    const advice = 'stop the server, and put the right file there';
    throw new StoreUnavailable(new Error(`${problem} while this server uses it: ${advice}`));
  };
}

function assertIntact(connection: DatabaseSync, check: string) {
  const result = Object.values(connection.prepare(check).get() ?? {}).at(-1) ?? 'ok';
  if (result === 'ok') return;
  const details = String(result).replaceAll('\n', ' ');
  throw new Error(`the database is damaged, restore a backup (${details})`);
}

/**
 * Copies the database into a new `file`, also while other processes write to it. The file appears
 * when the copy is complete, checked and synced. Throws if `file` exists.
 */
export async function backUpSqlite(directory: string, file: string) {
  const source = findDatabase(directory);
  if (existsSync(file)) throw new Error(`${file} exists, and no backup is overwritten`);
  const path = partialName(file);
  try {
    using connection = connect(source, defaultBusyTimeoutMs);
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
