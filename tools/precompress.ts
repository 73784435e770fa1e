import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

/** Compresses the texts of a build, so that no request pays for the best compression. */
export const precompress = (): Plugin => ({
  name: 'precompress',
  apply: 'build',
  writeBundle: ({ dir = '' }, bundle) => compressTexts(dir, Object.keys(bundle)),
});

/**
 * Writes a `.br` and a `.gz` beside each text file of these. Web servers that support precompressed
 * files find them by name.
 */
export async function compressTexts(folder: string, names: string[]) {
  const texts = names.filter((name) => /\.(css|html|js)$/.test(name));
  await Promise.all(
    texts.map(async (name) => {
      const path = join(folder, name);
      const text = await readFile(path);
      await writeFile(`${path}.br`, await promisify(brotliCompress)(text));
      await writeFile(`${path}.gz`, await promisify(gzip)(text, { level: 9 }));
    }),
  );
}
