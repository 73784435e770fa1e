import fs, { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openConfiguredStore } from '../commands/startup.ts';
import { readSettings } from '../commands/settings.ts';
import { backUpSqlite, openSqlite } from '../store/sqlite.ts';
import { openStore } from '../store/store.ts';
import { signedInClient } from '../../testing/cookie-client.ts';
import { copyClient, runProcess, startProcess } from '../../testing/server-fixtures.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

/** Makes a function of the file system fail until the test ends, for some of its arguments. */
function failWith(
  name: 'accessSync' | 'fsyncSync' | 'linkSync' | 'mkdirSync' | 'statSync',
  code: string,
  fails = (_argument: unknown) => true,
) {
  const original = fs[name] as (...args: unknown[]) => unknown;
  const replace = (implementation: typeof original) => {
    Object.assign(fs, { [name]: implementation });
    syncBuiltinESMExports(); // for modules that import it by its name
  };
  replace((...args) => {
    if (!fails(args[0])) return original(...args);
    throw Object.assign(new Error(`${code}: refused, ${name}`), { code, path: args[0] });
  });
  onTestFinished(() => replace(original));
}

/** Returns a DATA_DIR whose database has a further table, and whose server was stopped. */
async function dataFolder(): Promise<string> {
  const folder = temporaryFolder();
  const database = openSqlite(folder);
  await openStore(database);
  await database.query('create table texts as select 1 as text');
  await database.close();
  return folder;
}

const textsIn = (file: string) => {
  using copy = new DatabaseSync(file, { readOnly: true });
  return copy.prepare('select text from texts').all();
};

const startIn = (DATA_DIR: string) => {
  const { settings } = readSettings({ DATA_DIR });
  return openConfiguredStore(settings!, { isServer: true });
};

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
    await expect(startIn(DATA_DIR)).rejects.toThrow(
      new RegExp(`^DATA_DIR: cannot store data in ${DATA_DIR}: ${named} ${message}[^,]*$`),
    );
  });

  test('a backup names the folder that it may not write', async () => {
    const [folder, target] = [await dataFolder(), temporaryFolder()];
    failWith('accessSync', 'EACCES', (path) => path === target);
    const backup = backUpSqlite(folder, join(target, 'backup.sqlite'));
    await expect(backup).rejects.toMatchObject({ code: 'EACCES', path: target });
  });
});

test('files that are not of the database keep no server from its start', async () => {
  const folder = await dataFolder();
  const others = ['.bak', '.partial', '-wal.old', '.2030'];
  for (const suffix of others) writeFileSync(join(folder, `tracker.sqlite${suffix}`), '');
  failWith('accessSync', 'EACCES', (path) =>
    others.some((suffix) => String(path).endsWith(suffix)),
  );
  await openSqlite(folder).close();
  expect(readdirSync(folder)).toContain('tracker.sqlite.bak');
});

test.each([
  [13, 'database or disk is full', 'database or disk is full.'],
  // As a full disk, shared memory (SHMSIZE) or a lock that fails.
  [4874, 'disk I/O error', 'disk I/O error: its disk is full or fails, or it has no locks'],
])('a start that gets the code %i of SQLite passes on %j', async (errcode, text, message) => {
  const spy = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(() => {
    throw Object.assign(new Error(text), { code: 'ERR_SQLITE_ERROR', errcode });
  });
  onTestFinished(() => spy.mockRestore());
  const folder = temporaryFolder();
  await expect(startIn(folder)).rejects.toThrow(message);
  expect(readdirSync(folder)).toEqual([]);
});

describe.each(['EPERM', 'ENOTSUP', 'EMLINK'])('a file system that answers link with %s', (code) => {
  test('stores a new database and a backup', async () => {
    failWith('linkSync', code);
    const [folder, target] = [await dataFolder(), temporaryFolder()];
    await backUpSqlite(folder, join(target, 'backup.sqlite'));
    expect(textsIn(join(target, 'backup.sqlite'))).toHaveLength(1);
    expect([...readdirSync(folder), ...readdirSync(target)]).toEqual([
      'tracker.sqlite',
      'backup.sqlite',
    ]);
  });

  test('keeps a file that is created while it is backed up to', async () => {
    const [folder, target] = [await dataFolder(), temporaryFolder()];
    const file = join(target, 'backup.sqlite');
    failWith('linkSync', code, () => {
      writeFileSync(file, 'precious');
      return true;
    });
    await expect(backUpSqlite(folder, file)).rejects.toThrow(code);
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect(readdirSync(target)).toEqual(['backup.sqlite']);
  });
});

test('a folder that cannot be synced gets a backup', async () => {
  failWith('fsyncSync', 'EINVAL');
  const file = join(temporaryFolder(), 'backup.sqlite');
  await backUpSqlite(await dataFolder(), file);
  expect(textsIn(file)).toHaveLength(1);
});

/** Settings with which a process kills itself at a point that `code` names. */
const killedBy = (code: string) => {
  const module = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';
    import { DatabaseSync } from 'node:sqlite';
    const die = () => process.kill(process.pid, 'SIGKILL');
    ${code}
    syncBuiltinESMExports()`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(module)}` };
};
const kills = {
  'while it writes a file': `const { exec } = DatabaseSync.prototype;
    const write = (sql, path) => {
      if (/ (into|journal_mode = delete)/.test(sql)) { fs.writeFileSync(path, 'half a file'); die(); }
    };
    DatabaseSync.prototype.exec = function (sql) {
      write(sql, this.location());
      return exec.call(this, sql);
    };
    const { prepare } = DatabaseSync.prototype;
    DatabaseSync.prototype.prepare = function (sql) {
      return sql.startsWith('vacuum') ? { run: (path) => write(sql, path) } : prepare.call(this, sql);
    };`,
  'before it gets its name': 'fs.linkSync = die;',
  'when it has its name': `const { linkSync } = fs;
    fs.linkSync = (...paths) => { linkSync(...paths); die(); };`,
};

describe.each(Object.entries(kills))('kill -9 %s', (moment, code) => {
  test('lets the next start create the database', async () => {
    const folder = temporaryFolder();
    expect((await runProcess({ DATA_DIR: folder, ...killedBy(code) }).ended).code).toBeNull();
    expect(readdirSync(folder)).toContainEqual(expect.stringContaining('.partial'));
    const { address } = await startProcess({ DATA_DIR: folder });
    expect((await (await signedInClient(address)).createProject()).status).toBe(201);
  });

  test('leaves a backup that is complete, or lets the next one be made', async () => {
    const [folder, target] = [await dataFolder(), temporaryFolder()];
    const file = join(target, 'backup.sqlite');
    const command = { script: 'commands/backup.ts', args: [file] };
    const killed = runProcess({ DATA_DIR: folder, ...killedBy(code) }, command);
    expect((await killed.ended).code).toBeNull();
    expect(readdirSync(target)).toContainEqual(expect.stringMatching(/^backup.sqlite.+\.partial$/));
    const isComplete = moment === 'when it has its name';
    expect(readdirSync(target).includes('backup.sqlite')).toBe(isComplete);
    if (!isComplete) await backUpSqlite(folder, file);
    expect(textsIn(file)).toHaveLength(1);
  });
});

test('kill -9 during a migration lets the next start run all of it', async () => {
  const folder = temporaryFolder();
  const halfOfIt = `const { exec } = DatabaseSync.prototype;
    DatabaseSync.prototype.exec = function (sql) {
      const half = sql.indexOf('create table projects');
      exec.call(this, half < 0 ? sql : sql.slice(0, half));
      if (half > 0) die();
    };`;
  const killed = runProcess({ DATA_DIR: folder, ...killedBy(halfOfIt) });
  expect((await killed.ended).code).toBeNull();
  expect(readdirSync(folder)).toContain('tracker.sqlite');
  const { address, output } = await startProcess({ DATA_DIR: folder });
  expect(output()).toContain('which is new');
  expect((await (await signedInClient(address)).createProject()).status).toBe(201);
});

test('servers that start at once on one folder share it, also after kill -9', async () => {
  const folder = temporaryFolder();
  const startAll = () => Promise.all([1, 2, 3].map(() => startProcess({ DATA_DIR: folder })));
  const first = await startAll();
  const client = await signedInClient(first[0]!.address);
  const clients = first.map(({ address }) => copyClient(client, address));
  const created = await Promise.all(clients.map((each) => each.createProject()));
  expect(created.map(({ status }) => status)).toEqual([201, 201, 201]);
  await Promise.all(first.map(({ kill }) => kill()));

  const lists = (await startAll()).map(({ address }) => copyClient(client, address).listProjects());
  for (const { body } of await Promise.all(lists)) {
    expect(body).toHaveLength(3);
    for (const project of created) expect(body).toContainEqual(project.body);
  }
  expect(readdirSync(folder).filter((name) => !/^tracker\.sqlite(-wal|-shm)?$/.test(name))).toEqual(
    [],
  );
});
