import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const titles = ['tests/model/responses.test.tsx', 'tests/model/processes/faults.test.ts']
  .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/^test\('(.+?)(?: \[[^\]]+\])?', /gm)])
  .map(([, title]) => title!);

/** For each row of the table, the titles in its last column. "…" stands for any text. */
const rows = readFileSync('docs/faults.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (fault|---) /.test(line))
  .map((line) => line.split(' | ').at(-1)!.replace(/ \|$/, '').split('; '));

test('docs/faults.md names existing tests in every row, and names every test', () => {
  const rowsOfMissingTests = rows.filter((row) =>
    row.some((pattern) => !titles.some(matching(pattern))),
  );
  expect(rowsOfMissingTests).toEqual([]);
  const unlisted = titles.filter((title) => !rows.flat().some((row) => matching(row)(title)));
  expect(unlisted).toEqual([]);
  expect(rows.length).toBeGreaterThan(15);
});

const matching = (pattern: string) => (title: string) =>
  new RegExp(`^${pattern.split('…').map(escaped).join('.*')}$`).test(title);

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
