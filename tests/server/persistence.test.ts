import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { Client } from 'pg';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { StoreUnavailable } from '../../server/store/database.ts';
import { openPostgres } from '../../server/store/postgres.ts';
import { openSqlite } from '../../server/store/sqlite.ts';
import { runServer } from '../support/server-process.ts';
import type { Start } from './open-store-worker.ts';
import { CookieClient, signedInClient } from '../support/cookie-client.ts';
import { builtApp, freshPostgres, refusal, startServer, temporaryFolder } from './support.ts';

const unavailable = refusal('unavailable');

test('what SQLite answered is synced, also where SQLite was built to sync less', async () => {
  const exec = Reflect.get(DatabaseSync.prototype, 'exec');
  const spy = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (
    this: DatabaseSync,
    sql,
  ) {
    exec.call(this, sql);
    // A database opens at NORMAL there once it is in WAL mode.
    if (sql === 'pragma journal_mode = wal') exec.call(this, 'pragma synchronous = normal');
  });
  onTestFinished(() => spy.mockRestore());
  const folder = temporaryFolder();
  for (const database of [openSqlite(folder), openSqlite(folder)]) {
    onTestFinished(() => database.close());
    expect(await database.query('pragma synchronous')).toEqual([{ synchronous: 2 }]);
  }
  expect(spy).toHaveBeenCalledWith('pragma journal_mode = wal');
});

describe('a full disk', () => {
  test('refuses what cannot be kept, still shows what is there, and is forgotten when there is room', async () => {
    const database = openSqlite(temporaryFolder());
    const visitor = await signedInClient(await startServer({ database }));
    const [{ page_count: pages }] = (await database.query('pragma page_count')) as [
      { page_count: number },
    ];
    const large = { title: 'Large', description: 'x'.repeat(50_000) };

    await database.query(`pragma max_page_count = ${pages + 20}`);
    let kept = 0;
    let reply = await visitor.createProject(large);
    for (; reply.status === 201; kept += 1) reply = await visitor.createProject(large);
    expect(kept).toBe(1);
    expect(reply).toMatchObject(unavailable);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await visitor.listProjects()).body).toHaveLength(kept);
    expect((await visitor.call('GET', '/readyz')).status).toBe(200);

    await database.query('pragma max_page_count = 1000000');
    expect((await visitor.createProject(large)).status).toBe(201);
    expect((await visitor.listProjects()).body).toHaveLength(kept + 1);
  });
});

describe('a database that is out of reach', () => {
  test('on PostgreSQL is answered 503 with a message, and heals by itself', async () => {
    const url = await freshPostgres();
    const visitor = await signedInClient(await startServer({ database: openPostgres(url) }));
    const name = new URL(url).pathname.slice(1);
    await inPostgres(`alter database ${name} allow_connections false`);
    await inPostgres(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    for (const reply of [
      await visitor.createProject(),
      await visitor.listProjects(),
      await visitor.login(),
    ]) {
      expect(reply).toMatchObject(unavailable);
    }
    expect((await visitor.call('GET', '/healthz')).status).toBe(200);
    expect((await visitor.call('GET', '/readyz')).status).toBe(503);

    await inPostgres(`alter database ${name} allow_connections true`);
    expect((await visitor.call('GET', '/readyz')).status).toBe(200);
    expect((await visitor.createProject()).status).toBe(201);
    expect((await visitor.listProjects()).body).toHaveLength(1);
  });

  test('on PostgreSQL is not waited for when it accepts connections and says nothing', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const url = `postgres://u:p@127.0.0.1:${port}/d`;
    const database = openPostgres(url, { connect: 50, statement: 0, query: 0 });
    await expect(database.query('select 1')).rejects.toThrow(StoreUnavailable);
  });

  test.each([
    ['is stopped there', { statement: 50, query: 0 }, 'statement timeout'],
    ['is given up here', { statement: 0, query: 50 }, 'Query read timeout'],
  ])('on PostgreSQL a statement that takes too long %s', async (_what, timeouts, message) => {
    const url = await freshPostgres();
    const database = openPostgres(url, { connect: 5_000, ...timeouts });
    onTestFinished(() => database.close());
    const other = new Client(url);
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('create table locked (n integer)');
    await other.query('begin; lock table locked');
    const failure = await database.query('select n from locked').catch((error: Error) => error);
    expect(failure).toBeInstanceOf(StoreUnavailable);
    expect(String((failure as Error).cause)).toContain(message);
  });

  test('on PostgreSQL gets ten seconds for a statement', async () => {
    const database = openPostgres(inject('postgresUrl'));
    onTestFinished(() => database.close());
    expect(await database.query('show statement_timeout')).toEqual([{ statement_timeout: '10s' }]);
  });

  test('on SQLite is waited for while another process writes, and other requests are answered meanwhile', async () => {
    const folder = temporaryFolder();
    const visitor = await signedInClient(await startServer({ database: openSqlite(folder) }));
    const other = new DatabaseSync(join(folder, 'tracker.sqlite'));
    onTestFinished(() => other.close());
    other.exec('begin immediate');
    const create = visitor.createProject();
    for (let i = 0; i < 10; i += 1) {
      expect((await visitor.call('GET', '/healthz')).status).toBe(200);
      expect((await visitor.listProjects()).body).toEqual([]);
    }
    other.exec('commit');
    expect((await create).status).toBe(201);
  });
});

describe('a damaged database', () => {
  test('keeps the server from starting, with a line that says so', async () => {
    const { code, errors } = await run({ DATA_DIR: await damagedFolder() }).ended;
    expect(code).toBe(1);
    expect(errors).toMatch(/^DATA_DIR: .+damaged.+\n$/);
  });
});

describe('npm run backup', () => {
  test('copies everything while the server writes, and a server starts on the copy', async () => {
    const folder = temporaryFolder();
    const visitor = await signedInClient(await startServer({ database: openSqlite(folder) }));
    const kept = [await visitor.createProject(), await visitor.createProject()];
    const writing = new AbortController();
    const writer = (async () => {
      while (!writing.signal.aborted) {
        await visitor.createProject({ title: 'During', description: 'the backup' });
      }
    })();
    const copy = join(temporaryFolder(), 'data');
    const { code, output } = await backUp(folder, copy);
    writing.abort();
    await writer;

    expect(code).toBe(0);
    expect(output).toMatch(/^Backed up to .+ \(\d+ bytes\)\.\n$/);
    expect(readdirSync(copy)).toEqual(['tracker.sqlite']);
    expect(statSync(join(copy, 'tracker.sqlite')).mode & 0o777).toBe(0o600);
    const restored = new CookieClient(await startServer({ database: openSqlite(copy) }));
    expect((await restored.login(visitor.credentials)).status).toBe(200);
    const projects = (await restored.listProjects()).body as unknown[];
    expect(projects.slice(0, 2)).toEqual(kept.map(({ body }) => body));
  });

  test('overwrites nothing', async () => {
    const folder = temporaryFolder();
    await signedInClient(await startServer({ database: openSqlite(folder) }));
    const file = join(temporaryFolder(), 'backup.sqlite');
    writeFileSync(file, 'precious');
    const { code, errors } = await command('commands/backup.ts', { DATA_DIR: folder }, file);
    expect({ code, errors }).toEqual({
      code: 1,
      errors: `No backup was made: ${file} exists, and no backup is overwritten.\n`,
    });
    expect(readFileSync(file, 'utf8')).toBe('precious');
  });

  test('keeps no copy of a damaged database', async () => {
    const target = temporaryFolder();
    const settings = { DATA_DIR: await damagedFolder() };
    const { code, errors } = await command(
      'commands/backup.ts',
      settings,
      join(target, 'backup.sqlite'),
    );
    expect(code).toBe(1);
    expect(errors).toMatch(/^No backup was made: .+damaged.+\n$/);
    expect(readdirSync(target)).toEqual([]);
  });

  test('leaves nothing behind when it fails', async () => {
    const folder = temporaryFolder();
    await signedInClient(await startServer({ database: openSqlite(folder) }));
    const target = temporaryFolder();
    const file = join(target, 'missing', 'backup.sqlite');
    const { code, errors } = await command('commands/backup.ts', { DATA_DIR: folder }, file);
    expect(code).toBe(1);
    expect(errors).toMatch(/^No backup was made: .+\.\n$/);
    expect(readdirSync(target)).toEqual([]);
  });

  test.each([
    ['without a file', {}, [], 'Usage: npm run backup -- FILE'],
    ['with two files', {}, ['a', 'b'], 'Usage: npm run backup -- FILE'],
    ['with a wrong setting', { LOG_LEVEL: 'loud' }, ['a'], 'LOG_LEVEL'],
    ['without data', { DATA_DIR: '/nowhere' }, ['/a'], 'there is no database in /nowhere'],
    ['for PostgreSQL', { DATABASE_URL: 'postgres://u:secret@h/d' }, ['a'], 'pg_dump'],
  ])('%s says what to do', async (_what, settings, args, message) => {
    const { code, errors } = await command('commands/backup.ts', settings, ...args);
    expect(code).toBe(1);
    expect(errors).toContain(message);
    expect(errors).not.toContain('secret');
  });
});

test('of many that open a new file at once, one runs each migration, and none fails', async () => {
  const folder = temporaryFolder();
  const starters = 8;
  const here = new Int32Array(new SharedArrayBuffer(4));
  const workerData: Start = { folder, migrations: 40, starters, here };
  const all = Array.from(
    { length: starters },
    () => new Worker(new URL('./open-store-worker.ts', import.meta.url), { workerData }),
  );
  // Rejects with what failed in it: a table that is made twice, or a lock that was not waited for.
  const ends = await Promise.all(all.map((worker) => once(worker, 'exit')));
  expect(ends.flat()).toEqual(Array.from({ length: starters }, () => 0));
});

describe('npm run sign-out', () => {
  test.each(['SQLite', 'PostgreSQL'])('ends every session of one person on %s', async (name) => {
    const settings: Record<string, string> =
      name === 'SQLite' ? { DATA_DIR: temporaryFolder() } : { DATABASE_URL: await freshPostgres() };
    const address = await startServer({
      database: settings['DATA_DIR']
        ? openSqlite(settings['DATA_DIR'])
        : openPostgres(settings['DATABASE_URL']!),
    });
    const [person, other] = [await signedInClient(address), await signedInClient(address)];
    const elsewhere = new CookieClient(address);
    await elsewhere.login(person.credentials);

    const { email } = person.credentials;
    const { code, output } = await command('commands/sign-out.ts', settings, email.toUpperCase());
    expect({ code, output }).toEqual({
      code: 0,
      output: `Ended 2 sessions of ${email.toUpperCase()}.\n`,
    });
    expect((await person.listProjects()).status).toBe(401);
    expect((await elsewhere.listProjects()).status).toBe(401);
    expect((await other.listProjects()).status).toBe(200);
    const unknown = await command('commands/sign-out.ts', settings, 'nobody@example.org');
    expect(unknown).toMatchObject({
      code: 1,
      errors: 'No account has the email nobody@example.org.\n',
    });
  });
});

/** A DATA_DIR with a database that has lost a page. */
async function damagedFolder(): Promise<string> {
  const folder = temporaryFolder();
  const visitor = await signedInClient(await startServer({ database: openSqlite(folder) }));
  for (let i = 0; i < 20; i += 1) {
    await visitor.createProject({ title: `${i}`, description: 'x'.repeat(5_000) });
  }
  const damaged = join(temporaryFolder(), 'data');
  await backUp(folder, damaged);
  const file = join(damaged, 'tracker.sqlite');
  const bytes = readFileSync(file);
  const middle = 4096 * Math.floor(bytes.length / 4096 / 2);
  bytes.fill(0xff, middle, middle + 4096);
  writeFileSync(file, bytes);
  return damaged;
}

async function backUp(from: string, to: string) {
  mkdirSync(to);
  return command('commands/backup.ts', { DATA_DIR: from }, join(to, 'tracker.sqlite'));
}

/** Runs a command of server/ to its end. */
async function command(script: string, settings: Record<string, string>, ...args: string[]) {
  const running = runServer(settings, { script, args });
  const ended = await running.ended;
  return { ...ended, output: running.output() };
}

function run(settings: Record<string, string>) {
  const running = runServer({ DIST_DIR: builtApp(), ...settings });
  onTestFinished(async () => {
    await running.kill();
  });
  return running;
}

async function inPostgres(sql: string) {
  const client = new Client(inject('postgresUrl'));
  await client.connect();
  await client.query(sql);
  await client.end();
}
