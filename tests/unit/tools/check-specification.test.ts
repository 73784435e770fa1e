import { expect, test } from 'vitest';
import { statementProblems } from '../../../tools/check-specification.ts';
import { testNames } from '../../../tools/statements.ts';

const page = `
Tests carry ids like \`[ONE-1]\`.

- **ONE-1** The first statement.
- **ONE-2** The second statement.
`;

const problemsOf = (source: string) => statementProblems(page, testNames('a.test.ts', source));

// "ONE-" is inserted below, otherwise the check would read these ids as this file's own.
const carriers = [
  ['a test', `test('[1, 2] both', () => {});`],
  ['a group and its test', `describe('[1] a group', () => { it("[2] a test", f); });`],
  ['rows of a table', `test.each([['[1] a'], ['[2] b']])('%s', f);`],
  ['rows of a named table', `const rows = [['[1] a'], ['[2] b']];\ntest.each(rows)('%s', f);`],
  [
    'computed rows',
    `const rows = { '[1] a': 1, '[2] b': 2 }; test.for(Object.keys(rows))('%s', f);`,
  ],
  ['a template literal', 'test(`[1] ${name} is so [2]`, f);'],
];

test.each(carriers)('%s carries statements', (_, source = '') => {
  expect(problemsOf(source.replaceAll(/\b(?=[12]\b[,\]])/g, 'ONE-'))).toEqual([]);
});

test('reports a statement that no test carries', () => {
  expect(problemsOf(`test('[ONE-1] so', f);`)).toEqual(['no test carries ONE-2']);
});

test('ignores comments, other strings and skipped tests', () => {
  expect(
    problemsOf(`
      // test('[ONE-1]')
      expect('[ONE-1]').toBe('[ONE-2]');
      test('[ONE-1] so', () => { call('[ONE-2]'); });
      test.skip('[ONE-2] later', f);
      describe.todo('[ONE-2] later', () => { test('[ONE-2] later', f); });
    `),
  ).toEqual(['no test carries ONE-2']);
});

test('reports an id without a statement, with its location', () => {
  expect(problemsOf(`test('[ONE-1, ONE-2]', f);\ntest('[ONE-3] so', f);`)).toEqual([
    'a.test.ts:2: unknown statement ONE-3',
  ]);
});

test('reports a malformed list of ids, and ignores other brackets', () => {
  expect(problemsOf(`test('[ONE-1, ONE-2] [] [a, b] [1]', f);`)).toEqual([]);
  expect(problemsOf(`test('[ONE-1, ONE-2] [ONE-1 and ONE-2]', f);`)).toEqual([
    'a.test.ts:1: "[ONE-1 and ONE-2]" is not a list of ids',
  ]);
});

test('reports a repeated id, and a statement without one', () => {
  const names = testNames('a.test.ts', `test('[ONE-1]', f);`);
  expect(statementProblems('- **ONE-1** First.\n- **ONE-1** Second.', names)).toEqual([
    'ONE-1 is the id of two statements',
  ]);
  expect(statementProblems('- **ONE-1** First.\n- **ONE** Second.', names)).toEqual([
    'not a statement with an id: - **ONE** Second.',
  ]);
});
