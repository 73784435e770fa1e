// @module-tag curl
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../../tools/run.ts';
import { startReferenceServer } from '../../testing/reference-server.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

test('the commands at the start of the contract page work on the reference backend', async () => {
  const { origin, stop } = await startReferenceServer();
  onTestFinished(stop);
  const cwd = temporaryFolder();
  const page = readFileSync(join(root, 'generated/contract.md'), 'utf8');
  const [, commands = ''] = /```sh\n(.+?)```/s.exec(page) ?? [];
  const [requests, appHeader] = [commands.split(/^(?=curl )/m), "-H 'Accept: application/json'"];
  expect(requests.filter((request) => !request.includes(appHeader))).toEqual([]);
  const script = commands
    .replaceAll('http://localhost:3000', origin)
    .replaceAll('curl ', 'curl --fail --silent --max-time 20 --write-out "\\n" ');
  const { stdout } = await promisify(execFile)('sh', ['-e', '-c', script], { cwd });
  const [user, session, project, list, ...rest] = stdout.trim().split('\n');
  expect([user, session, `[${project}]`, rest]).toEqual(['{"role":"member"}', '{}', list, []]);
  expect(project).toContain('"title":"Website relaunch"');
});
