import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { contractPath } from '../../tools/contract-source.ts';
import { spectralProblems } from '../../tools/spectral.ts';
import { longTestMs } from '../support/time-limits.ts';

vi.setConfig({ testTimeout: longTestMs });

const contract = readFileSync(contractPath, 'utf8');

/** Writes the contract with another text to a file that is deleted after the test. */
function writeContract(from: string, to: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tracker-app-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(contract).toContain(from);
  const path = join(folder, 'openapi.yaml');
  writeFileSync(path, contract.replace(from, to));
  return path;
}

test('the contract of this project has no problems', async () => {
  expect(await spectralProblems()).toEqual([]);
});

test.each([
  ['a text without a maximum', '          maxLength: 254\n', '', 'string-limit'],
  ['a list without a maximum', '                maxItems: 10000000\n', '', 'array-limit'],
])('%s is reported with its line and column', async (_case, from, to, rule) => {
  const problems = await spectralProblems(writeContract(from, to));
  expect(problems).toEqual([
    expect.stringMatching(
      new RegExp(`openapi\\.yaml:\\d+:\\d+: .+ \\(owasp:api4:2023-${rule}\\)$`),
    ),
  ]);
});

test('an exception that the contract does not need is reported', async () => {
  const path = writeContract(
    'info:\n',
    'info:\n  contact: { name: T, url: https://t.example, email: t@t.example }\n',
  );
  expect(await spectralProblems(path)).toEqual([
    'tools/spectral.ts excepts info-contact, which the contract keeps: delete it.',
  ]);
});
