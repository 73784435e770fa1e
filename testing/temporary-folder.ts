import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Creates a folder. By default, the test removes it. */
export function temporaryFolder(cleanUp: (remove: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'tracker-app-'));
  // Tries again, because a process that was just stopped may still write.
  cleanUp(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}
