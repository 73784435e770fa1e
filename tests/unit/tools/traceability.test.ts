import { expect, test } from 'vitest';
import { referencesIn, statementsOf, testNames } from '../../../tools/statements.ts';
import { renderTraces, traceabilityPage, type Trace } from '../../../tools/traceability.ts';

const trace: Trace = {
  id: 'ONE-1',
  text: 'The first statement.',
  section: 'The first part',
  transitions: [],
  tests: [],
  kit: [],
};

test('lists the transitions, tests and checks of a statement, each test once', () => {
  const page = renderTraces([
    {
      ...trace,
      transitions: ['door: open'],
      tests: ['a.test.ts: b', 'a.test.ts: b'],
      kit: ['K-1'],
    },
  ]);
  expect(page.split('## The first part')[1]).toBe(`

- <a id="one-1"></a>**[ONE-1](../docs/specification.md#the-first-part)** The first statement.
  - transition in door: open
  - test in a.test.ts: b
  - kit: K-1
`);
});

test('counts the statements that the generated paths alone hold, and those that nothing holds', () => {
  const page = renderTraces([
    { ...trace, transitions: ['door: open'] },
    { ...trace, id: 'ONE-2' },
    { ...trace, id: 'ONE-3', tests: ['a.test.ts: b'] },
  ]);
  expect(page).toContain('| held by the generated paths alone | 1 | ONE-1 |');
  expect(page).toContain('| carried by nothing | 1 | ONE-2 |');
  expect(page.match(/ONE-2.*\n.*MISSING/)).not.toBeNull();
  expect(page.match(/MISSING/g)).toHaveLength(1);
});

test('reads the whole text of a statement, and the section that it is in', () => {
  expect(
    statementsOf('# A\n\n- **ONE-1** First\n  line.\n- no id\n\n## B\n\n- **TWO-1** Two.\n'),
  ).toEqual([
    { id: 'ONE-1', text: 'First line.', section: 'A' },
    { id: 'TWO-1', text: 'Two.', section: 'B' },
  ]);
});

test('gives a row of a table the title that the test has for it', () => {
  const titlesOf = (source: string) =>
    referencesIn(testNames('a.test.ts', source)).map(({ test: { title } }) => title);
  expect(titlesOf(`test.each([['[A-1] one'], ['two']])('shows %s', f)`)).toEqual([
    'shows [A-1] one',
  ]);
  expect(titlesOf(`test.each([['[A-1]']])('accepts a row', f)`)).toEqual(['accepts a row: [A-1]']);
  expect(titlesOf('test(`${name} is so [A-1]`, f)')).toEqual(['… is so [A-1]']);
});

test('finds the transitions, tests and checks of this project', async () => {
  const page = await traceabilityPage();
  const lines = page.split('<a id="auth-3"></a>')[1]!.split('\n- ')[0]!.split('\n');
  expect(lines).toContain(
    String.raw`  - transition in [auth](machines.md#auth): loggingIn → authenticated, done: login \[succeeded\]`,
  );
  expect(
    lines.some((line) => line.startsWith('  - test in [tests/unit/machines/auth.test.ts]')),
  ).toBe(true);
  expect(lines.at(-1) || lines.at(-2)).toMatch(/^ {2}- kit: .*\bSIGNIN-/);
});
