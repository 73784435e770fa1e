import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StoreUnavailable } from '../store/database.ts';
import { migrate, openStore } from '../store/store.ts';
import { signedInClient } from '../../testing/cookie-client.ts';
import { openDatabase } from '../../testing/database.ts';
import { runSql } from '../../testing/sql.ts';
import type { WorkerData } from './open-store-worker.ts';
import {
  beginTransaction,
  copyClient,
  createPostgresDatabase,
  emptyStore,
  freshDatabase,
  openForTest,
  startServer,
  storeNames,
} from '../../testing/server-fixtures.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

/** Returns a folder with migrations. Their numbers have to come after those of the server. */
function createMigrations(files: Record<string, string>): string {
  const folder = temporaryFolder();
  for (const [name, sql] of Object.entries(files)) writeFileSync(join(folder, name), sql);
  return folder;
}

describe.each(storeNames)('a later migration of %s', (storeName) => {
  const dialect = storeName === 'SQLite' ? 'sqlite' : 'postgresql';

  async function openEmpty() {
    const database = (await freshDatabase(storeName))();
    onTestFinished(() => database.close());
    return database;
  }

  test('runs once, in the order of the numbers, and keeps what is stored', async () => {
    const settings = await emptyStore(storeName);
    const start = () => startServer({ database: openDatabase(settings) });
    const client = await signedInClient(await start());
    const { body: project } = await client.createProject();

    const database = openDatabase(settings);
    onTestFinished(() => database.close());
    const folder = createMigrations({
      '902-fill.sql': "update projects set color = color || ' and blue'",
      '900-other.sql.bak': 'not SQL',
      '900-other.sqlite.sql.bak': 'not SQL',
      '900-other.postgresql.sql~': 'not SQL',
      '901-add.sqlite.sql': "alter table projects add column color text default 'sqlite'",
      '901-add.postgresql.sql': "alter table projects add column color text default 'postgresql'",
    });
    const names = [`901-add.${dialect}.sql`, '902-fill.sql'];
    expect(await migrate(database, folder)).toEqual(names);
    expect(await migrate(database, folder)).toEqual([]);
    expect(await database.query('select color from projects')).toEqual([
      { color: `${dialect} and blue` },
    ]);

    // The server that has started before, and one that starts now.
    for (const address of [client.address, await start()]) {
      const user = copyClient(client, address);
      expect((await user.listProjects()).body).toContainEqual(
        expect.objectContaining(project as object),
      );
      expect((await user.createProject()).status).toBe(201);
    }
  });

  test('that fails changes nothing, and runs when its SQL is right', async () => {
    const database = await openEmpty();
    const create = 'create table drafts (id integer)';
    const folder = createMigrations({ '901-drafts.sql': `${create}; ${create}` });
    await expect(migrate(database, folder)).rejects.toThrow('drafts');
    writeFileSync(join(folder, '901-drafts.sql'), create);
    expect(await migrate(database, folder)).toEqual(['901-drafts.sql']);
    expect(await database.query('select id from drafts')).toEqual([]);
  });
});

describe.each(storeNames)('a start on %s', (storeName) => {
  test.each([
    ['a table', 'create table users (id text)'],
    ['a view', 'create view recent as select 1 as id'],
    ['tables with our names', 'create table accounts (id text); create table projects (id text)'],
    ['a record of migrations', 'create table migrations (id text, name text)'],
  ])('refuses a database in which another program has %s, and leaves it', async (_case, sql) => {
    const database = (await freshDatabase(storeName))();
    onTestFinished(() => database.close());
    await Promise.all(sql.split(';').map((statement) => database.query(statement)));
    const names = sql.match(/(?<=create \w+ )\w+/g)!;
    const problem = `it has tables of another program (${names.join(', ')}): use another database`;
    // The second one finds what the first one would have created.
    await expect(openStore(database)).rejects.toThrow(problem);
    await expect(openStore(database, { creates: false })).rejects.toThrow(problem);
  });
});

test('a start on PostgreSQL uses a schema beside those of others, and extensions', async () => {
  const url = await createPostgresDatabase();
  const program = 'create table public.users (id text)';
  await runSql(url, `${program}; create schema tracker`);
  await runSql(url, 'create extension pg_stat_statements schema tracker');
  await openStore(openForTest(`${url}?options=-csearch_path%3Dtracker`));
  expect(await runSql(url, 'select from tracker.migrations')).not.toEqual([]);
});

test('if eight workers open a new file of SQLite at once, each migration runs once', async () => {
  const workers = 8;
  const ready = new Int32Array(new SharedArrayBuffer(4));
  const workerData: WorkerData = { folder: temporaryFolder(), migrations: 40, workers, ready };
  const script = new URL('./open-store-worker.ts', import.meta.url);
  const started = Array.from({ length: workers }, () => new Worker(script, { workerData }));
  // Rejects if a worker fails, for example because a table exists or a lock was not waited for.
  const exits = await Promise.all(started.map((worker) => once(worker, 'exit')));
  expect(exits.flat()).toEqual(Array.from({ length: workers }, () => 0));
});

test.each([
  ['commit', []],
  ['rollback', ['901-drafts.sql']],
])(
  'on PostgreSQL, a migration waits for another process that runs it, until its %s',
  async (end, ran) => {
    const settings = await emptyStore('PostgreSQL');
    const other = await beginTransaction(settings);
    const create = 'create table drafts (id integer)';
    await other.run('create table migrations (name text primary key)');
    await other.run(`insert into migrations values ('901-drafts.sql'); ${create}`);
    const database = openForTest(settings['DATABASE_URL']!);
    const running = migrate(database, createMigrations({ '901-drafts.sql': create }));
    await other.untilAwaited();
    await other.run(end);
    expect(await running).toEqual(ran);
    expect(await database.query('select id from drafts')).toEqual([]);
  },
);

test('on PostgreSQL, a migration behind a long read lets other reads pass, and is tried again', async () => {
  const settings = await emptyStore('PostgreSQL');
  const database = openForTest(settings['DATABASE_URL']!);
  await database.query('create table texts (id integer)');
  const long = await beginTransaction(settings);
  await long.run('select from texts');
  const folder = createMigrations({ '901-add.sql': 'alter table texts add column text text' });
  const running = migrate(database, folder);
  const failed = running.catch((error: unknown) => error);
  await long.untilAwaited();
  expect(await database.query('select id from texts')).toEqual([]);
  expect(await failed).toBeInstanceOf(StoreUnavailable);
  await long.run('commit');
  expect(await migrate(database, folder)).toEqual(['901-add.sql']);
});

test('the keys of PostgreSQL have an order that never changes, in every index', async () => {
  const url = await createPostgresDatabase();
  await openStore(openForTest(url));
  const findOthers = () =>
    runSql(
      url,
      `select attrelid::regclass::text as index, attname as column
       from pg_attribute join pg_class on pg_class.oid = attrelid
       where relkind = 'i' and relnamespace = 'public'::regnamespace
         and attcollation not in (0, (select oid from pg_collation where collname = 'C'))`,
    );
  expect(await findOthers()).toEqual([]);
  await runSql(url, 'create index planted on accounts (role)');
  expect(await findOthers()).toEqual([{ index: 'planted', column: 'role' }]);
});
