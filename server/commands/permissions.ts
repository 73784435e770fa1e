import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';

/**
 * Returns what an error of the file system says about permissions: the file with its owner and
 * mode, and the user of this process. Returns undefined for another error.
 */
export function describePermissionError(error: NodeJS.ErrnoException): string | undefined {
  const { code = '', path } = error;
  if (!path || !['EACCES', 'EPERM', 'EROFS'].includes(code)) return undefined;
  const existing = nearestExisting(path);
  if (code === 'EROFS') return `${existing.path} is on a read-only file system`;
  const mode = (existing.mode & 0o7777).toString(8).padStart(4, '0');
  return (
    `${existing.path} belongs to ${userName(existing.uid)} with mode ${mode}, but this process ` +
    `runs as ${userName(process.getuid?.())}, who must be allowed to read and write it`
  );
}

/** Returns the file, or the folder around it that hides it or lacks it. */
function nearestExisting(path: string): { path: string; uid: number; mode: number } {
  try {
    const { uid, mode } = statSync(path);
    return { path, uid, mode };
  } catch {
    return nearestExisting(dirname(path));
  }
}

function userName(uid: number | undefined): string {
  try {
    const user = userInfo();
    if (user.uid === uid) return `${user.username} (uid ${uid})`;
  } catch {
    // The user of this process has no name.
  }
  return uid === 0 ? 'root (uid 0)' : `uid ${uid}`;
}
