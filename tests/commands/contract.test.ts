import { execFile } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { UsageError } from '../../shared/usage-error.ts';
import { spectralCommand } from '../../tools/check.ts';
import { dereferencedContract, toOpenApi30 } from '../../tools/contract.ts';
import { contractPath, openApi30File } from '../../tools/contract-source.ts';
import { runProgram } from '../../tools/run.ts';
import { copyProject } from '../../testing/project-copy.ts';
import { longWaitMs } from '../../testing/time-limits.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

const contract = readFileSync(contractPath, 'utf8');

type Edit = [correct: string, wrong: string];

const xsrfToken = "- $ref: '#/components/parameters/XsrfToken'";
const project = '    Project:\n      type: object\n';
const role = '        role:\n          type: string\n';

/** Where the error is: lines below the edit. */
test.each<[string, Edit, linesBelow: number, RegExp]>([
  ['bad YAML', ['summary: Sign in\n', 'summary: Sign: in\n'], 0, /^:20: bad indentation of a/],
  [
    'a $ref without target',
    [xsrfToken, "- $ref: '#/nowhere'"],
    0,
    /^:11: \$ref points to #\/nowhere, which/,
  ],
  ['a $ref without quotes', [xsrfToken, '- $ref: #/nowhere'], 0, /^:11: The field `name` must/],
  ['an unknown key', ['requestBody:', 'requestBdy:'], 0, /^:7: Property `requestBdy` is not/],
  ['a call without a name', ['      operationId: login\n', ''], -1, /^:5: .+`operationId`/],
  ['a repeated name', ['operationId: registerUser', 'operationId: login'], 0, /^:7: .+ unique/],
  [
    'a schema that contains itself',
    [project, "    Project:\n      not:\n        $ref: '#/components/schemas/Project'\n"],
    2,
    /^:9: a \$ref must not lead back to itself\.$/,
  ],
])('nothing is generated from %s, which is one line with its position', async (...row) => {
  const [, edit, linesBelow, problem] = row;
  const path = writeContract(edit);
  const line = contract.slice(0, contract.indexOf(edit[0])).split('\n').length + linesBelow;
  const error: unknown = await dereferencedContract(path).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(UsageError);
  const [, afterLine] = (error as UsageError).message.split(`openapi.yaml:${line}`);
  expect(afterLine).toMatch(problem);
  expect(afterLine).not.toContain('\n');
});

test('generated/ is not stale in a checkout with the line breaks of Windows', async () => {
  const { folder, edit } = copyProject();
  for (const file of globSync('{openapi.yaml,generated/*}', { cwd: folder })) {
    edit(file, (text) => text.replaceAll('\n', '\r\n'));
  }
  const program = `import('./tools/generate.ts').then(async (m) => console.log(await m.staleFiles()))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program], {
    cwd: folder,
  });
  expect(stdout).toBe('[]\n');
});

test('the own rules of .spectral.yaml apply', async () => {
  const path = writeContract(
    ['value: { role: member }', 'value: { role: 7 }'],
    [/ {10}maxLength: .+\n/.exec(contract)![0], ''],
    ['                type: array\n', '                type: array\n                maxItems: 9\n'],
    ['[string, integer]\n', '[string, integer]\n          format: int64\n'],
    [
      'application/json:\n              schema:\n                $ref: ',
      'text/xml:\n              schema:\n                $ref: ',
    ],
    ['      required: [message]\n', ''],
    ['format: password', 'format: email'],
    ['  schemas:\n', '  schemas:\n    Date:\n      type: object\n      description: A day.\n'],
    [
      `requestBody:${/requestBody:([^]+?)      responses:/.exec(contract)![1]!}`,
      "requestBody:\n        $ref: '#/paths/~1api~1v1~1projects/post/requestBody'\n",
    ],
    [role, `${role}          pattern: '.*'\n`],
    ['      summary: Sign in\n', ''],
  );
  const command = spectralCommand
    .filter((word) => word !== openApi30File)
    .map((word) => (word === 'openapi.yaml' ? path : word));
  const lines = (await runProgram(command, longWaitMs / 1000)).slice(0, -1);
  expect(lines.map((line) => / (?:error|warning) (\S+) /.exec(line)?.[1])).toEqual([
    'operation-summary',
    'inline-request-body',
    'json-only',
    'oas3-valid-media-example',
    'oas3-valid-media-example',
    'oas3-valid-media-example',
    'response-without-maximum',
    'oas3-unused-component',
    'schema-name',
    'request-maximum',
    'known-format',
    'same-everywhere',
    'same-everywhere',
    'refusal-requires-message',
  ]);
});

test.each([
  [['string', 'integer'], { type: 'string' }],
  [['integer', 'string', 'null'], { type: 'string', nullable: true }],
  [['number', 'null'], { type: 'number', nullable: true }],
])('the types %j are %j in OpenAPI 3.0', (type, expected) => {
  const document = { schemas: { type: { items: { type } } } };
  expect(toOpenApi30(document)).toEqual({ schemas: { type: { items: expected } } });
});

/** Writes the contract, in which the first `correct` is `wrong`, to a temporary file. */
function writeContract(...edits: Edit[]): string {
  let text = contract;
  for (const [correct, wrong] of edits) {
    expect(text).toContain(correct);
    text = text.replace(correct, () => wrong);
  }
  const folder = temporaryFolder();
  const path = join(folder, 'openapi.yaml');
  writeFileSync(path, text);
  return path;
}
