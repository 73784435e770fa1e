import { expect, test } from 'vitest';
import { problems, testNames } from '../../../tools/check-specification.ts';

const page = `
Tests carry ids like \`[ONE-1]\`.

- **ONE-1** Something is so.
- **ONE-2** Something else is so.
`;

const inTests = (source: string) => problems(page, testNames('a.test.ts', source));

test('a statement is carried by a test, a group, or a row of a table', () => {
  expect(inTests(`test('[ONE-1, ONE-2] both are so', () => {});`)).toEqual([]);
  expect(inTests(`describe('[ONE-1] a group', () => { it("[ONE-2] a test", f); });`)).toEqual([]);
  expect(inTests(`test.each([['[ONE-1] a'], ['[ONE-2] b']])('%s', f);`)).toEqual([]);
});

test('in a name that is put together, what is written down counts', () => {
  expect(inTests('test(`[ONE-1] ${what} is so [ONE-2]`, f);')).toEqual([]);
});

test('a statement that no test carries is told', () => {
  expect(inTests(`test('[ONE-1] so', f);`)).toEqual(['ONE-2 is carried by no test']);
});

test('comments, other strings and skipped tests carry nothing', () => {
  expect(
    inTests(`
      // test('[ONE-1]')
      expect('[ONE-1]').toBe('[ONE-2]');
      test('[ONE-1] so', () => { call('[ONE-2]'); });
      test.skip('[ONE-2] later', f);
      describe.todo('[ONE-2] later', () => { test('[ONE-2] later', f); });
    `),
  ).toEqual(['ONE-2 is carried by no test']);
});

test('an id that no statement has is told with its place', () => {
  expect(inTests(`test('[ONE-1, ONE-2]', f);\ntest('[ONE-3] so', f);`)).toEqual([
    'a.test.ts:2: no statement has the id ONE-3',
  ]);
});

test('a list of ids that is none is told, other brackets are left alone', () => {
  expect(inTests(`test('[ONE-1, ONE-2] [] [a, b] [1]', f);`)).toEqual([]);
  expect(inTests(`test('[ONE-1, ONE-2] [ONE-1 and ONE-2]', f);`)).toEqual([
    'a.test.ts:1: "[ONE-1 and ONE-2]" is no list of ids',
  ]);
});

test('an id belongs to one statement, and each statement has one', () => {
  const names = [{ name: '[ONE-1]', at: 'a.test.ts:1' }];
  expect(problems('- **ONE-1** So.\n- **ONE-1** So too.', names)).toEqual([
    'ONE-1 is the id of two statements',
  ]);
  expect(problems('- **ONE-1** So.\n- **ONE** So too.', names)).toEqual([
    'not a statement with an id: - **ONE** So too.',
  ]);
});
