import { randomUUID } from 'node:crypto';
import { expect, inject, onTestFinished, test } from 'vitest';
import { openPostgres } from '../store/postgres.ts';
import { StoreUnavailable } from '../store/database.ts';
import { describePostgresError } from '../store/postgres-errors.ts';
import { assertUsable } from '../store/postgres-session.ts';
import { openStore } from '../store/store.ts';
import { signedInClient, type CookieClient } from '../../testing/cookie-client.ts';
import { projectWithText } from '../../testing/projects.ts';
import {
  alterPostgresDatabase,
  createPostgresDatabase,
  openForTest,
  readiness,
  startProcess,
  startServer,
} from '../../testing/server-fixtures.ts';
import { runSql } from '../../testing/sql.ts';

/** Creates a role, and a database in which it may create tables. */
async function createRole() {
  const role = `role_${randomUUID().replaceAll('-', '')}`;
  // After the database is dropped, which is cleaned up earlier.
  onTestFinished(
    async () => void (await runSql(inject('postgresUrl'), `drop role if exists ${role}`)),
  );
  const adminUrl = await createPostgresDatabase();
  const run = (sql: string) => runSql(adminUrl, sql);
  const url = new URL(adminUrl);
  const database = url.pathname.slice(1);
  await run(
    `create role ${role} login password 'secret'; grant create on schema public to ${role}`,
  );
  Object.assign(url, { username: role, password: 'secret' });
  return { role, database, url: url.href, run };
}

/** Defaults with which calls would fail, lose data or not be noticed in the list. */
const harmful = {
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  lock_timeout: '1ms',
  statement_timeout: '200ms',
  idle_in_transaction_session_timeout: '1ms',
  synchronous_commit: 'off',
  exit_on_error: 'on',
};
type Place = Awaited<ReturnType<typeof createRole>>;

test.each([
  ['role', { default_transaction_read_only: 'on' }],
  ['database', {}],
] as const)('the defaults of a %s change nothing', async (owner, more) => {
  const place = await createRole();
  const settings = Object.entries({ ...harmful, ...more });
  const changes = settings.map(
    ([name, value]) => `alter ${owner} ${place[owner]} set ${name} = '${value}'`,
  );
  await place.run(changes.join(';'));
  expect(await signUpCrowd(place.url)).toEqual(served);
});

test('the options of DATABASE_URL change nothing', async () => {
  const url = new URL((await createRole()).url);
  const all = Object.entries(harmful);
  url.searchParams.set('options', all.map(([name, value]) => `-c ${name}=${value}`).join(' '));
  expect(await signUpCrowd(url.href)).toEqual(served);
});

/** Signs up 20 users at once, who create projects. Returns what they see. */
async function signUpCrowd(url: string) {
  const database = openPostgres(url);
  const address = await startServer({ database });
  const clients = await Promise.all(Array.from({ length: 20 }, () => signedInClient(address)));
  const created = await Promise.all(
    clients.flatMap((client) => [client.createProject(), client.createProject()]),
  );
  const [client] = clients as [CookieClient];
  const { body: list } = await client.listProjects();
  return {
    created: [...new Set(created.map(({ status }) => status))],
    list,
    readiness: await readiness(client)(),
    commit: await database.query("select current_setting('synchronous_commit') as level"),
  };
}

const served = {
  created: [201],
  list: [expect.anything(), expect.anything()],
  readiness: 200,
  commit: [{ level: 'on' }],
};

test('PostgreSQL ends the transaction of a server that stands still, and with it its locks', async () => {
  const database = openForTest(await createPostgresDatabase(), { timeoutMs: 12_000 });
  const sql = "select current_setting('idle_in_transaction_session_timeout') as timeout";
  expect(await database.query(sql)).toEqual([{ timeout: '12s' }]);
});

/** Creates a database in an encoding. Returns its URL. */
async function createEncodedDatabase(encoding: string): Promise<string> {
  const url = await createPostgresDatabase();
  const name = new URL(url).pathname.slice(1);
  const options = `encoding '${encoding}' locale 'C' template template0`;
  await runSql(inject('postgresUrl'), `drop database ${name}`);
  await runSql(inject('postgresUrl'), `create database ${name} ${options}`);
  return url;
}

test('a database in LATIN1 is refused with a sentence', async () => {
  expect(await problemOf(await createEncodedDatabase('LATIN1'))).toMatch(
    /^its encoding LATIN1 .+"create database … encoding 'UTF8' template template0"$/,
  );
});

test('a database in SQL_ASCII holds every text', async () => {
  const database = openPostgres(await createEncodedDatabase('SQL_ASCII'));
  const client = await signedInClient(await startServer({ database }));
  const project = projectWithText('€ ß 😀 \\u00e9 日本');
  expect((await client.createProject(project)).status).toBe(201);
  expect((await client.listProjects()).body).toEqual([expect.objectContaining(project)]);
});

test('a PostgreSQL that is too old is refused with a sentence', () => {
  const session = { isDirect: true, isReadOnly: false, localSettings: '' };
  const old = { ...session, version: '10.23 (Debian)', encoding: 'UTF8', role: 'origin' };
  expect(() => assertUsable(old)).toThrow(
    'its version is 10.23 (Debian), but the server needs PostgreSQL 11 or newer',
  );
  expect(() => assertUsable({ ...old, version: '19beta1' })).not.toThrow();
});

/** Returns the description of the error that ends a start. Fails if the start would wait. */
async function problemOf(url: string): Promise<string> {
  const error = await openStore(openForTest(url)).catch((reason: Error) => reason);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(StoreUnavailable);
  return describePostgresError(error as Error);
}

/** Returns the URL of the administrator with other parts. */
function changedUrl(parts: Partial<URL>, options?: string): string {
  const url = Object.assign(new URL(inject('postgresUrl')), parts);
  if (options) url.searchParams.set('options', options);
  return url.href;
}

test.each<[name: string, parts: Partial<URL>, options: string, message: string]>([
  ['a wrong password', { password: 'sEcret' }, '', 'correct the password'],
  ['no password', { password: '' }, '', 'correct the password'],
  ['an unknown role', { username: 'nobody' }, '', 'nobody'],
  ['an unknown database', { pathname: 'none' }, '', 'create the database'],
  ['TLS on a server without', { search: 'sslmode=require' }, '', 'correct sslmode'],
  ['an unknown option', {}, '-c nonsense=1', 'correct the options'],
  ['a wrong option', {}, '-c work_mem=much', 'correct the options'],
  ['no option', {}, 'nonsense', 'correct the options'],
  ['an unknown schema', {}, '-c search_path=none', 'create the schema'],
])('a start with %s ends with a sentence', async (_name, parts, options, message) => {
  expect(await problemOf(changedUrl(parts, options))).toContain(message);
});

test.each<[name: string, change: (place: Place) => string, message: string]>([
  [
    'a role that may not create tables',
    ({ role }) => `revoke create on schema public from ${role}`,
    'grant the role usage and create',
  ],
  [
    'a role that may not connect',
    ({ database }) => `revoke connect on database ${database} from public`,
    'permission denied for database',
  ],
  ['a role without login', ({ role }) => `alter role ${role} nologin`, 'not permitted to log in'],
  [
    'an expired role',
    ({ role }) => `alter role ${role} valid until '2000-01-01'`,
    'correct the password',
  ],
  [
    'a read-only database',
    ({ database }) => `alter database ${database} set default_transaction_read_only = on`,
    'default_transaction_read_only is "on", so reset it',
  ],
  [
    'disabled triggers',
    ({ role }) => `alter role ${role} set session_replication_role = replica`,
    'session_replication_role is "replica"',
  ],
])('a start with %s ends with a sentence', async (_name, change, message) => {
  const place = await createRole();
  await place.run(change(place));
  expect(await problemOf(place.url)).toContain(message);
});

/** Applies the migrations as an administrator, and gives the role rights on the tables. */
async function migrateFor({ role, run }: Place, rights: string) {
  const adminUrl = new URL(inject('postgresUrl'));
  adminUrl.pathname = String((await run('select current_database() as name'))[0]!['name']);
  await openStore(openForTest(adminUrl.href));
  await run(`revoke create on schema public from ${role}`);
  await run(`grant ${rights} on all tables in schema public to ${role}`);
}

test('a role without the right to create tables uses those that exist', async () => {
  const place = await createRole();
  await migrateFor(place, 'select, insert, update, delete');
  const { address } = await startProcess({ DATABASE_URL: place.url });
  const client = await signedInClient(address);
  expect((await client.createProject()).status).toBe(201);
  expect(await readiness(client)()).toBe(200);
});

test.each([
  ['select', /lacks insert on accounts, .+ delete on sessions, .+, so grant it/],
  ['insert, update, delete', /lacks select on migrations, .+, so grant it/],
])('a role with only the rights %s is refused with a sentence', async (rights, text) => {
  const place = await createRole();
  await migrateFor(place, rights);
  expect(await problemOf(place.url)).toMatch(text);
});

test('row-level security that may hide rows is refused with a sentence', async () => {
  const place = await createRole();
  await migrateFor(place, 'select, insert, update, delete');
  for (const table of ['projects', 'accounts']) {
    await place.run(`alter table ${table} enable row level security`);
  }
  expect(await problemOf(place.url)).toContain('rows of accounts, projects from the role');
});

test('a role that may not run a missing migration is refused with a sentence', async () => {
  const place = await createRole();
  await migrateFor(place, 'select, insert, update, delete');
  await place.run('delete from migrations');
  expect(await problemOf(place.url)).toMatch(
    /^permission denied for schema public: grant the role/,
  );
});

test.each([
  ['a refused connection', () => changedUrl({ port: '1' })],
  ['an unknown host', () => changedUrl({ hostname: 'none.invalid' })],
  [
    'no free connection',
    async () => {
      const { role, url, run } = await createRole();
      await run(`alter role ${role} connection limit 0`);
      return url;
    },
  ],
  [
    'a database in maintenance',
    async () => {
      const url = await createPostgresDatabase();
      await alterPostgresDatabase(url, 'allow_connections false');
      return url;
    },
  ],
])('a start with %s is tried again', async (_name, createUrl) => {
  await expect(openStore(openForTest(await createUrl()))).rejects.toThrow(StoreUnavailable);
});
