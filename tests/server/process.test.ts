import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runServer } from '../support/server-process.ts';
import { CookieClient, signedInClient } from '../support/cookie-client.ts';
import { builtApp, freshPostgres, storeNames, temporaryFolder, type StoreName } from './support.ts';

describe.each(storeNames)('the process on %s', (name) => {
  test('killed right after it answered 201, it has the project when it starts again', async () => {
    const data = await freshData(name);
    const first = await start(data);
    const visitor = await signedInClient(first.address);
    const { body } = await visitor.createProject();
    await first.kill();

    const second = await start(data);
    const again = new CookieClient(second.address);
    for (const [cookie, value] of visitor.cookies) again.cookies.set(cookie, value);
    expect(await again.listProjects()).toMatchObject({ status: 200, body: [body] });
  });

  test('four processes that start at once on nothing share one store', async () => {
    const data = await freshData(name);
    const processes = await Promise.all([1, 2, 3, 4].map(() => start(data)));
    const visitor = await signedInClient(processes[0]!.address);
    for (const { address } of processes) {
      const elsewhere = new CookieClient(address);
      for (const [cookie, value] of visitor.cookies) elsewhere.cookies.set(cookie, value);
      expect((await elsewhere.createProject()).status).toBe(201);
    }
    expect((await visitor.listProjects()).body).toHaveLength(4);
  });
});

const quick = { DRAIN_SECONDS: '0' };

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends the process cleanly', async (signal) => {
  const { kill } = await start({ DATA_DIR: temporaryFolder(), ...quick, LOG_LEVEL: 'warn' });
  expect(await kill(signal)).toEqual({ code: 0, errors: '' });
});

test('the data is in DATA_DIR, which is made when missing, and its owner alone reads it', async () => {
  const folder = join(temporaryFolder(), 'deep', 'data');
  await signedInClient((await start({ DATA_DIR: folder })).address);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'tracker.sqlite')).mode & 0o777).toBe(0o600);
});

test('a taken port is told in one line, with what to do', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { ended } = run({ PORT: String(port), DATA_DIR: temporaryFolder() });
  expect(await ended).toEqual({
    code: 1,
    errors: `Port ${port} is taken by another program: stop that one, or choose another port, as in PORT=${port + 1}.\n`,
  });
});

test('wrong settings are told all at once, and nothing is made', async () => {
  const folder = join(temporaryFolder(), 'data');
  const { ended } = run({ PORT: 'http', HOST: 'a b', DATA_DIR: folder });
  const { code, errors } = await ended;
  expect(code).toBe(1);
  expect(errors.trim().split('\n')).toEqual([
    expect.stringContaining('PORT'),
    expect.stringContaining('HOST'),
  ]);
  expect(existsSync(folder)).toBe(false);
});

test('without a built app it says how to get one', async () => {
  const { code, errors } = await run({ DIST_DIR: temporaryFolder() }).ended;
  expect({ code, errors }).toEqual({
    code: 1,
    errors: expect.stringMatching(/^There is no built app in .+: run "npm run build" first\.\n$/),
  });
});

test.each([
  [
    'a file as DATA_DIR',
    () => {
      const file = join(temporaryFolder(), 'file');
      writeFileSync(file, '');
      return { DATA_DIR: file };
    },
  ],
  [
    'a database file that is none',
    () => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'tracker.sqlite'), 'no database '.repeat(1000));
      return { DATA_DIR: folder };
    },
  ],
  ['a DATA_DIR that nobody can make', () => ({ DATA_DIR: '/proc/no/folder' })],
  ['an unknown host', () => ({ DATA_DIR: temporaryFolder(), HOST: 'nowhere.invalid' })],
  ['a database that is not there', () => ({ DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/d' })],
])('%s is told in one line', async (_what, settings) => {
  const [setting] = Object.keys(settings()).slice(-1) as [string];
  const { code, errors } = await run(settings()).ended;
  expect(code).toBe(1);
  expect(errors).toMatch(new RegExp(`^${setting}: .+\\.\n$`));
  expect(errors).not.toContain('secret');
});

test('--help tells every setting', async () => {
  const { ended, output } = run({}, '--help');
  expect((await ended).code).toBe(0);
  const settings = readFileSync(
    new URL('../../server/settings.ts', import.meta.url),
    'utf8',
  ).matchAll(/\b[A-Z]+_?[A-Z]+\b(?=[^;]*\} =\s+environment;)/g);
  const names = [...settings].map(([name]) => name);
  expect(names).toContain('DRAIN_SECONDS');
  for (const name of names) expect(output()).toMatch(new RegExp(`^  ${name} `, 'm'));
});

type Environment = Record<string, string>;

async function freshData(name: StoreName): Promise<Environment> {
  return name === 'SQLite'
    ? { DATA_DIR: temporaryFolder() }
    : { DATABASE_URL: await freshPostgres() };
}

/** Runs the real process until the test ends. */
function run(settings: Environment, ...args: string[]) {
  const running = runServer({ DIST_DIR: builtApp(), ...settings }, { args });
  onTestFinished(async () => {
    await running.kill();
  });
  return running;
}

/** Runs it until it is ready; gives its address. */
async function start(settings: Environment) {
  const running = run(settings);
  return { ...running, address: await running.ready() };
}
