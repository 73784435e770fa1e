import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../tools/run.ts';
import { startProgram } from '../../tools/start-program.ts';
import { longWaitMs } from '../../testing/time-limits.ts';
import { fakeDist } from '../../testing/server-fixtures.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

test('npm run serve prints one sentence about a contract that is wrong or was changed', async () => {
  const project = temporaryFolder();
  for (const path of ['generated', 'shared', 'server', 'tools', 'openapi.yaml', 'package.json']) {
    cpSync(join(root, path), join(project, path), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
  const contract = readFileSync(join(root, 'openapi.yaml'), 'utf8');
  const serveWith = async (summary: string) => {
    const changed = contract.replace('summary: Sign in\n', `summary: ${summary}\n`);
    expect(changed).not.toBe(contract);
    writeFileSync(join(project, 'openapi.yaml'), changed);
    return errorsOfServe(project);
  };
  expect(await serveWith('Sign: in')).toMatch(
    /^openapi\.yaml:\d+:\d+: bad indentation of a mapping entry\.\n$/,
  );
  expect(await serveWith('Sign in again')).toBe(
    'generated/contract.json was not written from this openapi.yaml: run "npm run generate".\n',
  );
});

/** Runs the server, which must fail. Returns its errors without the lines of npm. */
async function errorsOfServe(cwd: string): Promise<string> {
  const env = { ...process.env, NO_COLOR: '1', PORT: '0', DIST_DIR: fakeDist() };
  // The timeout ends a server that starts nevertheless.
  const options = { cwd, env, timeout: longWaitMs };
  const serve = startProgram(['npm', 'run', '--silent', 'serve'], options);
  const { code, output, errors } = await serve.ended;
  if (code === 0) throw new Error(`npm run serve succeeded: ${output}`);
  return errors.replaceAll(/^npm .*\n/gm, '');
}
