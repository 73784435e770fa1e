import { hash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { restoreSqlite } from '../store/restore.ts';
import { backUpSqlite, openSqlite } from '../store/sqlite.ts';
import { openStore } from '../store/store.ts';
import { runServer } from '../../tests/support/server-process.ts';
import { longTestMs } from '../../tests/support/time-limits.ts';
import { temporaryFolder } from './support.ts';

vi.setConfig({ testTimeout: longTestMs });

const fileName = 'tracker.sqlite';

/** Opens the database of a DATA_DIR as a server does. */
async function openFolder(folder: string) {
  const database = openSqlite(folder);
  return { database, store: await openStore(database) };
}

/** Stores an account with each email, and stops. */
async function addAccounts(folder: string, ...emails: string[]) {
  const { store } = await openFolder(folder);
  for (const email of emails) {
    await store.createAccount({ id: email, email, passwordHash: '', role: 'member' });
  }
  await store.close();
  return folder;
}

const folderWith = (...emails: string[]) => addAccounts(temporaryFolder(), ...emails);

/** Adds an account to a DATA_DIR as a server that is killed: its write-ahead log stays. */
async function addAndKill(folder: string, email: string) {
  const { store } = await openFolder(folder);
  await store.createAccount({ id: email, email, passwordHash: '', role: 'member' });
  const killed = temporaryFolder();
  for (const name of [fileName, `${fileName}-wal`]) {
    copyFileSync(join(folder, name), join(killed, name));
  }
  await store.close();
  return killed;
}

async function backupOf(folder: string) {
  const file = join(temporaryFolder(), 'backup.sqlite');
  await backUpSqlite(folder, file);
  return file;
}

/** Returns the file of a stopped server, which says that it may have a write-ahead log. */
async function coldCopyOf(folder: string) {
  const file = join(temporaryFolder(), 'cold.sqlite');
  copyFileSync(join(folder, fileName), file);
  return file;
}

async function emailsOf(folder: string) {
  const { database, store } = await openFolder(folder);
  const rows = await database.query<{ email: string }>('select email from accounts order by email');
  await store.close();
  return rows.map(({ email }) => email);
}

/** Returns the hashes of all files but the index of the write-ahead log, which SQLite renews. */
const contentOf = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => !name.endsWith('-shm'))
      .map((name) => [name, hash('sha256', readFileSync(join(folder, name)))]),
  );

function write(folder: string, name: string, content: string | Buffer = '') {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

function databaseWith(sql: string) {
  const file = join(temporaryFolder(), 'other.sqlite');
  using database = new DatabaseSync(file);
  database.exec(sql);
  return file;
}

describe('restoring a backup', () => {
  test.each<[string, () => Promise<string>, former: string[]]>([
    ['an empty folder', async () => temporaryFolder(), []],
    ['a database', () => folderWith('new@x.org'), ['']],
    ['that of a killed server', async () => addAndKill(await folderWith(), 'new@x.org'), ['']],
    [
      'an empty file',
      async () => {
        const folder = temporaryFolder();
        write(folder, fileName);
        return folder;
      },
      [''],
    ],
    [
      'a damaged file and its log',
      async () => {
        const folder = await addAndKill(await folderWith(), 'new@x.org');
        write(folder, fileName, 'no database '.repeat(1000));
        return folder;
      },
      ['', '-wal'],
    ],
    [
      'a backup that was copied over a database with a log',
      async () => {
        const folder = await addAndKill(await folderWith(), 'new@x.org');
        copyFileSync(await backupOf(await folderWith('old@x.org')), join(folder, fileName));
        return folder;
      },
      ['', '-wal'],
    ],
  ])('over %s keeps the former files', async (_name, createFolder, kept) => {
    const folder = await createFolder();
    const { former } = await restoreSqlite(await backupOf(await folderWith('kept@x.org')), folder);
    const names = readdirSync(folder).filter((name) => !name.endsWith('-shm'));
    expect(names.toSorted()).toEqual([
      fileName,
      ...kept.map((suffix) => basename(former!) + suffix),
    ]);
    expect(statSync(join(folder, fileName)).mode & 0o777).toBe(0o666 & ~process.umask());
    expect(await emailsOf(folder)).toEqual(['kept@x.org']);
  });
});

test('the file of a stopped server can be restored', async () => {
  const folder = await folderWith('former@x.org');
  await restoreSqlite(await coldCopyOf(await folderWith('kept@x.org')), folder);
  expect(await emailsOf(folder)).toEqual(['kept@x.org']);
});

test('the former database can be restored', async () => {
  const folder = await folderWith('former@x.org');
  const { former } = await restoreSqlite(await backupOf(await folderWith('kept@x.org')), folder);
  await restoreSqlite(former!, folder);
  expect(await emailsOf(folder)).toEqual(['former@x.org']);
});

test.each<[string, (folder: string) => string | Promise<string>, message: string]>([
  ['a missing file', (folder) => join(folder, 'none'), 'there is no file'],
  ['a folder', () => temporaryFolder(), 'is not a file'],
  ['an empty file', () => write(temporaryFolder(), 'a'), 'is empty'],
  ['a text', () => write(temporaryFolder(), 'a', 'text '.repeat(1000)), 'cannot be used'],
  ['the database', (folder) => join(folder, fileName), 'is the database itself'],
  [
    'a link to the database',
    (folder) => {
      const link = join(temporaryFolder(), 'link');
      symlinkSync(join(folder, fileName), link);
      return link;
    },
    'is the database itself',
  ],
  [
    'the log of the database',
    (folder) => write(folder, `${fileName}-wal`, 'log'),
    'cannot be used',
  ],
  ['a database without tables', () => databaseWith('pragma user_version = 1'), 'another program'],
  ['that of another program', () => databaseWith('create table a (b)'), 'another program'],
  [
    'one of a newer version',
    async () => {
      const file = await backupOf(await folderWith());
      using backup = new DatabaseSync(file);
      backup.exec("insert into migrations values ('999-new.sql')");
      return file;
    },
    'newer version (999-new.sql): install',
  ],
  [
    'a damaged one',
    async () => {
      const file = await backupOf(await folderWith('a@x.org'));
      const bytes = readFileSync(file);
      writeFileSync(file, bytes.fill(0xff, 4096 * 3, 4096 * 8));
      return file;
    },
    'cannot be used',
  ],
  [
    'one with the log of another',
    async () => {
      const file = await backupOf(await folderWith());
      const killed = await addAndKill(await folderWith(), 'a@x.org');
      copyFileSync(join(killed, `${fileName}-wal`), `${file}-wal`);
      return file;
    },
    'was copied over another database',
  ],
])('%s is not restored, and nothing is changed', async (_case, createFile, message) => {
  const folder = await folderWith('a@x.org');
  const file = await createFile(folder);
  const before = contentOf(folder);
  await expect(restoreSqlite(file, folder)).rejects.toThrow(message);
  expect(contentOf(folder)).toEqual(before);
});

test('a database that a server uses is not replaced', async () => {
  const folder = await folderWith('used@x.org');
  const backup = await backupOf(await folderWith('kept@x.org'));
  const { store } = await openFolder(folder);
  onTestFinished(() => store.close());
  await expect(restoreSqlite(backup, folder)).rejects.toThrow('stop it first');
  expect(await store.findAccount('used@x.org')).toBeTruthy();
  expect(readdirSync(folder).filter((name) => name.includes('restore'))).toEqual([]);
});

test.each<[string, (folder: string) => unknown, message: RegExp]>([
  ...([backupOf, coldCopyOf] as const).map(
    (copy): [string, (folder: string) => unknown, RegExp] => [
      `${copy === backupOf ? 'a backup' : 'the file of a stopped server'} copied over the database of a killed one`,
      async (folder) => {
        await addAccounts(folder, 'old@x.org');
        const file = await copy(folder);
        const killed = await addAndKill(folder, 'new@x.org');
        cpSync(killed, folder, { recursive: true });
        copyFileSync(file, join(folder, fileName));
      },
      /was copied over another database, .+: move .+-wal and .+-shm to another folder/,
    ],
  ),
  ...['-wal', '-shm', '-journal', '.before-restore-1', '.partial'].map(
    (suffix): [string, (folder: string) => unknown, RegExp] => [
      `a missing database beside ${fileName}${suffix}`,
      (folder) => write(folder, fileName + suffix, 'data'),
      new RegExp(`there is no ${fileName}, but ${fileName}${suffix}: restore`),
    ],
  ),
  [
    'a backup under another name',
    (folder) => write(folder, 'backup.sqlite', 'data'),
    /there is no tracker.sqlite, but backup.sqlite: restore/,
  ],
])('a start refuses %s, and changes nothing', async (_case, prepare, message) => {
  const folder = temporaryFolder();
  await prepare(folder);
  const before = contentOf(folder);
  expect(() => openSqlite(folder)).toThrow(message);
  expect(contentOf(folder)).toEqual(before);
});

test('a start accepts the log of a killed server, again and again', async () => {
  let folder = await folderWith();
  const emails = ['a@x.org', 'b@x.org', 'c@x.org'];
  for (const email of emails) folder = await addAndKill(folder, email);
  expect(await emailsOf(folder)).toEqual(emails);
});

describe('restore.ts', () => {
  test('prints the database and the former one', async () => {
    const folder = await folderWith('a@x.org');
    const file = await backupOf(folder);
    const { code, output } = await runRestore({ DATA_DIR: folder }, file);
    expect(code).toBe(0);
    expect(output).toMatch(
      new RegExp(`^Restored ${file} to ${folder}\\.\nThe former database is ${folder}/.+\n$`),
    );
    expect(statSync(join(folder, fileName)).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['without a file', {}, [], 'Usage: node server/commands/restore.ts FILE'],
    ['without a folder', { DATA_DIR: '/nowhere' }, ['/a'], 'Nothing was restored: '],
    ['for PostgreSQL', { DATABASE_URL: 'postgres://u:secret@h/d' }, ['a'], 'pg_restore'],
  ])('%s prints what to do', async (_case, settings, args, message) => {
    const { code, errors } = await runRestore(settings, ...args);
    expect(code).toBe(1);
    expect(errors).toContain(message);
    expect(errors).not.toContain('secret');
  });
});

async function runRestore(settings: Record<string, string>, ...args: string[]) {
  const running = runServer(settings, { script: 'commands/restore.ts', args });
  return { ...(await running.ended), output: running.output() };
}
