import { accessSync, constants, existsSync, renameSync, statSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { findMigrationsTable } from './database.ts';
import { giveToOwnerOfFolder, inodeOf, removeAbandonedDrafts, startDraft } from './files.ts';
import { isBusy } from './sqlite-errors.ts';
import {
  assertAccess,
  assertOwnWal,
  connect,
  databaseFile,
  finishCopy,
  hasOwnWal,
  sidecarSuffixes,
} from './sqlite-files.ts';
import { migrationNames } from './store.ts';

/**
 * Replaces the database in `directory` by a checked copy of a backup, and keeps the former one
 * beside it. Throws if a process uses the database, or the file is no backup that this version can
 * use. Returns the former database, and what publishing returns.
 */
export async function restoreSqlite(backupFile: string, directory: string) {
  try {
    assertAccess(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const advice = 'create it or set DATA_DIR as for the server';
    throw new Error(`there is no folder ${directory}, ${advice}`, { cause: error });
  }
  const file = databaseFile(directory);
  if (!existsSync(backupFile)) throw new Error(`there is no file ${backupFile}`);
  if (inodeOf(backupFile) === inodeOf(file)) throw new Error(`${file} is the database itself`);
  if (!statSync(backupFile).isFile()) throw new Error(`${backupFile} is not a file`);
  if (statSync(backupFile).size === 0) throw new Error(`${backupFile} is empty`);
  accessSync(backupFile, constants.R_OK);
  assertOwnWal(backupFile);

  removeAbandonedDrafts(directory);
  const draft = startDraft(file);
  try {
    await copyBackup(backupFile, draft.path, directory).catch((error: Error) => {
      throw new Error(`${backupFile} cannot be used: ${error.message}`, { cause: error });
    });
    giveToOwnerOfFolder(draft.path);
    const former = moveAway(file, directory);
    try {
      return { former: former.path, problem: draft.publish() };
    } catch (error) {
      former.moveBack();
      throw error;
    } finally {
      former.release();
    }
  } finally {
    draft.end();
  }
}

async function copyBackup(backupFile: string, copy: string, folder: string) {
  // Without files beside it, it is complete, and may be on a read-only disk.
  const isSingle = !sidecarSuffixes.some((suffix) => existsSync(backupFile + suffix));
  const url = pathToFileURL(backupFile).href;
  const connection = new DatabaseSync(isSingle ? `${url}?immutable=1` : url, { readOnly: true });
  try {
    assertKnownMigrations(connection);
    await backup(connection, copy, { rate: 2 ** 31 - 1 });
  } finally {
    connection.close();
  }
  connect(copy, { folder }).close();
  await finishCopy(copy);
}

/** Throws if this version cannot use the database. */
function assertKnownMigrations(connection: DatabaseSync) {
  const tables = connection.prepare(findMigrationsTable.sqlite).all();
  if (tables.length === 0) throw new Error('it is a database of another program');
  const known = migrationNames('sqlite');
  for (const { name } of connection.prepare('select name from migrations').all()) {
    if (known.includes(String(name))) continue;
    throw new Error(`it is of a newer version (${String(name)}): install that version first`);
  }
}

/** Renames the database with the files that belong to it. Throws if another process uses it. */
function moveAway(file: string, directory: string) {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const path = `${file}.before-restore-${time}`;
  const { size = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
  const lock = size > 0 ? lockDatabase(file, directory) : undefined;
  const moved: string[] = [];
  const moveBack = () => {
    for (const suffix of moved.toReversed()) renameSync(path + suffix, file + suffix);
  };
  try {
    // The database first: a start that finds only the other files refuses to make a new one.
    for (const suffix of ['', ...sidecarSuffixes]) {
      if (!existsSync(file + suffix)) continue;
      renameSync(file + suffix, path + suffix);
      moved.push(suffix);
    }
  } catch (error) {
    moveBack();
    lock?.close();
    throw error;
  }
  return { path: moved.length > 0 ? path : undefined, moveBack, release: () => lock?.close() };
}

/**
 * Merges the write-ahead log into the database and locks it, unless it is damaged or the log
 * belongs to another one. Throws if another process uses it.
 */
function lockDatabase(file: string, folder: string): DatabaseSync | undefined {
  let connection: DatabaseSync | undefined;
  try {
    if (!hasOwnWal(file)) return undefined; // opening it would mix the two
    connection = connect(file, { folder, busyTimeoutMs: 0 });
    connection.exec('pragma journal_mode = delete');
    connection.exec('pragma locking_mode = exclusive; begin exclusive; rollback');
    return connection;
  } catch (error) {
    connection?.close();
    if (!isBusy(error)) return undefined;
    throw new Error('a server or another command uses the database: stop it first', {
      cause: error,
    });
  }
}
