import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { readArguments } from '../../conformance/arguments.ts';
import { startReference } from '../../conformance/selftest/reference.ts';
import { readTarget } from '../../conformance/target.ts';
import { temporaryFolder } from '../server/support.ts';

const program = fileURLToPath(new URL('../../conformance/main.ts', import.meta.url));

function command(
  ...args: string[]
): Promise<{ code: number | null; output: string; errors: string }> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, NO_COLOR: '1' },
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, output, errors }));
  });
}

test('ends with 0 where what was asked for is met, and writes the reports', async () => {
  const reference = await startReference();
  onTestFinished(reference.stop);
  const folder = join(temporaryFolder(), 'reports');
  const { code, output } = await command(
    reference.address,
    '--only',
    'ACCOUNT-2',
    '--report',
    folder,
  );
  expect(output).toContain('takes connections');
  expect(code).toBe(0);
  for (const name of ['conformance.html', 'conformance.json', 'conformance.xml']) {
    expect(existsSync(join(folder, name))).toBe(true);
  }
  expect(JSON.parse(readFileSync(join(folder, 'conformance.json'), 'utf8'))).toMatchObject({
    results: [{ id: 'ACCOUNT-2', status: 'met' }],
  });
});

test('ends with 3 where nothing listens, and says what to do', async () => {
  const { code, errors } = await command('http://127.0.0.1:1');
  expect(code).toBe(3);
  expect(errors).toContain('Nothing listens on port 1 of 127.0.0.1. Start the backend');
});

test('ends with 2 where it does not understand, and says why', async () => {
  const { code, errors } = await command('--only', 'NOTHING-1', '--seed', 'x');
  expect(code).toBe(2);
  expect(errors).toContain('Which backend?');
  expect(errors).toContain('no check is called "NOTHING-1"');
  expect(errors).toContain('--seed must be a whole number');
});

test.each([
  ['http://localhost:8080', 'http://localhost:8080'],
  ['http://localhost:8080/', 'http://localhost:8080'],
  ['http://localhost:8080/api/v1/', 'http://localhost:8080'],
  ['localhost:8080', 'http://localhost:8080'],
  [':8080', 'http://localhost:8080'],
  ['https://api.example.org/api', 'https://api.example.org'],
])('%s is the backend at %s', (given, origin) => {
  expect(readTarget(given)).toMatchObject({ origin });
});

test.each(['ftp://localhost', 'http://', 'http://localhost/tracker', 'http://me:secret@localhost'])(
  '%s is refused with a reason',
  (given) => {
    expect(readTarget(given)).toHaveProperty('mistake');
  },
);

test('a group or an id chooses checks, and nothing that merely begins alike', () => {
  const ids = ['XSRF-1', 'XSRF-12', 'TEXT-1'];
  const asked = readArguments(['http://localhost', '--only', 'xsrf-1'], ids);
  expect(asked).toMatchObject({ does: 'run', settings: { only: ['XSRF-1'] } });
  expect(readArguments(['http://localhost', '--only', 'XSR'], ids).does).toBe('refuse');
});
