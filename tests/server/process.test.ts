import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { readSettings } from '../../server/settings.ts';
import { signedInClient } from '../support/cookie-client.ts';
import {
  copyClient,
  emptyStore,
  fakeDist,
  runProcess,
  startProcess,
  storeNames,
  temporaryFolder,
} from './support.ts';
import { longTestMs } from '../support/time-limits.ts';

vi.setConfig({ testTimeout: longTestMs });

describe.each(storeNames)('the process on %s', (name) => {
  test('still has an acknowledged project after it was killed', async () => {
    const settings = await emptyStore(name);
    const first = await startProcess(settings);
    const client = await signedInClient(first.address);
    const { body } = await client.createProject();
    await first.kill();

    const second = await startProcess(settings);
    const again = copyClient(client, second.address);
    expect(await again.listProjects()).toMatchObject({ status: 200, body: [body] });
  });

  test('shares an empty store with three more processes that start at once', async () => {
    const settings = await emptyStore(name);
    const processes = await Promise.all([1, 2, 3, 4].map(() => startProcess(settings)));
    const client = await signedInClient(processes[0]!.address);
    for (const { address } of processes) {
      expect((await copyClient(client, address).createProject()).status).toBe(201);
    }
    expect((await client.listProjects()).body).toHaveLength(4);
  });
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends the process without errors', async (signal) => {
  const settings = { DATA_DIR: temporaryFolder(), DRAIN_SECONDS: '0', LOG_LEVEL: 'warn' };
  const { kill } = await startProcess(settings);
  expect(await kill(signal)).toEqual({ code: 0, errors: '' });
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s to "npm run serve" and "npm start" stops the server before npm ends',
  async (signal) => {
    // A group of its own, so that a server that outlives npm is killed after the test.
    const npm = spawn('npm', ['run', 'serve'], {
      env: {
        ...process.env,
        PORT: '0',
        DATA_DIR: temporaryFolder(),
        DIST_DIR: fakeDist(),
        DRAIN_SECONDS: '0',
      },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    onTestFinished(() => {
      try {
        process.kill(-npm.pid!, 'SIGKILL');
      } catch {
        // All processes of the group have ended.
      }
    });
    const ended = once(npm, 'exit');
    let output = '';
    for await (const chunk of npm.stdout.iterator({ destroyOnReturn: false })) {
      output += String(chunk);
      if (output.includes(' is ready at ')) break;
    }
    const address = / is ready at (http:\S+)/.exec(output)![1]!;
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    npm.kill(signal);
    expect(await ended).toEqual([0, null]);
    await expect(fetch(`${address}/healthz`)).rejects.toThrow('fetch failed');
    expect(packageJson.scripts.start).toBe(`vite build && ${packageJson.scripts.serve}`);
  },
);

test('a second signal does not cut off a request in flight', async () => {
  const settings = { DATA_DIR: temporaryFolder(), DRAIN_SECONDS: '0' };
  const { address, kill, errors, ended } = await startProcess(settings);
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n');
  await (await fetch(`${address}/healthz`)).text();
  void kill('SIGINT');
  await expect.poll(errors).toContain('"msg":"stopping"');
  void kill('SIGINT');
  await expect.poll(() => fetch(address).catch(() => 'closed')).toBe('closed');
  socket.write('\r\n');
  const [response] = (await once(socket, 'data')) as [Buffer];
  expect(String(response)).toMatch(/^HTTP\/1.1 200 /);
  expect((await ended).code).toBe(0);
});

test('DATA_DIR is created if missing, and only its owner can read the data', async () => {
  const folder = join(temporaryFolder(), 'deep', 'data');
  await signedInClient((await startProcess({ DATA_DIR: folder })).address);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'tracker.sqlite')).mode & 0o777).toBe(0o600);
});

test('a port in use is reported in one line, with what to do', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { ended } = runProcess({ PORT: String(port), DATA_DIR: temporaryFolder() });
  expect(await ended).toEqual({
    code: 1,
    errors: `Port ${port} is in use. Stop the other program or set PORT, for example PORT=${port + 1}.\n`,
  });
});

test('all invalid settings are reported at once, and no file is created', async () => {
  const folder = join(temporaryFolder(), 'data');
  const { ended } = runProcess({ PORT: 'http', HOST: 'a b', DATA_DIR: folder });
  const { code, errors } = await ended;
  expect(code).toBe(1);
  expect(errors.trim().split('\n')).toEqual([
    expect.stringContaining('PORT'),
    expect.stringContaining('HOST'),
  ]);
  expect(existsSync(folder)).toBe(false);
});

test('a missing build is reported with the command that builds', async () => {
  const { code, errors } = await runProcess({ DIST_DIR: temporaryFolder() }).ended;
  expect({ code, errors }).toEqual({
    code: 1,
    errors: expect.stringMatching(/^There is no built app in .+: run "npm run build" first\.\n$/),
  });
});

test.each([
  ['a file as DATA_DIR', () => ({ DATA_DIR: writtenFile('file', '') })],
  [
    'a file that is not a database',
    () => ({ DATA_DIR: join(writtenFile('tracker.sqlite', 'no database '.repeat(1000)), '..') }),
  ],
  ['a DATA_DIR that cannot be created', () => ({ DATA_DIR: '/proc/no/folder' })],
  ['an unknown host', () => ({ DATA_DIR: temporaryFolder(), HOST: 'nowhere.invalid' })],
])('%s is reported in one line', async (_case, settings) => {
  const [setting] = Object.keys(settings()).slice(-1) as [string];
  const { code, errors } = await runProcess(settings()).ended;
  expect(code).toBe(1);
  expect(errors).toMatch(new RegExp(`^${setting}: .+\\.\n$`));
  expect(errors).not.toContain('secret');
});

test('--help lists every setting', async () => {
  const names: string[] = [];
  readSettings(new Proxy({}, { get: (_target, name) => void names.push(String(name)) }));
  expect(names).toContain('DRAIN_SECONDS');
  const { ended, output } = runProcess({}, { args: ['--help'] });
  expect((await ended).code).toBe(0);
  for (const name of names) expect(output()).toMatch(new RegExp(`^  ${name} `, 'm'));
});

function writtenFile(name: string, content: string): string {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, content);
  return file;
}
