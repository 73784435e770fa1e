import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { compressTexts } from '../../tools/precompress.ts';

test('each text of a build stands compressed beside it', async () => {
  const dir = temporaryFolder();
  const texts = ['app.css', 'app.js', 'index.html'];
  const names = [...texts, 'font.woff2'];
  for (const name of names) writeFileSync(join(dir, name), `the text of ${name}`);
  await compressTexts(dir, names);
  const compressed = texts.flatMap((name) => [`${name}.br`, `${name}.gz`]);
  expect(readdirSync(dir).toSorted()).toEqual([...names, ...compressed].toSorted());
  for (const name of compressed) {
    const bytes = readFileSync(join(dir, name));
    const text = (name.endsWith('.br') ? brotliDecompressSync : gunzipSync)(bytes);
    expect(String(text)).toBe(`the text of ${name.slice(0, -3)}`);
  }
});
