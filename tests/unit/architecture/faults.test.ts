import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const titlesOf = (files: string[], pattern: RegExp) =>
  files
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(pattern)])
    .map(([, title]) => title!);

const withIds = /'([^'\n]+) \[[A-Z]+-[^\]]+\]',/g;

const titles = [
  ...titlesOf(
    ['tests/model/responses.test.tsx', 'tests/model/processes/faults.test.ts'],
    /^test\('(.+?)(?: \[[^\]]+\])?', /gm,
  ),
  ...titlesOf(['tests/browser/network.test.ts'], withIds),
];
const otherTitles = titlesOf(['tests/browser/prerender.test.ts'], withIds);

/** For each row of the table, the titles in its last column. "…" stands for any text. */
const rows = readFileSync('docs/faults.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (fault|---) /.test(line))
  .map((line) => line.split(' | ').at(-1)!.replace(/ \|$/, '').split('; '));

test('docs/faults.md names existing tests in every row, and names every test', () => {
  const rowsOfMissingTests = rows.filter((row) =>
    row.some((pattern) => ![...titles, ...otherTitles].some(matching(pattern))),
  );
  expect(rowsOfMissingTests).toEqual([]);
  const unlisted = titles.filter((title) => !rows.flat().some((row) => matching(row)(title)));
  expect(unlisted).toEqual([]);
  expect(rows.length).toBeGreaterThan(15);
});

const matching = (pattern: string) => (title: string) =>
  new RegExp(`^${pattern.split('…').map(escaped).join('.*')}$`).test(title);

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
