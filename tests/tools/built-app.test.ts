import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hashSources } from '../../tools/built-app.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

test('a build is stale when a source was edited, added or removed, not when another file was', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'src/screens/home.tsx');
  mkdirSync(join(folder, 'src/screens'), { recursive: true });
  const changes = [
    () => writeFileSync(file, 'one'),
    () => writeFileSync(file, 'two'),
    () => writeFileSync(join(folder, 'index.html'), ''),
    () => rmSync(file),
  ];
  const hashes = [() => {}, ...changes].map((change) => (change(), hashSources(folder)));
  expect(new Set(hashes).size).toBe(hashes.length);
  writeFileSync(join(folder, 'README.md'), '');
  utimesSync(join(folder, 'index.html'), 1, 1);
  expect(hashSources(folder)).toBe(hashes.at(-1));
});
