import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { hashSources } from '../../tools/built-app.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'built-app-'));
  file = join(folder, 'src/screens/home.tsx');
  mkdirSync(join(folder, 'src/screens'), { recursive: true });
  writeFileSync(file, 'one');
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

test.each([
  ['edited', () => writeFileSync(file, 'two')],
  ['added', () => writeFileSync(join(folder, 'index.html'), '')],
  ['removed', () => rmSync(file)],
])('a build is stale when a source was %s', (_change, change) => {
  const before = hashSources(folder);
  change();
  expect(hashSources(folder)).not.toBe(before);
});

test.each([
  ['a source has a new date', () => utimesSync(file, 1, 1)],
  ['another file was added', () => writeFileSync(join(folder, 'README.md'), '')],
])('a build is not stale when %s', (_change, change) => {
  const before = hashSources(folder);
  change();
  expect(hashSources(folder)).toBe(before);
});
