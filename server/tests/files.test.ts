import fs, { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openConfiguredStore } from '../commands/startup.ts';
import { readSettings } from '../commands/settings.ts';
import { backUpSqlite, openSqlite } from '../store/sqlite.ts';
import { openStore } from '../store/store.ts';
import { runServer } from '../../testing/server-process.ts';
import { longTestMs, maxWaitMs } from '../../testing/time-limits.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

vi.setConfig({ testTimeout: longTestMs });

type Replaceable =
  | 'accessSync'
  | 'fsyncSync'
  | 'linkSync'
  | 'mkdirSync'
  | 'renameSync'
  | 'statSync'
  | 'writeFileSync';

/** Makes a function of the file system fail until the test ends, for some paths or descriptors. */
function failWith(name: Replaceable, code: string, fails = (_argument: never) => true) {
  const original = fs[name] as (...args: unknown[]) => unknown;
  const replace = (implementation: typeof original) => {
    Object.assign(fs, { [name]: implementation });
    syncBuiltinESMExports(); // for modules that import it by its name
  };
  replace((...args) => {
    if (!fails(...(args as [never]))) return original(...args);
    throw Object.assign(new Error(`${code}: refused, ${name}`), { code, path: args[0] });
  });
  onTestFinished(() => replace(original));
}

const isFolder = (descriptor: number) => fs.fstatSync(descriptor).isDirectory();

/** Returns a DATA_DIR whose database has a further table, and whose server was stopped. */
async function dataFolder(): Promise<string> {
  const folder = temporaryFolder();
  const database = openSqlite(folder);
  await openStore(database);
  await database.query('create table texts as select 1 as text');
  await database.close();
  return folder;
}

test.each(['-wal', '-shm', '-journal'])(
  'starts while another server removes tracker.sqlite%s',
  async (suffix) => {
    const folder = await dataFolder();
    const path = join(folder, `tracker.sqlite${suffix}`);
    writeFileSync(path, '');
    failWith('accessSync', 'ENOENT', (argument) => argument === path);
    const database = openSqlite(folder);
    expect(await database.query('select text from texts')).toEqual([{ text: 1 }]);
    await database.close();
  },
);

const texts = (file: string) => {
  using copy = new DatabaseSync(file, { readOnly: true });
  return copy.prepare('select text from texts').all();
};

describe.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV', 'EACCES'])(
  'a file system that answers link with %s',
  (code) => {
    test('stores a new database and a backup', async () => {
      failWith('linkSync', code);
      const file = join(temporaryFolder(), 'backup.sqlite');
      await backUpSqlite(await dataFolder(), file);
      expect(texts(file)).toHaveLength(1);
      expect(readdirSync(join(file, '..'))).toEqual(['backup.sqlite']);
    });

    test('keeps a file that is created while it is backed up to', async () => {
      const folder = await dataFolder();
      new DatabaseSync(join(folder, 'tracker.sqlite')).exec('delete from texts');
      const file = join(temporaryFolder(), 'backup.sqlite');
      failWith('linkSync', code, () => {
        writeFileSync(file, 'precious');
        return true;
      });
      await expect(backUpSqlite(folder, file)).rejects.toThrow(
        `${file} exists. The complete file stays as ${file}.partial`,
      );
      expect(readFileSync(file, 'utf8')).toBe('precious');
      expect(texts(`${file}.partial`)).toEqual([]);
      await expect(backUpSqlite(folder, file)).rejects.toThrow('exists');
      expect(texts(`${file}.partial`)).toEqual([]);
    });
  },
);

test.each(['EINVAL', 'EBADF', 'EISDIR', 'ENOTSUP', 'EACCES', 'EPERM', 'ENOSYS'])(
  'a backup into a folder that answers fsync with %s is made, with a note',
  async (code) => {
    failWith('fsyncSync', code, isFolder);
    const file = join(temporaryFolder(), 'backup.sqlite');
    expect(await backUpSqlite(await dataFolder(), file)).toMatchObject({ code });
    expect(texts(file)).toHaveLength(1);
  },
);

test.each([
  ['fsyncSync', 'EIO', isFolder, ''],
  ['fsyncSync', 'ENOSPC', isFolder, ''],
  ['fsyncSync', 'EDQUOT', isFolder, ''],
  ['renameSync', 'EIO', undefined, '.partial'],
] as const)(
  'after %s fails with %s, the complete copy stays',
  async (name, code, fails, suffix) => {
    failWith('linkSync', 'EPERM');
    const folder = await dataFolder();
    failWith(name, code, fails);
    const file = join(temporaryFolder(), 'backup.sqlite');
    await expect(backUpSqlite(folder, file)).rejects.toThrow(
      new RegExp(`^${code}: .+ stays as ${file}${suffix}$`),
    );
    expect(texts(file + suffix)).toHaveLength(1);
  },
);

describe('a backup that is interrupted', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('by %s leaves no file', async (signal) => {
    const { target, backup } = await startBlockedBackup();
    expect((await backup.kill(signal)).code).toBeNull();
    expect(readdirSync(target)).toEqual([]);
  });

  test('by SIGKILL is removed by the next backup to the folder', async () => {
    const { target, backup } = await startBlockedBackup();
    await backup.kill('SIGKILL');
    expect(existsSync(join(target, 'first.sqlite.partial-lock'))).toBe(true);
    writeFileSync(join(target, 'first.sqlite.partial'), 'half a copy');
    await backUpSqlite(await dataFolder(), join(target, 'second.sqlite'));
    expect(readdirSync(target)).toEqual(['second.sqlite']);
  });

  test('by nothing is completed after another backup to the folder', async () => {
    const { target, backup, unblock } = await startBlockedBackup();
    await backUpSqlite(await dataFolder(), join(target, 'second.sqlite'));
    expect(existsSync(join(target, 'first.sqlite.partial-lock'))).toBe(true);
    unblock();
    expect((await backup.ended).code).toBe(0);
    expect(readdirSync(target)).toEqual(['first.sqlite', 'second.sqlite']);
  });
});

describe('without permission', () => {
  const user = `${userInfo().username} \\(uid ${userInfo().uid}\\)`;
  const owned = (mode: string) =>
    `belongs to ${user} with mode ${mode}, but this process runs as ${user}, who must be allowed`;
  test.each([
    ['accessSync', 'EACCES', '', owned('0700')],
    ['accessSync', 'EACCES', '/tracker.sqlite', owned('0640')],
    ['accessSync', 'EPERM', '/tracker.sqlite-wal', owned('0600')],
    ['accessSync', 'EROFS', '/tracker.sqlite', 'is on a read-only file system'],
    ['mkdirSync', 'EACCES', '/new', owned('0700')],
    ['mkdirSync', 'EROFS', '/new', 'is on a read-only file system'],
  ] as const)('of %s (%s) for DATA_DIR%s, a start names what is missing', async (...row) => {
    const [name, code, refused, message] = row;
    const folder = await dataFolder();
    fs.chmodSync(join(folder, 'tracker.sqlite'), 0o640);
    writeFileSync(join(folder, 'tracker.sqlite-wal'), '', { mode: 0o600 });
    failWith(name, code, (path) => path === folder + refused);
    // This user may not see whether the folder exists.
    failWith('statSync', 'EACCES', (path) => path === `${folder}/new`);
    const DATA_DIR = refused === '/new' ? folder + refused : folder;
    const named = refused === '/new' ? folder : folder + refused;
    const { settings } = readSettings({ DATA_DIR });
    await expect(openConfiguredStore(settings!, { isServer: true })).rejects.toThrow(
      new RegExp(`^DATA_DIR: cannot store data in ${DATA_DIR}: ${named} ${message}[^,]*$`),
    );
  });
});

test('files that are not of the database keep no server from its start', async () => {
  const folder = await dataFolder();
  const others = ['.bak', '.partial-lock', '.partial', '-wal.old', '.2030'];
  for (const suffix of others) writeFileSync(join(folder, `tracker.sqlite${suffix}`), '');
  failWith('accessSync', 'EACCES', (path) =>
    others.some((suffix) => String(path).endsWith(suffix)),
  );
  await openSqlite(folder).close();
  expect(readdirSync(folder)).toContain('tracker.sqlite.bak');
});

test('a lock of another user is named, with its owner', async () => {
  const folder = await dataFolder();
  const lock = join(folder, 'tracker.sqlite.partial-lock');
  fs.mkdirSync(lock, { mode: 0o700 }); // SQLite cannot open it either
  failWith('accessSync', 'EACCES', (path) => path === lock);
  const { settings } = readSettings({ DATA_DIR: folder });
  const start = openConfiguredStore(settings!, { isServer: true });
  await expect(start).rejects.toThrow(`${lock} belongs to ${userInfo().username} (uid `);
});

/** Makes each statement of SQLite fail until the test ends. */
function failSqlite(errcode: number) {
  const spy = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(() => {
    throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode });
  });
  onTestFinished(() => spy.mockRestore());
}

test.each([
  [4874, 'ENOSPC', 'its disk is full.'],
  [5386, 'EDQUOT', 'its disk is full.'],
  [14, 'ENOSPC', 'its disk is full.'],
  [4874, 'EROFS', 'has no locks or no shared memory'],
  [14, 'EROFS', 'disk I/O error'],
])('a start with the code %i of SQLite and %s when it writes says: %s', async (...row) => {
  const [errcode, code, message] = row;
  failSqlite(errcode);
  failWith('writeFileSync', code);
  const { settings } = readSettings({ DATA_DIR: temporaryFolder() });
  const start = openConfiguredStore(settings!, { isServer: true });
  await expect(start).rejects.toThrow(message);
});

test('a backup to a file system without locks says so', async () => {
  const folder = await dataFolder();
  failSqlite(5);
  const target = temporaryFolder();
  const backup = backUpSqlite(folder, join(target, 'backup.sqlite'));
  await expect(backup).rejects.toThrow(`the file system of ${target} has no locks`);
  expect(readdirSync(target)).toEqual(['backup.sqlite.partial-lock']);
});

test('a backup whose folder cannot be synced is complete, and says so', async () => {
  const failing = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';
    const { fsyncSync, fstatSync } = fs;
    fs.fsyncSync = (descriptor) => {
      if (!fstatSync(descriptor).isDirectory()) return fsyncSync(descriptor);
      throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' });
    };
    syncBuiltinESMExports()`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(failing)}`;
  const file = join(temporaryFolder(), 'backup.sqlite');
  const command = { script: 'commands/backup.ts', args: [file] };
  const settings = { DATA_DIR: await dataFolder(), NODE_OPTIONS };
  expect(await runServer(settings, command).ended).toEqual({
    code: 1,
    errors: `The backup is complete, but a power cut may undo it: EIO: i/o error, fsync. The complete file stays as ${file}.\n`,
  });
  expect(texts(file)).toHaveLength(1);
});

test.each([
  ['shared memory', 5386],
  ['locks', 3850],
])('a start says that the file system has no %s', async (_name, errcode) => {
  failSqlite(errcode);
  const { settings } = readSettings({ DATA_DIR: temporaryFolder() });
  await expect(openConfiguredStore(settings!, { isServer: true })).rejects.toThrow(
    'its file system has no locks or no shared memory, use a local disk or PostgreSQL.',
  );
});

test('a start removes what a killed first start has left', async () => {
  const folder = temporaryFolder();
  for (const suffix of ['partial', 'partial-journal', 'partial-lock']) {
    writeFileSync(join(folder, `tracker.sqlite.${suffix}`), '');
  }
  await openSqlite(folder).close();
  expect(readdirSync(folder)).toEqual(['tracker.sqlite']);
});

/** Starts a backup that waits for a lock on the database until `unblock` is called. */
async function startBlockedBackup() {
  const folder = await dataFolder();
  const connection = new DatabaseSync(join(folder, 'tracker.sqlite'));
  connection.exec('pragma locking_mode = exclusive; begin immediate');
  const unblock = () => void (connection.isOpen && connection.close());
  onTestFinished(unblock);
  const target = temporaryFolder();
  const backup = runServer(
    { DATA_DIR: folder },
    { script: 'commands/backup.ts', args: [join(target, 'first.sqlite')] },
  );
  onTestFinished(async () => void (await backup.kill()));
  await expect.poll(() => readdirSync(target), { timeout: maxWaitMs }).not.toEqual([]);
  return { target, backup, unblock };
}
