import { expect, test } from 'vitest';
import { statementProblems } from '../../tools/check-specification.ts';
import { referencesIn } from '../../tools/statements.ts';

const page = `
- **ONE-1** The first statement.
- **ONE-2** The second statement.
`;

const problemsOf = (source: string) =>
  statementProblems(page, referencesIn('a.test.ts', source.replaceAll('<', '[')));

// "<" stands for the bracket, otherwise the check would read these ids as this file's own.
test.each([
  ['a test', `test('<ONE-1, ONE-2] both', () => {});`],
  ['a group and its test', `describe('<ONE-1] a group', () => { it("<ONE-2] a test", f); });`],
  ['rows of a table', `test.each([\n['<ONE-1] a'],\n['<ONE-2] b']])('%s', f);`],
  ['a template literal', 'test(`<ONE-1] ${name} is so <ONE-2]`, f);'],
])('%s carries statements', (_, source) => {
  expect(problemsOf(source)).toEqual([]);
});

test('reports a statement that no test carries', () => {
  expect(problemsOf(`test('<ONE-1] so', f);`)).toEqual(['no test carries ONE-2']);
});

test('ignores comments and skipped tests', () => {
  expect(
    problemsOf(`
      // test('<ONE-2]')
      test('<ONE-1] so', f);
      test.skip('<ONE-2] later', f);
    `),
  ).toEqual(['no test carries ONE-2']);
});

test('reports an id without a statement, with its location', () => {
  expect(problemsOf(`test('<ONE-1, ONE-2]', f);\ntest('<ONE-3] so', f);`)).toEqual([
    'a.test.ts:2: unknown statement ONE-3',
  ]);
});

test('reports a malformed list of ids, and ignores other brackets', () => {
  expect(problemsOf(`test('<ONE-1, ONE-2] [] [a, b] [1]', f);`)).toEqual([]);
  expect(problemsOf(`test('<ONE-1, ONE-2] <ONE-1 and ONE-2]', f);`)).toEqual([
    expect.stringMatching(/^a\.test\.ts:1: ".ONE-1 and ONE-2]" is not a list of ids$/),
  ]);
});

test('reports a repeated id, and a statement without one', () => {
  const names = referencesIn('a.test.ts', `test('<ONE-1]', f);`.replace('<', '['));
  expect(statementProblems('- **ONE-1** First.\n- **ONE-1** Second.', names)).toEqual([
    'ONE-1 is the id of two statements',
  ]);
  expect(statementProblems('- **ONE-1** First.\n- **ONE** Second.', names)).toEqual([
    'not a statement with an id: - **ONE** Second.',
  ]);
});
