import { once } from 'node:events';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { startProgram } from '../../tools/start-program.ts';
import { readSettings } from '../commands/settings.ts';
import { paths } from '../../testing/contract.ts';
import { CookieClient, signedInClient } from '../../testing/cookie-client.ts';
import { projectOf, textNames } from '../../testing/projects.ts';
import type { Environment } from '../../testing/server-process.ts';
import {
  emptyStore,
  fakeDist,
  runProcess,
  startProcess,
  storeNames,
} from '../../testing/server-fixtures.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

test('SIGTERM to "npm run serve" and "npm start" stops the server before npm ends', async () => {
  const npm = startProgram(['npm', 'run', 'serve'], {
    // A group of its own, so that a server that outlives npm is killed after the test.
    detached: true,
    env: {
      ...process.env,
      PORT: '0',
      DATA_DIR: temporaryFolder(),
      DIST_DIR: fakeDist(),
      DRAIN_SECONDS: '0',
    },
  });
  onTestFinished(() => {
    try {
      process.kill(-npm.pid!, 'SIGKILL');
    } catch {
      // All processes of the group have ended.
    }
  });
  const [, address] = await npm.printed(/ is ready at (http:\S+)/);
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  // "exit" and not the end of its output, which a server that outlives npm would hold open.
  const exited = once(npm.child, 'exit');
  void npm.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  await expect(fetch(`${address}/healthz`)).rejects.toThrow('fetch failed');
  const { build, serve, start } = packageJson.scripts;
  expect(start).toBe(`${build} && ${serve}`);
});

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

test.each([0, 1, 2, 4, 7, 10])('SIGTERM drains %i ms after the port has opened', async (ms) => {
  const { logged, kill } = runProcess({ DATA_DIR: temporaryFolder(), DRAIN_SECONDS: '0' });
  await logged('Server listening');
  await delay(ms);
  expect(await kill('SIGTERM')).toEqual({ code: 0, errors: expect.stringContaining('"stopping"') });
});

const onTerminal = `import tty from 'node:tty'; import { syncBuiltinESMExports } from 'node:module';
  tty.isatty = () => true; syncBuiltinESMExports()`;

test('SIGHUP of a terminal drains and ends with 129, also during the start', async () => {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(onTerminal)}`;
  const { kill } = await startProcess({ DATA_DIR: temporaryFolder(), NODE_OPTIONS });
  expect(await kill('SIGHUP')).toEqual({ code: 129, errors: expect.stringContaining('stopping') });
  const waiting = runProcess({ DATABASE_URL: 'postgres://127.0.0.1:1/none', NODE_OPTIONS });
  await waiting.logged('The server tries again');
  expect((await waiting.kill('SIGHUP')).code).toBe(129);
});

test('without a terminal, SIGHUP, SIGUSR1 and SIGUSR2 end no server and open no debugger', async () => {
  const { address, kill } = await startProcess({ DATA_DIR: temporaryFolder(), DRAIN_SECONDS: '0' });
  for (const signal of ['SIGHUP', 'SIGHUP', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const) {
    void kill(signal);
  }
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  const stopped = await kill('SIGTERM');
  expect(stopped).toEqual({ code: 0, errors: expect.stringContaining('"signal":"SIGTERM"') });
  expect(stopped.errors).not.toContain('Debugger');
});

test('the default ./data is created, and only its owner can read the data', async () => {
  const cwd = temporaryFolder();
  await signedInClient((await startProcess({}, { cwd })).address);
  expect(statSync(join(cwd, 'data')).mode & 0o777).toBe(0o700);
  expect(statSync(join(cwd, 'data/tracker.sqlite')).mode & 0o777).toBe(0o600);
});

test.each(storeNames)(
  'each start says where the data is, and whether it is new, on %s',
  async (name) => {
    const settings = await emptyStore(name);
    const { DATABASE_URL, DATA_DIR = '' } = settings;
    const { host, pathname } = new URL(DATABASE_URL ?? 'none://');
    const place = DATABASE_URL
      ? `the database ${pathname.slice(1)} at ${host}`
      : join(DATA_DIR, 'tracker.sqlite');
    for (const isNew of [true, false]) {
      // The second start finds the data of the first one.
      const { output, address, kill } = await startProcess(settings);
      expect(output()).toBe(
        `Data is in ${place}${isNew ? ', which is new' : ''}.\nTracker App is ready at ${address}\n`,
      );
      await kill();
    }
  },
);

test('all invalid settings are reported at once, and no file is created', async () => {
  const folder = join(temporaryFolder(), 'data');
  const { ended } = runProcess({ PORT: 'http', HOST: 'a b', DATA_DIR: folder });
  const errors = expect.stringMatching(/^PORT .+\nHOST .+\nDATA_DIR .+\n$/);
  expect(await ended).toEqual({ code: 1, errors });
  expect(existsSync(folder)).toBe(false);
});

test('an empty DATABASE_URL ends each start and command, before a file is created', async () => {
  const [DATA_DIR, DATABASE_URL] = [temporaryFolder(), ''];
  const scripts = { 'main.ts': [], 'commands/sign-out.ts': ['ada@example.org'] };
  for (const [script, args] of Object.entries(scripts)) {
    const { ended } = runProcess({ DATA_DIR, DATABASE_URL }, { script, args });
    expect(await ended).toEqual({
      code: 1,
      errors: 'DATABASE_URL is empty: set it, or remove it to use the database in DATA_DIR.\n',
    });
  }
  expect(readdirSync(DATA_DIR)).toEqual([]);
});

test.each(['PORT', 'METRICS_PORT'])('a %s in use is reported, with what to do', async (name) => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { ended } = runProcess({ DATA_DIR: temporaryFolder(), [name]: String(port) });
  expect(await ended).toEqual({
    code: 1,
    errors: `Port ${port} is in use. Stop the other program or set ${name}, for example ${name}=${port + 1}.\n`,
  });
});

test.each<[cause: string, errors: string, () => Environment]>([
  [
    'a missing build',
    'There is no built app in .+: run "npm run build" first\\.',
    () => ({ DIST_DIR: temporaryFolder() }),
  ],
  [
    'a file that is not a database',
    'DATA_DIR: .+',
    () => ({ DATA_DIR: dirname(writtenFile('tracker.sqlite', 'no database '.repeat(1000))) }),
  ],
  ['an unknown host', 'HOST: .+ Unset HOST, .+', () => ({ HOST: 'nowhere.invalid' })],
])('%s is reported in one line', async (_cause, errors, settings) => {
  const { ended } = runProcess({ DATA_DIR: temporaryFolder(), ...settings() });
  expect(await ended).toEqual({
    code: 1,
    errors: expect.stringMatching(new RegExp(`^${errors}\\n$`)),
  });
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

describe('the log of the process', () => {
  test('contains no password, email, cookie, token or user text, even on errors', async () => {
    const settings = { LOG_LEVEL: 'trace', DRAIN_SECONDS: '0' };
    const { address, kill } = await startProcess({ DATA_DIR: temporaryFolder(), ...settings });
    const client = new CookieClient(address);
    const password = 'log-secret-password';
    const credentials = { email: 'log-secret-email@example.org', password };
    const headers = { authorization: 'Bearer log-secret-header' };
    await client.register(credentials);
    await client.register(credentials);
    await client.login({ ...credentials, password: 'log-secret-wrong' });
    await client.login(credentials);
    const project = projectOf((name) => `log-secret-${name}`);
    await client.createProject(project, { headers });
    for (const name of textNames) await client.createRaw({ ...project, [name]: ['log-secret'] });
    await client.createProject(undefined, { headers: { 'x-xsrf-token': 'log-secret-token' } });
    await client.createProject(undefined, {
      headers: { 'content-type': 'application/json', 'idempotency-key': 'log-secret-key' },
      body: '{"log-secret-json":',
    });
    await client.call('GET', `${paths.listProjects}?password=log-secret-query`);
    const { errors: log } = await kill('SIGTERM');

    expect(log.trim().split('\n').length).toBeGreaterThanOrEqual(9);
    for (const line of log.trim().split('\n')) expect(JSON.parse(line)).toBeTypeOf('object');
    expect(log).not.toContain('log-secret');
    expect(client.cookies.size).toBe(2);
    for (const value of client.cookies.values()) expect(log).not.toContain(value);
  });

  test('blocks no request if its reader stops reading', async () => {
    const settings = { DATA_DIR: temporaryFolder() };
    const { address } = await startProcess(settings, { readsLog: false });
    const client = new CookieClient(address);
    // More lines than fit into a pipe.
    const path = `/${'x'.repeat(10_000)}`;
    for (let i = 0; i < 20; i += 1) {
      await Promise.all(Array.from({ length: 20 }, () => client.call('GET', path)));
    }
    expect((await client.call('GET', '/readyz')).status).toBe(200);
  });
});
