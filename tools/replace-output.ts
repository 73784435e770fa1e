import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Plugin } from 'vite';

/** In the output folder, because a file can be renamed only within a file system. */
const stagingFolder = '.new';

/**
 * Builds into a hidden folder and replaces the files of the output folder when they are complete.
 * A server that starts, or a web server that serves the folder, always finds a complete version.
 */
export function replaceOutput(): Plugin {
  let outDir = '';
  let emptiesOutDir: boolean | null | undefined;
  return {
    name: 'replace-output',
    apply: 'build',
    config({ build = {} }) {
      emptiesOutDir = build.emptyOutDir;
      const staging = join(build.outDir ?? 'dist', stagingFolder);
      return { build: { outDir: staging, emptyOutDir: true } };
    },
    configResolved({ root, build }) {
      outDir = dirname(resolve(root, build.outDir));
      emptiesOutDir ??= outDir.startsWith(join(root, '/')); // as Vite does
    },
    writeBundle: {
      order: 'post', // after the compressed files
      sequential: true,
      async handler({ dir = '' }) {
        const names = filesOf(dir);
        for (const name of names) {
          await mkdir(dirname(join(outDir, name)), { recursive: true });
          renameSync(join(dir, name), join(outDir, name));
        }
        const isOld = (name: string) => !names.includes(name) && !/^\.git\b/.test(name);
        const old = emptiesOutDir ? filesOf(outDir).filter(isOld) : [];
        for (const name of old) rmSync(join(outDir, name));
        rmSync(dir, { recursive: true });
      },
    },
  };
}

/** Returns the paths of all files in a folder: those in folders first, index.html last. */
function filesOf(folder: string): string[] {
  const depth = (name: string) => (name === 'index.html' ? 0 : name.split(/[/\\]/).length);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile() && !name.startsWith(stagingFolder))
    .toSorted((a, b) => depth(b) - depth(a));
}
