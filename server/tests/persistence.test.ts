import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openStore } from '../store/store.ts';
import { openSqlite } from '../store/sqlite.ts';
import { backUpSqlite } from '../store/sqlite-files.ts';
import { CookieClient, signedInClient } from '../../testing/cookie-client.ts';
import { countRows, openDatabase, withDatabase } from '../../testing/database.ts';
import { longProject } from '../../testing/projects.ts';
import { runServer, type Environment } from '../../testing/server-process.ts';
import { runSql } from '../../testing/sql.ts';
import {
  beginTransaction,
  emptyStore,
  refusal,
  startServer,
  storeNames,
} from '../../testing/server-fixtures.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

const unavailable = refusal('unavailable');

test('SQLite syncs every transaction, even if it was built to sync less', async () => {
  const exec = Reflect.get(DatabaseSync.prototype, 'exec');
  const syncingLess = new WeakSet();
  const spy = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (
    this: DatabaseSync,
    sql,
  ) {
    // The default of such a build.
    if (!syncingLess.has(this)) exec.call(this, 'pragma synchronous = normal');
    syncingLess.add(this);
    exec.call(this, sql);
  });
  onTestFinished(() => spy.mockRestore());
  const folder = temporaryFolder();
  for (const database of [openSqlite(folder), openSqlite(folder)]) {
    onTestFinished(() => database.close());
    expect(await database.query('pragma synchronous')).toEqual([{ synchronous: 2 }]);
  }
  expect(spy).toHaveBeenCalled();
});

test('a full disk refuses writes, allows reads, and recovers when there is space', async () => {
  const database = openSqlite(temporaryFolder());
  const client = await signedInClient(await startServer({ database }));
  const [{ page_count: pages }] = (await database.query('pragma page_count')) as [
    { page_count: number },
  ];
  const large = longProject(10_000, '🐎');

  // Space for one of them.
  await database.query(`pragma max_page_count = ${pages + 15}`);
  let created = 0;
  let reply = await client.createProject(large);
  for (; reply.status === 201; created += 1) reply = await client.createProject(large);
  expect(created).toBe(1);
  expect(reply).toMatchObject(unavailable);
  expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
  expect((await client.listProjects()).body).toHaveLength(created);
  expect((await client.call('GET', '/readyz')).status).toBe(200);

  await database.query('pragma max_page_count = 1000000');
  expect((await client.createProject(large)).status).toBe(201);
  expect((await client.listProjects()).body).toHaveLength(created + 1);
});

test('while another process locks SQLite, a write waits and other requests are answered', async () => {
  const settings = await emptyStore('SQLite');
  const client = await signedInClient(await startServer({ database: openDatabase(settings) }));
  const other = await beginTransaction(settings);
  const create = client.createProject();
  for (let i = 0; i < 10; i += 1) {
    expect((await client.call('GET', '/healthz')).status).toBe(200);
    expect((await client.listProjects()).body).toEqual([]);
  }
  await other.run('commit');
  expect((await create).status).toBe(201);
});

test('the write-ahead log of SQLite shrinks after a long read of another process', async () => {
  const folder = temporaryFolder();
  const database = openSqlite(folder);
  onTestFinished(() => database.close());
  await database.query('create table texts (text text)');
  const reader = new DatabaseSync(join(folder, 'tracker.sqlite'), { readOnly: true });
  onTestFinished(() => reader.close());
  reader.exec('begin; select * from texts');
  const insert = (bytes: number) =>
    database.query('insert into texts values ($1)', ['x'.repeat(bytes)]);
  const walBytes = () => statSync(join(folder, 'tracker.sqlite-wal')).size;
  for (let i = 0; i < 40; i += 1) await insert(1_000_000);
  expect(walBytes()).toBeGreaterThan(40_000_000);
  reader.exec('rollback');
  // The first write copies the log into the database, the second one starts the log again.
  for (let i = 0; i < 2; i += 1) await insert(1);
  expect(walBytes()).toBeLessThanOrEqual(16 * 1024 * 1024);
});

describe('a file that cannot be used', () => {
  test.each([
    ['a damaged page', damagedFolder, true],
    ['one changed byte in the index of the emails', () => damagedIndex('accounts_2'), true],
    // Comparing all indexes with their tables would take too long at a start.
    ['one changed byte in another index', () => damagedIndex('projects_3'), false],
    ['no bytes', emptyFolder, true],
  ])('with %s is not backed up, and not opened', async (_case, createFolder, isSeenWhenOpened) => {
    const folder = await createFolder();
    const { size } = statSync(join(folder, 'tracker.sqlite'));
    const target = temporaryFolder();
    const problem = /(damaged|is empty).+restore a backup/;
    const backup = backUpSqlite(folder, join(target, 'backup.sqlite'));
    await expect(backup).rejects.toThrow(problem);
    expect(readdirSync(target)).toEqual([]);
    if (!isSeenWhenOpened) return;
    expect(() => openSqlite(folder)).toThrow(problem);
    expect(statSync(join(folder, 'tracker.sqlite')).size).toBe(size);
  });
});

test('SQLite writes temporary files to the data folder, because /tmp may be read-only', async () => {
  const folder = join(temporaryFolder(), "it's");
  const database = openSqlite(folder);
  onTestFinished(() => database.close());
  expect(await database.query('pragma temp_store_directory')).toEqual([
    { temp_store_directory: folder },
  ]);
});

describe('backup.ts', () => {
  test('copies everything while the server writes, and a server starts on the copy', async () => {
    const { folder, client } = await startOnFolder();
    const created = [await client.createProject(), await client.createProject()];
    const writing = new AbortController();
    const writer = (async () => {
      while (!writing.signal.aborted) {
        await client.createProject();
      }
    })();
    const copy = temporaryFolder();
    const file = join(copy, 'tracker.sqlite');
    const { code, output } = await runCommand('backup', { DATA_DIR: folder }, file);
    writing.abort();
    await writer;

    const printed = expect.stringMatching(/^Backed up to .+ \(\d+ bytes\)\.\n$/);
    expect({ code, output }).toEqual({ code: 0, output: printed });
    expect(readdirSync(copy)).toEqual(['tracker.sqlite']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const restored = new CookieClient(await startServer({ database: openSqlite(copy) }));
    expect((await restored.login(client.credentials)).status).toBe(200);
    const projects = (await restored.listProjects()).body as unknown[];
    expect(projects.slice(0, 2)).toEqual(created.map(({ body }) => body));
  });

  test.each([
    ['an existing file', 'precious.sqlite', ' exists, and no backup is overwritten'],
    ['a file in a missing folder', 'missing/backup.sqlite', ': the folder must exist, .+'],
  ])('leaves %s as it is', async (_case, name, message) => {
    const { folder } = await startOnFolder();
    const target = temporaryFolder();
    writeFileSync(join(target, 'precious.sqlite'), 'precious');
    const errors = expect.stringMatching(new RegExp(`^No backup was made: .+${message}\\.\n$`));
    const command = runCommand('backup', { DATA_DIR: folder }, join(target, name));
    expect(await command).toMatchObject({ code: 1, errors });
    expect(readdirSync(target)).toEqual(['precious.sqlite']);
    expect(readFileSync(join(target, 'precious.sqlite'), 'utf8')).toBe('precious');
  });

  test.each([
    ['without a file', {}, [], 'Usage: node server/commands/backup.ts FILE'],
    ['with two files', {}, ['a', 'b'], 'Usage: node server/commands/backup.ts FILE'],
    ['with an invalid setting', { LOG_LEVEL: 'loud' }, ['a'], 'LOG_LEVEL'],
    ['without data', { DATA_DIR: '/nowhere' }, ['/a'], 'DATA_DIR must be an existing folder'],
    ['for PostgreSQL', { DATABASE_URL: 'postgres://u:secret@h/d' }, ['a'], 'docs/operations.md'],
  ])('%s prints what to do', async (_case, settings, args, message) => {
    const printed = await runCommand('backup', settings, ...args);
    expect(printed).toMatchObject({ code: 1, errors: expect.stringContaining(message) });
    expect(printed.errors).not.toContain('secret');
  });
});

test.each(storeNames)('reset-password.ts gives an account a new password on %s', async (name) => {
  const settings = await emptyStore(name);
  const address = await startServer({ database: openDatabase(settings) });
  const client = await new CookieClient(address, internationalized).signUp();
  await client.createProject();
  const other = await signedInClient(address);

  const { code, output } = await runCommand('reset-password', settings, 'ADA@münchen.example');
  expect(`${code} ${output}`).toMatch(
    /^0 The new password of ADA@münchen\.example is \S{20}\nEnded 1 sessions\.\n$/,
  );
  expect((await client.listProjects()).status).toBe(401);
  expect((await other.listProjects()).status).toBe(200);
  expect((await client.login()).status).toBe(401);
  const [, password = ''] = / is (\S+)/.exec(output) ?? [];
  expect((await client.login({ ...client.credentials, password })).status).toBe(200);
  expect((await client.listProjects()).body).toHaveLength(1);
});

test.each(storeNames)('delete-account.ts deletes all of one account on %s', async (name) => {
  const settings = await emptyStore(name);
  const database = openDatabase(settings);
  const address = await startServer({ database });
  const client = await new CookieClient(address, internationalized).signUp();
  await client.createProject();
  const other = await signedInClient(address);
  await other.createProject();
  await client.login({ ...client.credentials, password: 'wrong horse' });

  const email = 'ADA@münchen.example';
  const output = `Deleted the account ${email} with its projects and sessions.\n`;
  expect(await runCommand('delete-account', settings, email)).toMatchObject({ code: 0, output });
  const counted = "select made from attempt_buckets where email_hash <> '' and made > 0";
  expect({ attempt_buckets: await database.query(counted) }).toEqual({ attempt_buckets: [] });
  expect((await client.listProjects()).status).toBe(401);
  expect((await client.createProject()).status).toBe(401);
  expect((await client.login()).status).toBe(401);
  expect((await other.listProjects()).body).toHaveLength(1);
  const left = { accounts: 1, projects: 1, sessions: 1, known_networks: 1 };
  expect(await countRows(database, Object.keys(left))).toEqual(left);
  expect((await client.register()).status).toBe(201);
  await client.login();
  expect((await client.listProjects()).body).toEqual([]);
});

test('a session whose account was deleted by a shell is none', async () => {
  const settings = await emptyStore('SQLite');
  const client = await signedInClient(await startServer({ database: openDatabase(settings) }));
  {
    const file = join(settings['DATA_DIR']!, 'tracker.sqlite');
    using shell = new DatabaseSync(file, { enableForeignKeyConstraints: false });
    shell.exec('delete from accounts');
  }
  expect((await client.listProjects()).status).toBe(401);
  expect((await client.createProject()).status).toBe(401);
  expect((await client.register()).status).toBe(201);
  expect((await client.login()).status).toBe(200);
  expect((await client.listProjects()).body).toEqual([]);
});

const internationalized = { email: 'ada@münchen.example', password: 'correct horse' };

test.each(storeNames)('sign-out.ts ends all sessions of one account on %s', async (name) => {
  const settings = await emptyStore(name);
  const address = await startServer({ database: openDatabase(settings) });
  const client = await new CookieClient(address, internationalized).signUp();
  const other = await signedInClient(address);
  const otherBrowser = new CookieClient(address);
  await otherBrowser.login(client.credentials);

  const email = client.credentials.email.toUpperCase();
  const { code, output } = await runCommand('sign-out', settings, email);
  expect({ code, output }).toEqual({ code: 0, output: `Ended 2 sessions of ${email}.\n` });
  expect((await client.listProjects()).status).toBe(401);
  expect((await otherBrowser.listProjects()).status).toBe(401);
  expect((await other.listProjects()).status).toBe(200);
});

test.each(storeNames)('unlock.ts clears a lock on %s', async (name) => {
  const settings = await emptyStore(name);
  const options = { trustedProxies: ['127.0.0.1'], now: () => Date.UTC(2030, 0, 1) };
  const address = await startServer({ database: openDatabase(settings), ...options });
  const client = new CookieClient(address, internationalized);
  const headers = { 'x-forwarded-for': '2001:db8::1' };
  await client.register(undefined, { headers });
  const { email } = client.credentials;
  for (let i = 0; i < 10; i += 1)
    await client.login({ email, password: 'wrong horse' }, { headers });
  expect((await client.login(undefined, { headers })).status).toBe(429);
  const unlocked = await runCommand('unlock', settings, email.toUpperCase());
  expect(unlocked).toMatchObject({
    code: 0,
    output: `Unlocked ${email.toUpperCase()}. To clear the limits of an IP address, name it.\n`,
  });
  expect((await client.login(undefined, { headers })).status).toBe(200);

  await withDatabase(settings, (database) =>
    database.query(`update attempt_buckets set debt_ms = 1000000 where email_hash = ''`),
  );
  expect((await client.login(undefined, { headers })).status).toBe(429);
  expect(await runCommand('unlock', settings, '2001:db8::2')).toMatchObject({
    code: 0,
    output: 'Unlocked 2001:db8:0:0::/64 and 2001:db8:0::/48.\n',
  });
  expect((await client.login(undefined, { headers })).status).toBe(200);
  expect(await runCommand('unlock', settings, '192.0.2.1')).toMatchObject({
    code: 0,
    output: 'No attempts are counted for 192.0.2.1.\n',
  });
});

test.each([
  ['sign-out', 'unknown@example.org', 'No account has the email unknown@example.org.\n'],
  ['reset-password', 'unknown@example.org', 'No account has the email unknown@example.org.\n'],
  ['delete-account', 'unknown@example.org', 'No account has the email unknown@example.org.\n'],
  ['unlock', 'unknown@example.org', 'No account has the email unknown@example.org.\n'],
  ['unlock', 'ada', '"ada" is neither an email nor an IP address.\n'],
] as const)('%s.ts refuses %j with one sentence', async (command, argument, errors) => {
  const settings = await emptyStore('SQLite');
  await withDatabase(settings, openStore);
  expect(await runCommand(command, settings, argument)).toMatchObject({ code: 1, errors });
});

describe.each([
  ['backup', 'backup.sqlite'],
  ['sign-out', 'ada@example.org'],
] as const)('%s.ts creates no database', (command, argument) => {
  test.each<[string, string[], (folder: string) => string, message: string]>([
    ['a missing folder', [], (folder) => join(folder, 'none'), 'must be an existing folder'],
    ['an empty folder', [], (folder) => folder, 'there is no database in'],
    ['an empty file', ['tracker.sqlite'], (folder) => folder, 'tracker.sqlite is empty'],
    ['only a log', ['tracker.sqlite-wal'], (folder) => folder, 'there is no database in'],
  ])('in %s', async (_case, names, dataDirectory, message) => {
    const folder = temporaryFolder();
    for (const name of names) writeFileSync(join(folder, name), '');
    const settings = { DATA_DIR: dataDirectory(folder) };
    const errors = expect.stringContaining(message);
    const printed = runCommand(command, settings, join(folder, argument));
    expect(await printed).toMatchObject({ code: 1, errors });
    expect(readdirSync(folder)).toEqual(names);
  });
});

test('sign-out.ts creates no tables in an empty database of PostgreSQL', async () => {
  const settings = await emptyStore('PostgreSQL');
  const { code, errors } = await runCommand('sign-out', settings, 'ada@example.org');
  expect({ code, errors }).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/^DATABASE_URL: .+ is not a database of this app, .+\n$/),
  });
  await expect(runSql(settings['DATABASE_URL']!, 'select from migrations')).rejects.toThrow(
    'exist',
  );
});

async function startOnFolder() {
  const folder = temporaryFolder();
  const client = await signedInClient(await startServer({ database: openSqlite(folder) }));
  return { folder, client };
}

/** Returns a DATA_DIR whose database has an overwritten page. */
const damagedFolder = () =>
  damagedCopy((bytes) => {
    const middle = 4096 * Math.floor(bytes.length / 4096 / 2);
    bytes.fill(0xff, middle, middle + 4096);
  });

/** Returns a DATA_DIR in which one byte of a text is changed in an index, not in its table. */
const damagedIndex = (index: 'accounts_2' | 'projects_3') =>
  damagedCopy((bytes, database, email) => {
    const { rootpage } = database
      .prepare('select rootpage from sqlite_schema where name = ?')
      .get(`sqlite_autoindex_${index}`) as { rootpage: number };
    const page = bytes.subarray((rootpage - 1) * 4096, rootpage * 4096);
    page[page.indexOf(index === 'accounts_2' ? email : 'damaged-key')]! += 1;
  });

/** Returns a DATA_DIR with a copy of a database, of which `damage` changes the bytes. */
async function damagedCopy(damage: (bytes: Buffer, copy: DatabaseSync, email: string) => void) {
  const { folder, client } = await startOnFolder();
  await client.createProject(undefined, { headers: { 'idempotency-key': 'damaged-key' } });
  for (let i = 0; i < 20; i += 1) {
    await client.createProject(longProject(5_000));
  }
  const damaged = temporaryFolder();
  const file = join(damaged, 'tracker.sqlite');
  await backUpSqlite(folder, file);
  const bytes = readFileSync(file);
  {
    using copy = new DatabaseSync(file);
    damage(bytes, copy, client.credentials.email);
  }
  writeFileSync(file, bytes);
  return damaged;
}

async function emptyFolder(): Promise<string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'tracker.sqlite'), '');
  return folder;
}

async function runCommand(
  name: 'backup' | 'delete-account' | 'reset-password' | 'sign-out' | 'unlock',
  settings: Environment,
  ...args: string[]
) {
  const running = runServer(settings, { script: `commands/${name}.ts`, args });
  const ended = await running.ended;
  return { ...ended, output: running.output() };
}
