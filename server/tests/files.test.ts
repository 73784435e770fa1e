import fs, { readdirSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openConfiguredStore } from '../commands/startup.ts';
import { readSettings } from '../commands/settings.ts';
import { openSqlite } from '../store/sqlite.ts';
import { backUpSqlite } from '../store/sqlite-files.ts';
import { openStore } from '../store/store.ts';
import { signedInClient } from '../../testing/cookie-client.ts';
import { copyClient, runProcess, startProcess } from '../../testing/server-fixtures.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

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

test.each([
  [8, 'attempt to write a readonly database', /database: the folder .+ this user must be allowed/],
  [13, 'database or disk is full', 'database or disk is full.'],
  [
    14,
    'unable to open database file',
    /file: the folder must exist, and this user must be allowed/,
  ],
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

/** Makes a function of the file system fail until the test ends, for some of its paths. */
function failWith(name: 'accessSync' | 'linkSync', code: string, fails = (_path: unknown) => true) {
  const original = fs[name] as (...args: unknown[]) => unknown;
  const replace = (implementation: typeof original) => {
    Object.assign(fs, { [name]: implementation });
    syncBuiltinESMExports(); // for modules that import it by its name
  };
  onTestFinished(() => replace(original));
  replace((path, ...rest) => {
    if (!fails(path)) return original(path, ...rest);
    throw Object.assign(new Error(`${code}: ${name} '${String(path)}'`), { code, path });
  });
}

test.each(['', '/tracker.sqlite'])('a refused DATA_DIR%s is named', async (path) => {
  const folder = await dataFolder();
  failWith('accessSync', 'EACCES', (each) => each === folder + path);
  const message = `EACCES: accessSync '${folder}${path}'`;
  await expect(startIn(folder)).rejects.toThrow(`cannot store data in ${folder}: ${message}`);
  const backup = backUpSqlite(folder, join(temporaryFolder(), 'backup.sqlite'));
  await expect(backup).rejects.toThrow(message);
});

test('a file system without hard links stores a new database and a backup', async () => {
  failWith('linkSync', 'EPERM');
  const [folder, target] = [await dataFolder(), temporaryFolder()];
  await backUpSqlite(folder, join(target, 'backup.sqlite'));
  expect(textsIn(join(target, 'backup.sqlite'))).toHaveLength(1);
  expect([...readdirSync(folder), ...readdirSync(target)]).toEqual([
    'tracker.sqlite',
    'backup.sqlite',
  ]);
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
