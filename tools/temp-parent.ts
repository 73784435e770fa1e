import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';

const minFreeBytes = 2 ** 31;

/**
 * Returns the parent for temporary folders: in memory where there is room, otherwise on disk.
 * Databases sync every write, and test data need not survive a power cut.
 */
export async function findTempParent(): Promise<string> {
  const inMemory = '/dev/shm';
  const stats = await statfs(inMemory).catch(() => undefined);
  return stats && stats.bavail * stats.bsize > minFreeBytes ? inMemory : tmpdir();
}
