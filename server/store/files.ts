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
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Also those that SQLite creates beside a file. */
const draftSuffixes = ['', '-journal', '-wal', '-shm'];
const draftSuffix = '.partial';
const lockSuffix = '.partial-lock';
/** The disk failed or is full. Any other error says that the file system cannot sync a folder. */
const diskErrorCodes = ['EIO', 'ENOSPC', 'EDQUOT'];

const drafts = new Set<ReturnType<typeof startDraft>>();

export const draftOf = (file: string) => file + draftSuffix;
export const isDraft = (name: string) => /\.partial(-journal|-wal|-shm)?$/.test(name);
export const isLock = (name: string) => name.endsWith(lockSuffix);

/**
 * Starts a file that gets its name when it is complete. Waits for another process that writes the
 * same file, for `waitMs` at most. A crash leaves a draft that `removeAbandonedDrafts` deletes.
 */
export function startDraft(file: string, waitMs = 0) {
  const folder = dirname(file);
  // SQLite, which creates the lock, would not say what is wrong.
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  const lock = acquireLock(file + lockSuffix, waitMs);
  const path = draftOf(file);
  let isKept = false;
  const draft = {
    path,
    /**
     * Syncs the complete draft and gives it its name. Throws if the file exists. Returns the error
     * of a file system that cannot sync a folder: there, a power cut may remove the name.
     */
    publish(): NodeJS.ErrnoException | undefined {
      sync(path, 'r+');
      isKept = true;
      try {
        giveName(path, file);
        return syncFolder(folder);
      } catch (error) {
        const kept = existsSync(path) ? path : file;
        const { message } = error as Error;
        throw new Error(`${message}. The complete file stays as ${kept}`, { cause: error });
      }
    },
    /** Deletes an incomplete draft. A complete one that could not get its name stays. */
    end() {
      if (!drafts.delete(draft)) return;
      const suffixes = isKept ? draftSuffixes.slice(1) : draftSuffixes;
      for (const suffix of suffixes) rmSync(path + suffix, { force: true });
      lock.release();
    },
  };
  drafts.add(draft);
  return draft;
}

/** Renames a file. Throws if the new name exists, even if it was created at the same moment. */
function giveName(path: string, newPath: string) {
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
    const path = join(folder, name.slice(0, -lockSuffix.length) + draftSuffix);
    try {
      const lock = acquireLock(join(folder, name), 0);
      for (const suffix of draftSuffixes) rmSync(path + suffix, { force: true });
      lock.release();
    } catch {
      // A live process writes it, or it belongs to another user.
    }
  }
}

/** Locks a file that is created. SQLite's lock, because the system ends it with its process. */
function acquireLock(path: string, waitMs: number) {
  for (;;) {
    new DatabaseSync(path).close();
    const inode = inodeOf(path);
    const connection = new DatabaseSync(path, { timeout: waitMs });
    try {
      connection.exec('pragma journal_mode = memory; begin exclusive');
    } catch (error) {
      connection.close();
      throw new Error(`another process writes ${path.slice(0, -lockSuffix.length)}`, {
        cause: error,
      });
    }
    const release = () => {
      // While it is locked: afterwards it may be another process's. Windows deletes no open file.
      if (process.platform === 'win32') connection.close();
      rmSync(path, { force: true });
      if (connection.isOpen) connection.close();
    };
    // Otherwise the former holder has deleted it meanwhile.
    if (inode !== undefined && inodeOf(path) === inode) return { release };
    connection.close();
  }
}

/** Identifies a file, whatever its name. */
export const inodeOf = (path: string) =>
  statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;

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

/** Creates parents too. Node's `recursive` option never returns below /proc. */
export function makeFolder(path: string) {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
    syncFolder(dirname(path));
  } catch (error) {
    // Another process may create it at the same moment.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
