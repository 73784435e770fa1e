import { once } from 'node:events';
import { accessSync, constants, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import {
  giveToOwnerOfFolder,
  isDraft,
  isLock,
  makeFolder,
  removeAbandonedDrafts,
  startDraft,
} from './files.ts';

const fileName = 'tracker.sqlite';
const busyErrorCode = 5;

export const primaryCode = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) % 256;

export const isBusy = (error: unknown) => primaryCode(error) === busyErrorCode;

/** Returns the database file in `directory`. Throws if there is none that can be opened. */
export function findDatabase(directory: string): string {
  const file = join(directory, fileName);
  if (!existsSync(file)) throw new Error(`there is no database in ${directory}`);
  if (statSync(file).size > 0) return file;
  throw new Error(`${file} is empty: restore a backup, or delete it to start without data`);
}

/** Returns the database file in `directory`. Creates what is missing. */
export function prepareDatabase(directory: string, busyTimeoutMs: number): string {
  makeFolder(directory);
  assertAccess(directory);
  removeAbandonedDrafts(directory);
  const file = join(directory, fileName);
  if (!existsSync(file)) createDatabase(directory, file, busyTimeoutMs);
  return findDatabase(directory);
}

/** Throws the error of the file system if this process may not change the database. */
export function assertAccess(directory: string) {
  const { R_OK, W_OK, X_OK } = constants;
  accessSync(directory, R_OK | W_OK | X_OK);
  for (const name of readdirSync(directory)) {
    if (name.startsWith(fileName) && !isDraft(name) && !isLock(name)) {
      accessSync(join(directory, name), R_OK | W_OK);
    }
  }
}

/** Creates a database that has its name when it is complete: an empty file is never a new one. */
function createDatabase(directory: string, file: string, busyTimeoutMs: number) {
  const draft = startDraft(file, busyTimeoutMs);
  try {
    if (existsSync(file)) return; // another process has created it meanwhile
    assertNoDatabase(directory);
    const connection = new DatabaseSync(draft.path);
    connection.exec('pragma journal_mode = wal');
    connection.close();
    giveToOwnerOfFolder(draft.path);
    draft.publish();
  } catch (error) {
    rmSync(draft.path, { force: true }); // it has no data
    throw error;
  } finally {
    draft.end();
  }
}

/** Throws if the database seems to have lost its name: a start must not hide its data. */
function assertNoDatabase(directory: string) {
  const isData = (name: string) =>
    name.endsWith('.sqlite') || (name.startsWith(fileName) && !isLock(name));
  const names = readdirSync(directory).filter(isData);
  if (names.length === 0) return;
  throw new Error(
    `there is no ${fileName}, but ${names.join(', ')}: restore one with restore.ts, ` +
      'or move all of them to another folder to start without data',
  );
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

/** Makes a copy a single file that can be read-only. Throws if it is damaged. */
export function checkCopy(file: string) {
  using copy = new DatabaseSync(file);
  copy.exec('pragma journal_mode = delete');
  assertIntact(copy, 'pragma integrity_check(1)');
}

export function assertIntact(connection: DatabaseSync, check: string) {
  const result = Object.values(connection.prepare(check).get() ?? {}).at(-1) ?? 'ok';
  if (result === 'ok') return;
  const details = String(result).replaceAll('\n', ' ');
  throw new Error(`the database is damaged, restore a backup (${details})`);
}
