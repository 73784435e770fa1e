import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  machineProblems,
  referencesIn,
  statementProblems,
} from '../../tools/check-specification.ts';

const page = `
- **ONE-1** The first statement.
- **ONE-2** The second statement.
`;

// "<" stands for the bracket, otherwise the check would read these ids as this file's own.
test.each<[title: string, source: string, problems: unknown[], page?: string]>([
  ['accepts a list of ids', `test('<ONE-1, ONE-2] [] [a, b] [1]', f);`, []],
  ['accepts ids in a table', `test.each([\n['<ONE-1] a'],\n['<ONE-2] b']])('%s', f);`, []],
  [
    'reports a statement without a test, and counts no comment and no skipped test',
    `// test('<ONE-2]')\ntest('<ONE-1] so', f);\ntest.skip('<ONE-2] later', f);\ntest.todo('<ONE-2] some day');`,
    ['docs/specification.md:3: no test carries ONE-2'],
  ],
  [
    'reports an id without a statement',
    `test('<ONE-1, ONE-2]', f);\ntest('<ONE-3] so', f);`,
    ['a.test.ts:2: unknown statement ONE-3'],
  ],
  [
    'reports a malformed list of ids',
    `test('<ONE-1, ONE-2] <ONE-1 and ONE-2]', f);`,
    [expect.stringMatching(/^a\.test\.ts:1: ".ONE-1 and ONE-2]" is not a list of ids$/)],
  ],
  [
    'reports a repeated id, and a statement without one',
    `test('<ONE-1]', f);`,
    ['ONE-1 is the id of two statements', 'not a statement with an id: - **ONE** Third.'],
    '- **ONE-1** First.\n- **ONE-1** Second.\n- **ONE** Third.',
  ],
  [
    'reports a retired id that is used again',
    `test('<ONE-1]', f);`,
    ['ONE-1 is the id of two statements'],
    '- **ONE-1** First.\n- ONE-1: what it was about.',
  ],
  [
    'reports a test of a retired statement',
    `test('<ONE-1, ONE-2]', f);`,
    ['a.test.ts:1: unknown statement ONE-2'],
    '- **ONE-1** First.\n- ONE-2: what it was about.',
  ],
])('%s', (_, source, problems, statements = page) => {
  const references = referencesIn('a.test.ts', source.replaceAll('<', '['));
  expect(statementProblems(statements, references)).toEqual(problems);
});

test('reports each transition of a retired statement', () => {
  const specification = readFileSync('docs/specification.md', 'utf8');
  const retired = specification.replace('- **CONST-8** ', '- CONST-8: ');
  const [first] = machineProblems(retired);
  expect(first).toMatch(/^machine projects, \S+, .*: unknown statement CONST-8$/);
  expect(machineProblems(specification)).toEqual([]);
});
