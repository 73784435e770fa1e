import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';

/**
 * A folder for what is kept for a moment: in memory where a system has room for files there, since databases sync each write, and
 * here nothing has to outlive the power.
 */
export async function findTempFolder(): Promise<string> {
  const inMemory = '/dev/shm';
  const there = await statfs(inMemory).catch(() => undefined);
  return there && there.bavail * there.bsize > 2 ** 31 ? inMemory : tmpdir();
}
