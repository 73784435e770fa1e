import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { StoreUnavailable } from './database.ts';
import {
  draftOf,
  fileSuffixes,
  giveToOwnerOfFolder,
  identityOf,
  isLock,
  lockFile,
  makeFolder,
  publishDraft,
  removeAbandonedDrafts,
} from './files.ts';
import { isBusy, primaryCode } from './sqlite-errors.ts';

const fileName = 'tracker.sqlite';
/** A write-ahead log of this size or less has no changes. */
const walHeaderBytes = 32;
const rollbackModeVersion = 1;
const notDatabaseCode = 26;
/** How often this process has opened a database. */
const openFiles = new Map<string, number>();

export const databaseFile = (directory: string) => join(directory, fileName);

/**
 * Returns the database file in `directory`, without symbolic links: SQLite looks for the log beside
 * that file. Throws if there is none that can be opened.
 */
export function findDatabase(directory: string): string {
  const file = databaseFile(directory);
  try {
    accessSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error(`there is no database in ${directory}, set DATA_DIR as for the server`, {
      cause: error,
    });
  }
  const { size, nlink } = statSync(file);
  if (size === 0) {
    throw new Error(`${file} is empty: restore a backup, or delete it to start without data`);
  }
  if (nlink > 1) {
    throw new Error(
      `${file} has a second name (a hard link), and its newest changes may be beside that one: ` +
        'keep only the name that the server used',
    );
  }
  const realFile = realpathSync(file);
  if (isMountPoint(realFile)) {
    throw new Error(
      `${realFile} is mounted alone, and its newest changes, which are beside it, would be lost: ` +
        'mount its folder',
    );
  }
  assertOwnWal(realFile);
  return realFile;
}

/** Returns whether a file is mounted without its folder, as containers do. On Linux only. */
function isMountPoint(file: string): boolean {
  const toOctal = (text: string) => `\\${text.charCodeAt(0).toString(8).padStart(3, '0')}`;
  const listed = file.replaceAll(/[\s\\]/g, toOctal);
  try {
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    return mounts.some((line) => line.split(' ')[4] === listed);
  } catch {
    return false;
  }
}

/** Throws if the write-ahead log beside a database belongs to another one. */
function assertOwnWal(file: string) {
  if (hasOwnWal(file)) return;
  throw new Error(
    `${file} was copied over another database, whose newest changes are in ${file}-wal: ` +
      `move ${file}-wal and ${file}-shm to another folder to start with the copy`,
  );
}

/**
 * Throws if a server uses a database whose write-ahead log was removed: a copy would lack what is
 * only there. Waits, because the log is missing for a moment while a server starts or stops.
 */
export function assertHasWal(file: string) {
  if (existsSync(`${file}-wal`) || openFiles.has(file)) return;
  using connection = new DatabaseSync(file, { timeout: 1_000 });
  try {
    connection.exec('pragma locking_mode = exclusive; select 1 from sqlite_schema');
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new Error(
      `${file}-wal was removed while a server uses ${file}: stop the server, which then stores its changes`,
      { cause: error },
    );
  }
}

/**
 * Returns false if the write-ahead log beside a database belongs to another one. SQLite would apply
 * its changes. The header of a backup says that it has no log. `markDatabase` marks the others.
 */
function hasOwnWal(file: string): boolean {
  const { size = 0 } = statSync(`${file}-wal`, { throwIfNoEntry: false }) ?? {};
  // Closing a file ends the locks that other connections of this process have on it.
  if (size <= walHeaderBytes || openFiles.has(file)) return true;
  const header = Buffer.alloc(100);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, header);
  closeSync(descriptor);
  if (!header.toString('latin1').startsWith('SQLite format 3')) {
    throw new Error(`${file} is damaged, restore a backup`);
  }
  if (header[18] === rollbackModeVersion) return false;
  // Reads the log, and unlike a writer does not apply it when it closes.
  using connection = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  const { user_version: mark } = connection.prepare('pragma user_version').get() as {
    user_version: number;
  };
  return mark === header.readInt32BE(60);
}

/**
 * Calls `enableWal`. Before, it gives the database a new mark, unless another process uses it or
 * the disk is full. The mark is stored without a write-ahead log, so each log that belongs to the
 * database has the same mark.
 */
export function markDatabase(connection: DatabaseSync, enableWal: () => void) {
  const setMark = `pragma user_version = ${randomInt(2 ** 31)}`;
  const succeeds = (sql: string) => {
    try {
      connection.exec(sql);
      return true;
    } catch {
      return false;
    }
  };
  const isMarked = succeeds(`pragma busy_timeout = 0; pragma journal_mode = delete; ${setMark}`);
  enableWal();
  if (isMarked) succeeds(setMark); // writes the first page to the log
}

/**
 * Opens the database in `directory` with `open`. Creates what is missing. Meanwhile no other
 * process creates it.
 */
export function openDatabaseFile<T>(
  directory: string,
  busyTimeoutMs: number,
  open: (file: string) => T,
): T {
  makeFolder(directory);
  assertAccess(directory);
  removeAbandonedDrafts(directory);
  const file = databaseFile(directory);
  const lock = lockFile(file, busyTimeoutMs);
  try {
    if (!existsSync(file)) createDatabase(directory, file);
    return open(findDatabase(directory));
  } finally {
    lock.release();
  }
}

/** Throws the error of the file system if this process may not change the database. */
export function assertAccess(directory: string) {
  const { R_OK, W_OK, X_OK } = constants;
  accessSync(directory, R_OK | W_OK | X_OK);
  const ownNames = fileSuffixes.map((suffix) => fileName + suffix);
  for (const name of readdirSync(directory)) {
    if (!ownNames.includes(name)) continue;
    try {
      accessSync(join(directory, name), R_OK | W_OK);
    } catch (error) {
      // Another server that ends removes the files beside the database.
      if (name === fileName || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/** Creates a database that has its name when it is complete: an empty file is never a new one. */
function createDatabase(directory: string, file: string) {
  assertNoDatabase(directory);
  const draft = draftOf(file);
  try {
    const connection = new DatabaseSync(draft);
    connection.exec('pragma journal_mode = wal');
    connection.close();
    giveToOwnerOfFolder(draft);
    publishDraft(file);
  } catch (error) {
    rmSync(draft, { force: true }); // it has no data
    throw error;
  }
}

/** Throws if the database seems to have lost its name: a start must not hide its data. */
function assertNoDatabase(directory: string) {
  const isData = (name: string) =>
    name.endsWith('.sqlite') || (name.startsWith(fileName) && !isLock(name));
  const names = readdirSync(directory).filter(isData);
  if (names.length === 0) return;
  throw new Error(
    `there is no ${fileName}, but ${names.join(', ')}: restore a backup, ` +
      'or move all of them to another folder to start without data',
  );
}

/**
 * Returns a function that throws `StoreUnavailable` if an open database has lost its files. SQLite
 * does not notice another file with their names, or a copy over them: what is written from then on
 * is gone after a restart. The content is looked at only with `readsContent`, because that takes as
 * long as a transaction.
 */
export function watchFiles(directory: string, file: string) {
  const paths = [databaseFile(directory), `${file}-wal`, `${file}-shm`];
  const opened = paths.map(identityOf);
  const url = Object.assign(pathToFileURL(file), { search: 'immutable=1' });
  const readMark = () => {
    using connection = new DatabaseSync(url, { readOnly: true }); // without the log
    return connection.prepare('pragma user_version').get()?.['user_version'];
  };
  const openedMark = readMark();
  let mark: unknown = openedMark;
  return (readsContent = false) => {
    const lose = (what: string, advice: string): never => {
      throw new StoreUnavailable(new Error(`${what} while this server uses it: ${advice}`));
    };
    const changed = paths.find((path, i) => identityOf(path) !== opened[i]);
    if (changed) lose(`${changed} was replaced or removed`, 'put it back, or restart the server');
    if (readsContent) {
      try {
        mark = readMark();
      } catch (error) {
        // Others, such as too many open files, say nothing about the content.
        if (primaryCode(error) === notDatabaseCode) mark = undefined;
      }
    }
    if (mark !== openedMark) lose(`${file} was overwritten`, 'stop the server, restore a backup');
  };
}

/** Notes that this process opens or closes a database. */
export function countOpenFile(file: string, change: 1 | -1) {
  const count = (openFiles.get(file) ?? 0) + change;
  if (count > 0) openFiles.set(file, count);
  else openFiles.delete(file);
}

/** Opens a database file. `folder` is for temporary files, because /tmp may not be writable. */
export function connect(file: string, { folder = '', busyTimeoutMs = 5_000 }): DatabaseSync {
  const connection = new DatabaseSync(file, {
    timeout: busyTimeoutMs,
    enableForeignKeyConstraints: true,
  });
  connection.exec(`pragma temp_store_directory = '${folder.replaceAll("'", "''")}'`);
  return connection;
}

/** Checks a copy in a thread of its own, so that signals are handled meanwhile. */
export async function finishCopy(file: string) {
  const worker = new Worker(new URL('./check-copy-worker.ts', import.meta.url), {
    workerData: file,
  });
  await once(worker, 'exit');
}

/** Makes a copy a single file that can be read-only, without a mark. Throws if it is damaged. */
export function checkCopy(file: string) {
  using copy = new DatabaseSync(file);
  copy.exec('pragma journal_mode = delete; pragma user_version = 0');
  assertIntact(copy, 'pragma integrity_check(1)');
}

export function assertIntact(connection: DatabaseSync, check: string) {
  const result = Object.values(connection.prepare(check).get() ?? {}).at(-1) ?? 'ok';
  if (result === 'ok') return;
  const details = String(result).replaceAll('\n', ' ');
  throw new Error(`the database is damaged, restore a backup (${details})`);
}
