import { expect, test } from 'vitest';
import { statementProblems, testNames } from '../../../tools/check-specification.ts';

const page = `
Tests carry ids like \`[ONE-1]\`.

- **ONE-1** The first statement.
- **ONE-2** The second statement.
`;

const problemsOf = (source: string) => statementProblems(page, testNames('a.test.ts', source));

// Not inline in test.each, where the check would read these ids as this file's own.
const carriers = [
  ['a test', `test('[ONE-1, ONE-2] both', () => {});`],
  ['a group and its test', `describe('[ONE-1] a group', () => { it("[ONE-2] a test", f); });`],
  ['rows of a table', `test.each([['[ONE-1] a'], ['[ONE-2] b']])('%s', f);`],
  ['a template literal', 'test(`[ONE-1] ${name} is so [ONE-2]`, f);'],
];

test.each(carriers)('%s carries statements', (_, source = '') => {
  expect(problemsOf(source)).toEqual([]);
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
  const names = [{ name: '[ONE-1]', location: 'a.test.ts:1' }];
  expect(statementProblems('- **ONE-1** First.\n- **ONE-1** Second.', names)).toEqual([
    'ONE-1 is the id of two statements',
  ]);
  expect(statementProblems('- **ONE-1** First.\n- **ONE** Second.', names)).toEqual([
    'not a statement with an id: - **ONE** Second.',
  ]);
});
