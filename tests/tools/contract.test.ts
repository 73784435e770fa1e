import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { UsageError } from '../../server/usage-error.ts';
import { dereferencedContract } from '../../tools/contract.ts';
import { contractPath } from '../../tools/contract-source.ts';
import { contractProblems } from '../../tools/lint-contract.ts';
import { errorLines, root } from '../../tools/run.ts';

const contract = readFileSync(contractPath, 'utf8');

/** Replaces the first `correct` by `wrong`. The mistake is reported where `at` begins. */
type Mistake = { correct: string; wrong: string; at: string; sentence: string };

test.each<[string, Mistake]>([
  [
    'a colon in a text without quotes',
    {
      correct: 'summary: Sign in\n',
      wrong: 'summary: Sign: in\n',
      at: ': in',
      sentence: 'bad indentation of a mapping entry.',
    },
  ],
  [
    'a tab',
    {
      correct: '      operationId: login',
      wrong: '\toperationId: login',
      at: '\toperationId',
      sentence: 'tab characters must not be used in indentation.',
    },
  ],
  [
    'a repeated key',
    {
      correct: "        '400':\n",
      wrong: "        '200':\n",
      at: "'200':",
      sentence: 'duplicated mapping key.',
    },
  ],
  [
    'a $ref without target',
    {
      correct: "- $ref: '#/components/parameters/XsrfToken'",
      wrong: "- $ref: '#/components/parameters/Xsrf'",
      at: '$ref:',
      sentence: '$ref points to #/components/parameters/Xsrf, which does not exist.',
    },
  ],
  [
    'a $ref to a missing file',
    {
      correct: "- $ref: '#/components/parameters/XsrfToken'",
      wrong: "- $ref: 'missing.yaml#/XsrfToken'",
      at: '$ref:',
      sentence: '$ref points to missing.yaml#/XsrfToken, which does not exist.',
    },
  ],
  [
    'a schema that contains itself',
    {
      correct: '    Project:\n      type: object\n',
      wrong: "    Project:\n      not:\n        $ref: '#/components/schemas/Project'\n",
      at: '$ref:',
      sentence: 'a $ref must not lead back to itself.',
    },
  ],
  [
    'a $ref to itself',
    {
      correct: '    Project:\n      type: object\n',
      wrong: "    Project:\n      $ref: '#/components/schemas/Project'\n",
      at: '$ref:',
      sentence: 'a $ref must not lead back to itself.',
    },
  ],
  [
    'a $ref without quotes',
    {
      correct: "- $ref: '#/components/parameters/XsrfToken'",
      wrong: '- $ref: #/components/parameters/XsrfToken',
      at: '$ref:',
      sentence: "a $ref must be quoted text, like '#/components/schemas/Error'.",
    },
  ],
  [
    'a $ref with a wrong percent code',
    {
      correct: "- $ref: '#/components/parameters/XsrfToken'",
      wrong: "- $ref: '#/components/%ZZ'",
      at: "$ref: '#/components/%ZZ",
      sentence: "a $ref must be quoted text, like '#/components/schemas/Error'.",
    },
  ],
  [
    'a second document',
    {
      correct: '\ncomponents:',
      wrong: '\n---\ncomponents:',
      at: '---',
      sentence: 'expected a single document in the stream, but found more.',
    },
  ],
  [
    'a contract without paths',
    {
      correct: contract,
      wrong: 'openapi: 3.1.0\n',
      at: 'openapi',
      sentence: 'the contract must have the key "paths".',
    },
  ],
  [
    'a call without summary',
    {
      correct: 'post:\n      operationId: login\n      tags: [Accounts]\n      summary: Sign in\n',
      wrong: 'post:\n      operationId: login\n      tags: [Accounts]\n',
      at: 'post:',
      sentence: 'Operation object should contain `summary` field.',
    },
  ],
  [
    'an unknown key',
    {
      correct: '      requestBody:\n',
      wrong: '      requestBdy:\n',
      at: 'requestBdy',
      sentence: 'Property `requestBdy` is not expected here.',
    },
  ],
  [
    'a repeated operationId',
    {
      correct: 'operationId: registerUser',
      wrong: 'operationId: login',
      at: 'operationId',
      sentence: 'Every operation must have a unique `operationId`.',
    },
  ],
  [
    'a missing version',
    {
      correct: 'openapi: 3.1.0\n',
      wrong: '\n',
      at: '\n',
      sentence: 'the contract must start with "openapi: 3.1.0".',
    },
  ],
])('%s in the contract is one sentence with line and column', async (_case, mistake) => {
  const { path, position } = writeMistake(mistake);
  const sentence = `${relative(root, path)}:${position}: ${mistake.sentence}`;
  for (const read of [dereferencedContract, contractProblems]) {
    const error: unknown = await read(path).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect(errorLines(error)).toEqual([sentence]);
  }
});

test.each<[string, Mistake]>([
  [
    'an example that does not match its schema',
    {
      correct: 'value: { role: member }',
      wrong: 'value: { role: 7 }',
      at: '7',
      sentence: 'the example does not match its schema: it must be string.',
    },
  ],
  [
    'a broken pattern',
    {
      correct: "pattern: '^[^",
      wrong: "pattern: '^[^]",
      at: "'^[^]",
      sentence: 'the pattern is not a regular expression.',
    },
  ],
  [
    'an unknown format',
    {
      correct: 'format: email',
      wrong: 'format: mail',
      at: 'mail',
      sentence: 'the format mail does not exist.',
    },
  ],
  [
    'a body that is not JSON',
    {
      correct: 'application/json:\n              schema:\n                $ref: ',
      wrong: 'text/xml:\n              schema:\n                $ref: ',
      at: 'schema:',
      sentence: 'bodies must be application/json, and this one is text/xml.',
    },
  ],
  [
    'an error response without a named example',
    {
      correct: `          examples:
            notSignedIn:
              summary: Not signed in
              value: { message: Please sign in to work with projects. }
`,
      wrong: '          # no examples\n',
      at: "$ref: '#/components/responses/NotSignedIn'",
      sentence: 'the response 401 of listProjects has no named example.',
    },
  ],
])('%s is one sentence with line and column', async (_case, mistake) => {
  const { path } = writeMistake(mistake);
  const problems = await contractProblems(path);
  const lines = readFileSync(path, 'utf8').split('\n');
  const [, line, column, sentence] = /^.+:(\d+):(\d+): (.+)$/.exec(problems[0]!)!;
  expect(sentence).toBe(mistake.sentence);
  expect(lines[Number(line) - 1]!.slice(Number(column) - 1)).toContain(mistake.at);
});

test('a refusal that no example is named after is reported with its name', async () => {
  const { path } = writeMistake({ correct: 'emailTaken:', wrong: 'emailKnown:' });
  expect(await contractProblems(path)).toEqual([
    'openapi.yaml has no example named emailTaken, which server/refusal.ts lists.',
  ]);
});

test('a missing contract is one sentence', async () => {
  await expect(dereferencedContract(join(tmpdir(), 'missing.yaml'))).rejects.toThrow(
    /^Cannot read .*missing\.yaml\.$/,
  );
});

test('the contract of this project has no problems', async () => {
  expect(await contractProblems()).toEqual([]);
});

/** Writes the contract with a mistake to a file. Returns line and column of `at`. */
function writeMistake({
  correct,
  wrong,
  at = wrong,
}: Pick<Mistake, 'correct' | 'wrong'> & { at?: string }) {
  const start = contract.indexOf(correct);
  expect(start).toBeGreaterThanOrEqual(0);
  const text = contract.slice(0, start) + wrong + contract.slice(start + correct.length);
  const lines = text.slice(0, text.indexOf(at, start)).split('\n');
  const folder = mkdtempSync(join(tmpdir(), 'contract-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'openapi.yaml');
  writeFileSync(path, text);
  return { path, position: `${lines.length}:${lines.at(-1)!.length + 1}` };
}
