import { randomUUID } from 'node:crypto';
import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from './sqlite-errors.ts';

/** Of a file, and of those that SQLite creates beside it. */
export const fileSuffixes = ['', '-journal', '-wal', '-shm'];
const draftSuffix = '.partial';
const lockSuffix = '.partial-lock';
/** The disk failed or is full. Any other error says that the file system cannot sync a folder. */
const diskErrorCodes = ['EIO', 'ENOSPC', 'EDQUOT'];

/** Drafts of this process. */
const drafts = new Set<{ end: () => void }>();

/** A complete file gets its name from its draft. */
export const draftOf = (file: string) => file + draftSuffix;
export const isLock = (name: string) => name.endsWith(lockSuffix);

/**
 * Starts to write the draft of a file. A crash leaves one that `removeAbandonedDrafts` deletes.
 * Throws if another process writes it.
 */
export function startDraft(file: string) {
  const path = draftOf(file);
  if (existsSync(path)) throw new Error(`${path} exists: move it away`);
  const lock = lockFile(file);
  let isComplete = false;
  const draft = {
    path,
    /** Gives the complete draft its name. Throws and returns what `publishDraft` does. */
    publish() {
      sync(path, 'r+');
      isComplete = true;
      return publishDraft(file);
    },
    /** Deletes an incomplete draft. A complete one that could not get its name stays. */
    end() {
      if (!drafts.delete(draft)) return;
      const suffixes = isComplete ? fileSuffixes.slice(1) : fileSuffixes;
      for (const suffix of suffixes) rmSync(path + suffix, { force: true });
      lock.release();
    },
  };
  drafts.add(draft);
  return draft;
}

/** A file is complete, but its name may not survive a power cut. */
export class UnsafeName extends Error {}

/**
 * Gives a complete and synced draft its name. Throws if the file exists. Returns the error of a
 * file system that cannot sync a folder: there, a power cut may remove the name.
 */
export function publishDraft(file: string): NodeJS.ErrnoException | undefined {
  const path = draftOf(file);
  try {
    rename(path, file);
    return syncFolder(dirname(file));
  } catch (error) {
    const kept = existsSync(path) ? path : file;
    const { message } = error as Error;
    throw new UnsafeName(`${message}. The complete file stays as ${kept}`, { cause: error });
  }
}

/** Renames a file. Throws if the new name exists, even if it was created at the same moment. */
function rename(path: string, newPath: string) {
  try {
    linkSync(path, newPath);
  } catch {
    // Either the name exists, or the file system has no hard links.
    if (existsSync(newPath)) throw new Error(`${newPath} exists`);
    return renameSync(path, newPath);
  }
  rmSync(path);
}

/** Ends all drafts of this process, because a signal ends it. */
export function endDrafts() {
  for (const draft of drafts) draft.end();
}

/** Deletes the drafts in a folder whose process was killed. */
export function removeAbandonedDrafts(folder: string) {
  for (const name of readdirSync(folder)) {
    if (!isLock(name)) continue;
    const file = join(folder, name.slice(0, -lockSuffix.length));
    try {
      const lock = lockFile(file);
      for (const suffix of fileSuffixes) rmSync(draftOf(file) + suffix, { force: true });
      lock.release();
    } catch {
      // A live process writes it, or it belongs to another user.
    }
  }
}

/**
 * Locks the name of a file that is created, until `release` is called or the process
 * ends. Waits for another process, for `waitMs` at most.
 */
export function lockFile(file: string, waitMs = 0) {
  // SQLite, which creates the lock, would not say what is wrong.
  accessSync(dirname(file), constants.R_OK | constants.W_OK | constants.X_OK);
  const path = file + lockSuffix;
  for (;;) {
    try {
      new DatabaseSync(path).close();
    } catch (error) {
      accessSync(path, constants.R_OK | constants.W_OK); // SQLite does not say what is missing
      throw error;
    }
    giveToOwnerOfFolder(path);
    const identity = identityOf(path);
    const connection = new DatabaseSync(path, { timeout: waitMs });
    try {
      connection.exec('pragma journal_mode = memory; begin exclusive');
    } catch (error) {
      connection.close();
      if (!isBusy(error)) throw error;
      const problem = hasLocks(dirname(file))
        ? `another process writes ${file}`
        : `the file system of ${dirname(file)} has no locks, use a local disk`;
      throw new Error(problem, { cause: error });
    }
    const release = () => {
      // While it is locked: afterwards it may be another process's. Windows deletes no open file.
      if (process.platform === 'win32') connection.close();
      rmSync(path, { force: true });
      if (connection.isOpen) connection.close();
    };
    // Otherwise the former holder has deleted it meanwhile.
    if (identity !== undefined && identityOf(path) === identity) return { release };
    connection.close();
  }
}

/** Returns false for a file system on which even a new file is locked. */
function hasLocks(folder: string): boolean {
  const path = join(folder, randomUUID() + lockSuffix);
  try {
    using connection = new DatabaseSync(path);
    connection.exec('begin exclusive');
    return true;
  } catch {
    return false;
  } finally {
    rmSync(path, { force: true });
  }
}

/** Returns whether a folder has no space left for this user. SQLite has other errors for that. */
export function isDiskFull(folder: string): boolean {
  const path = join(folder, randomUUID() + lockSuffix);
  try {
    writeFileSync(path, Buffer.alloc(65_536));
    return false;
  } catch (error) {
    return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
  } finally {
    rmSync(path, { force: true });
  }
}

/** Identifies a file, whatever its name. Undefined if it is missing. */
export function identityOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

/**
 * Makes the owner of its folder the owner of a file, if root runs this process: the server does not
 * run as root.
 */
export function giveToOwnerOfFolder(file: string) {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(file));
  try {
    chownSync(file, uid, gid);
  } catch {
    // There are no owners on this file system, or this root may not change them.
  }
}

function sync(path: string, flags: 'r' | 'r+') {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Syncs the names in a folder. Returns the error of a file system that cannot. */
export function syncFolder(folder: string): NodeJS.ErrnoException | undefined {
  try {
    sync(folder, 'r');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (diskErrorCodes.includes(code)) throw error;
    return error as NodeJS.ErrnoException;
  }
  return undefined;
}

/** Creates a folder that only its owner can read, unless it exists. */
export function makeFolder(path: string) {
  if (existsSync(path)) return;
  try {
    mkdirSync(path, { mode: 0o700 });
    syncFolder(dirname(path));
  } catch (error) {
    // Another process may create it at the same moment.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
