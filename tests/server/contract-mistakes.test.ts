import { execFile } from 'node:child_process';
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { fakeDist, temporaryFolder } from './support.ts';
import { longTestMs } from '../support/time-limits.ts';

vi.setConfig({ testTimeout: longTestMs });

const root = fileURLToPath(new URL('../../', import.meta.url));

describe.each(['generate', 'serve', 'dev'])('npm run %s', (script) => {
  test('prints one sentence about a YAML mistake', async () => {
    const project = copyProject();
    edit(project, 'openapi.yaml', 'summary: Sign in\n', 'summary: Sign: in\n');
    expect(await run(project, script)).toMatch(
      /^openapi\.yaml:\d+:\d+: bad indentation of a mapping entry\.$/,
    );
  });

  test('prints one sentence about a $ref without target', async () => {
    const project = copyProject();
    edit(project, 'openapi.yaml', "'#/components/parameters/XsrfToken'", "'#/nowhere'");
    expect(await run(project, script)).toMatch(
      /^openapi\.yaml:\d+:\d+: \$ref points to #\/nowhere, which does not exist\.$/,
    );
  });
});

describe('npm run serve', () => {
  test('tells to run npm run generate after a change of the contract', async () => {
    const project = copyProject();
    edit(project, 'openapi.yaml', 'summary: Sign in\n', 'summary: Sign in again\n');
    expect(await run(project, 'serve')).toBe(
      'generated/contract.json was not written from this openapi.yaml: run "npm run generate".',
    );
  });

  test('tells to run npm run generate if generated/contract.json is broken', async () => {
    const project = copyProject();
    edit(project, 'generated/contract.json', '{', '<<<<<<< HEAD\n{');
    expect(await run(project, 'serve')).toBe(
      'generated/contract.json was not written from this openapi.yaml: run "npm run generate".',
    );
  });

  test('names the handler whose file is missing', async () => {
    const project = copyProject();
    rmSync(join(project, 'server/operations/login.ts'));
    expect(await run(project, 'serve')).toBe(
      'The operation login of openapi.yaml has no handler: ' +
        'write server/operations/login.ts, which exports the function login.',
    );
  });

  test('names the handler that the contract does not declare', async () => {
    const project = copyProject();
    writeFileSync(join(project, 'server/operations/notInTheContract.ts'), '');
    expect(await run(project, 'serve')).toBe(
      'openapi.yaml does not declare the operation of server/operations/notInTheContract.ts.',
    );
  });
});

/** Copies the project into a folder that is deleted after the test. */
function copyProject(): string {
  const folder = temporaryFolder();
  for (const path of ['conformance', 'generated', 'machines', 'model', 'server', 'src', 'tools']) {
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  for (const path of ['openapi.yaml', 'package.json', 'index.html', 'vite.config.ts']) {
    cpSync(join(root, path), join(folder, path));
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function edit(project: string, path: string, text: string, replacement: string) {
  const file = join(project, path);
  const source = readFileSync(file, 'utf8');
  expect(source).toContain(text);
  writeFileSync(
    file,
    source.replace(text, () => replacement),
  );
}

/** Runs a script that fails. Returns its errors without the lines of npm and Vite. */
function run(project: string, script: string): Promise<string> {
  // The timeout ends a server that starts nevertheless.
  const timeout = 60_000;
  const env = { ...process.env, NO_COLOR: '1', PORT: '0', DIST_DIR: fakeDist(), NODE_ENV: '' };
  return new Promise((resolve, reject) => {
    execFile(
      'npm',
      ['run', '--silent', script],
      { cwd: project, env, timeout },
      (error, output, errors) => {
        if (!error) reject(new Error(`npm run ${script} succeeded: ${output}`));
        const lines = errors.split('\n').filter((line) => !/^npm |^error when starting/.test(line));
        resolve(
          lines
            .join('\n')
            .trim()
            .replace(/^\[(.*)\]$/s, '$1'),
        );
      },
    );
  });
}
