import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { StoreUnavailable, type Database } from '../store/database.ts';
import { openSqlite } from '../store/sqlite.ts';
import { backUpSqlite } from '../store/sqlite-files.ts';
import { openStore } from '../store/store.ts';
import { signedInClient } from '../../testing/cookie-client.ts';
import { copyClient, startProcess, startServer } from '../../testing/server-fixtures.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

const fileName = 'tracker.sqlite';

/** Opens the database of a DATA_DIR as a server does, and stores a text. */
async function openAndAdd(folder: string, text: string) {
  const database = openSqlite(folder);
  await openStore(database);
  await database.query('create table if not exists texts (text text)');
  await database.query('insert into texts values ($1)', [text]);
  return database;
}

/** Returns a DATA_DIR with a text, whose server was stopped. */
async function stoppedFolder(text: string) {
  const folder = temporaryFolder();
  await (await openAndAdd(folder, text)).close();
  return folder;
}

/** Stores a text as a server that is killed: its write-ahead log stays. */
async function addAndKill(folder: string, text: string, use?: (database: Database) => unknown) {
  const database = await openAndAdd(folder, text);
  await use?.(database);
  const names = [fileName, `${fileName}-wal`];
  for (const name of names) copyFileSync(join(folder, name), join(folder, `killed-${name}`));
  await database.close();
  for (const name of names) renameSync(join(folder, `killed-${name}`), join(folder, name));
}

async function textsOf(folder: string) {
  const database = openSqlite(folder);
  const rows = await database.query<{ text: string }>('select text from texts order by text');
  await database.close();
  return rows.map(({ text }) => text);
}

/** Returns the hashes of all files but the index of the write-ahead log, which SQLite renews. */
const contentOf = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => !name.endsWith('-shm'))
      .map((name) => [name, hash('sha256', readFileSync(join(folder, name)))]),
  );

function linkTo(target: string, name: string) {
  const folder = temporaryFolder();
  symlinkSync(target, join(folder, name));
  return folder;
}

/** Return a DATA_DIR that leads to the database in a folder. */
const ways: Record<string, (folder: string) => string> = {
  'a file': (folder) => folder,
  'a link to the file': (folder) => linkTo(join(folder, fileName), fileName),
  'a link to the folder': (folder) => join(linkTo(folder, 'data'), 'data'),
};

/** Copy the database in a folder. */
const copies: Record<string, (folder: string, copy: string) => unknown> = {
  'a backup': backUpSqlite,
  // It says that it may have a write-ahead log.
  'the file of a stopped server': (folder, copy) => copyFileSync(join(folder, fileName), copy),
};

describe.each(Object.entries(ways))('tracker.sqlite that is %s', (_way, dataOf) => {
  test.each(Object.entries(copies))(
    'is refused if %s was copied over it after its server was killed',
    async (_copy, makeCopy) => {
      const folder = await stoppedFolder('old');
      const [copy, logs] = [join(temporaryFolder(), 'copy'), temporaryFolder()];
      await makeCopy(folder, copy);
      await addAndKill(folder, 'new');
      const data = dataOf(folder);
      copyFileSync(copy, join(data, fileName));
      const before = contentOf(folder);
      const message = /was copied over another .+: move .+-wal and .+-shm to another folder/;
      expect(() => openSqlite(data)).toThrow(message);
      await expect(backUpSqlite(data, join(logs, 'backup'))).rejects.toThrow(message);
      expect(contentOf(folder)).toEqual(before);
      renameSync(join(folder, `${fileName}-wal`), join(logs, 'wal'));
      expect(await textsOf(data)).toEqual(['old']);
    },
  );

  test('has the log of its killed server, again and again', async () => {
    const folder = temporaryFolder();
    for (const text of ['a', 'b', 'c']) await addAndKill(folder, text);
    expect(await textsOf(dataOf(folder))).toEqual(['a', 'b', 'c']);
  });
});

test('a server starts while another one is moving the log into the file', async () => {
  const folder = temporaryFolder();
  const first = await openAndAdd(folder, 'old');
  const file = join(folder, fileName);
  const bytes = readFileSync(file);
  // The first page says that the file has more pages, which follow it.
  bytes.writeUInt32BE(1000, 28);
  writeFileSync(file, bytes);
  const second = await openAndAdd(folder, 'new');
  expect(await first.query('select text from texts')).toHaveLength(2);
  await second.close();
  await first.close();
});

test('no other process gets the database for itself, also after a check', async () => {
  const folder = temporaryFolder();
  const database = await openAndAdd(folder, 'old');
  onTestFinished(() => database.close());
  await database.checkWrite();
  const code = `const { DatabaseSync } = require('node:sqlite');
    const other = new DatabaseSync(process.argv[1], { timeout: 0 });
    try { other.exec('pragma locking_mode = exclusive; begin exclusive; commit; pragma journal_mode = delete'); } catch ({ message }) { console.log(message); }`;
  const args = ['--eval', code, join(folder, fileName)];
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toBe('database is locked\n');
});

test('a log that starts again belongs to its database from the next check on', async () => {
  const folder = await stoppedFolder('old');
  const copy = join(temporaryFolder(), 'copy');
  copyFileSync(join(folder, fileName), copy);
  await addAndKill(folder, 'new', async (database) => {
    await database.query('pragma wal_checkpoint(truncate)');
    await database.checkWrite();
  });
  copyFileSync(copy, join(folder, fileName));
  expect(() => openSqlite(folder)).toThrow('was copied over another database');
});

/** Change the files of a DATA_DIR under its server. `other` is a backup of it. */
const changes: Record<string, (folder: string, other: string) => void> = {
  'a backup that takes its name': (folder, other) => renameSync(other, join(folder, fileName)),
  'a backup copied over it': (folder, other) => copyFileSync(other, join(folder, fileName)),
  'a text copied over it': (folder) => writeFileSync(join(folder, fileName), 'x'.repeat(9000)),
  'another folder of the name': (folder, other) => {
    renameSync(folder, `${folder}-former`);
    mkdirSync(folder);
    renameSync(other, join(folder, fileName));
  },
  'its removal': (folder) => rmSync(join(folder, fileName)),
  'the removal of its log': (folder) => rmSync(join(folder, `${fileName}-wal`)),
  'the removal of its index': (folder) => rmSync(join(folder, `${fileName}-shm`)),
  'a copy of its log': (folder) => {
    const log = join(folder, `${fileName}-wal`);
    copyFileSync(log, `${log}-copy`);
    renameSync(`${log}-copy`, log);
  },
};

describe('under a running server', () => {
  test.each(Object.entries(changes))(
    '%s is noticed by checks and writes',
    async (_case, change) => {
      const folder = join(temporaryFolder(), 'data');
      const database = openSqlite(folder);
      const client = await signedInClient(await startServer({ database }));
      await client.createProject();
      const other = join(temporaryFolder(), 'backup');
      await backUpSqlite(folder, other);
      await database.checkWrite();
      change(folder, other);
      const problem = {
        cause: { message: expect.stringContaining(' while this server uses it: ') },
      };
      await expect(database.checkWrite()).rejects.toMatchObject(problem);
      expect((await client.createProject()).status).toBe(503);
      expect((await client.login()).status).toBe(503);
    },
  );

  test('a check that finds no free file descriptor refuses nothing', async () => {
    const database = openSqlite(await stoppedFolder('old'));
    onTestFinished(() => database.close());
    const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementationOnce(() => {
      const code = 'ERR_SQLITE_ERROR';
      throw Object.assign(new Error('unable to open database file'), { code, errcode: 14 });
    });
    await database.checkWrite();
    expect(prepare).toHaveBeenCalledWith('pragma user_version');
    expect(await database.query("insert into texts values ('new')")).toEqual([]);
  });

  test.each(Object.keys(ways))('what is put back, and %s, are no problem', async (way) => {
    const folder = await stoppedFolder('old');
    const database = openSqlite(ways[way]!(folder));
    onTestFinished(() => database.close());
    renameSync(folder, `${folder}-moved`);
    await expect(database.checkWrite()).rejects.toThrow(StoreUnavailable);
    renameSync(`${folder}-moved`, folder);
    await database.checkWrite();
  });
});

test.each(['tracker.sqlite-wal', 'tracker.sqlite.bak', 'backup.sqlite'])(
  'a start refuses a missing database beside %s',
  (name) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, name), 'data');
    const message = `there is no ${fileName}, but ${name}: restore a backup`;
    expect(() => openSqlite(folder)).toThrow(message);
    expect(readdirSync(folder)).toEqual([name]);
  },
);

test('a start refuses a link to a missing file', () => {
  const folder = linkTo('/nowhere/tracker.sqlite', fileName);
  expect(() => openSqlite(folder)).toThrow(`there is no database in ${folder}`);
  expect(readdirSync(folder)).toEqual([fileName]);
});

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'the commands of docs/operations.md restore a backup after %s',
  async (signal) => {
    const folder = temporaryFolder();
    const first = await startProcess({ DATA_DIR: folder, DRAIN_SECONDS: '0' });
    const client = await signedInClient(first.address);
    const kept = await client.createProject();
    const backup = join(temporaryFolder(), 'backup.sqlite');
    await backUpSqlite(folder, backup);
    await client.createProject();
    await first.kill(signal);

    const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const [, commands = ''] = /To restore a backup[^]+?```sh\n([^]+?)```/.exec(page) ?? [];
    const own = commands.replace('/var/lib/tracker', folder).replace(/\/backups\/\S+/, backup);
    expect(own.match(/\/\S+/g)).toEqual([folder, backup]);
    execFileSync('sh', ['-c', own]);

    const second = await startProcess({ DATA_DIR: folder });
    const list = (await copyClient(client, second.address).listProjects()).body;
    expect(list).toEqual([kept.body]);
    expect(readdirSync(join(folder, 'before-restore'))).toContain(fileName);
  },
);
