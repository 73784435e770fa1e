import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { root } from '../tools/run.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** What a checkout does not have. */
const leftOut = ['.git', 'node_modules', 'data', 'dist', 'out', '.cache'];

/** Copies the project, so that a test can edit it. By default, the test removes the copy. */
export function copyProject(cleanUp: (remove: () => void) => void = onTestFinished) {
  const folder = temporaryFolder(cleanUp);
  const filter = (path: string) => !leftOut.includes(basename(path));
  cpSync(root, folder, { recursive: true, filter });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    /** Throws if the change has no effect. */
    edit: (file: string, change: (source: string) => string) => {
      const path = join(folder, file);
      const before = readFileSync(path, 'utf8');
      const after = change(before);
      if (after === before) throw new Error(`The edit of ${file} changes nothing.`);
      writeFileSync(path, after);
    },
  };
}
