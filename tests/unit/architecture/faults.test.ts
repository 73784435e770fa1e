import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const titles = ['tests/model/responses.test.tsx', 'tests/model/processes/faults.test.ts']
  .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/^test\('(.+?)(?: \[[^\]]+\])?', /gm)])
  .map(([, title]) => title!);

const named = readFileSync('docs/faults.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (fault|---) /.test(line))
  .map((line) => line.split(' | ').at(-1)!.replace(/ \|$/, '').split('; '));

test('every row of the table of faults names tests that exist, and every such test is named', () => {
  const unheld = named.filter((names) => names.some((name) => !titles.some(matching(name))));
  expect(unheld).toEqual([]);
  const unnamed = titles.filter((title) => !named.flat().some((name) => matching(name)(title)));
  expect(unnamed).toEqual([]);
  expect(named.length).toBeGreaterThan(15);
});

/** A name in the table leaves out what "…" stands for. */
const matching = (name: string) => (title: string) =>
  new RegExp(`^${name.split('…').map(escaped).join('.*')}$`).test(title);

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
