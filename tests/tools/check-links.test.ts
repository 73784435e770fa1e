import { expect, test } from 'vitest';
import { problemsIn } from '../../tools/check-links.ts';

const files: { [path: string]: string } = {
  'docs/page.md': '# The `first` heading: a [link](x)!\n\n<a id="mark"></a>\n',
  'docs/other.md': '',
  docs: '',
  'tools/run.ts': '# no heading',
};

const problemsOf = (source: string, file = 'docs/other.md') =>
  problemsIn(file, source, {
    read: (path) => files[path],
    scripts: ['check', 'bench:app', 'node'],
  });

test('accepts links to files, folders and headings, and to other sites', () => {
  const links = [
    'page.md',
    '../docs/page.md#mark',
    '../tools/run.ts',
    '../docs',
    'https://x.test/a',
  ];
  expect(links.flatMap((link) => problemsOf(`a [b](${link})`))).toEqual([]);
  expect(problemsOf('[b](page.md#the-first-heading-a-link)')).toEqual([]);
  expect(problemsOf('# Here\n\n[b](#here)')).toEqual([
    'docs/other.md:3: docs/other.md has no heading for #here',
  ]);
});

test('reports a link to a missing file or heading, with its line', () => {
  expect(problemsOf('\n[b](none.md)')).toEqual([
    'docs/other.md:2: the link none.md leads to no file',
  ]);
  expect(problemsOf('[b](page.md#first)')).toEqual([
    'docs/other.md:1: docs/page.md has no heading for #first',
  ]);
});

test('reports a path of the project that does not exist, except in documents about others', () => {
  expect(problemsOf('`tools/run.ts` `tools/gone.ts` `/api/v1` `a/b.ts`')).toEqual([
    'docs/other.md:1: there is no tools/gone.ts',
  ]);
  expect(problemsOf('`tools/run.ts a word` `tools/gone.ts a word`')).toEqual([
    'docs/other.md:1: there is no tools/gone.ts',
  ]);
  expect(problemsOf('`tests/out/report.html` and `src/*.ts`')).toEqual([]);
  expect(problemsOf('`tools/gone.ts`', 'CHANGELOG.md')).toEqual([]);
});

test('reports a command that runs a missing file, in every kind of file', () => {
  const file = '.github/workflows/a.yml';
  expect(problemsOf('npm run node -- tools/run.ts x && node tools/run.ts', file)).toEqual([]);
  expect(problemsOf('npm run node -- FILE && PORT=1 node server.mjs', file)).toEqual([]);
  for (const command of ['npm run node -- tools/gone.ts --help', 'node tools/gone.ts']) {
    expect(problemsOf(command, file)).toEqual([`${file}:1: there is no tools/gone.ts`]);
  }
});

test('reports a script that package.json does not have, in every kind of file', () => {
  expect(problemsOf('npm run check && npm run bench:app -- x', '.ci/run')).toEqual([]);
  expect(problemsOf('npm run test:NAME')).toEqual([]);
  expect(problemsOf('      - run: npm run bench', '.github/workflows/a.yml')).toEqual([
    '.github/workflows/a.yml:1: package.json has no script "bench"',
  ]);
});
