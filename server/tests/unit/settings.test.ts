import { mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { runDataCommand } from '../../commands/startup.ts';
import { readSettings } from '../../commands/settings.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';

const existingFolder = import.meta.dirname;

test('the defaults are localhost:3000, ./data and ./dist', () => {
  expect(readSettings({ PORT: '' }).settings).toEqual({
    port: 3000,
    host: 'localhost',
    dataDirectory: resolve('data'),
    databaseUrl: undefined,
    databasePoolSize: 10,
    databaseTimeoutSeconds: 10,
    dist: resolve('dist'),
    trustedProxies: [],
    logLevel: 'info',
    drainMs: 1000,
    metricsHost: 'localhost',
    metricsPort: undefined,
  });
});

test('each setting is read from the environment', () => {
  const environment = {
    PORT: '8080',
    HOST: '::1',
    DATA_DIR: existingFolder,
    DATABASE_URL: 'postgresql://tracker@database/tracker',
    DATABASE_POOL_SIZE: '25',
    DATABASE_TIMEOUT_SECONDS: '3',
    DIST_DIR: existingFolder,
    TRUST_PROXY: '127.0.0.1, 10.0.0.0/8,::1,fd00::/8',
    LOG_LEVEL: 'warn',
    DRAIN_SECONDS: '15',
    METRICS_PORT: '9464',
    METRICS_HOST: '0.0.0.0',
  };
  expect(readSettings(environment).settings).toEqual({
    port: 8080,
    host: '::1',
    dataDirectory: existingFolder,
    databaseUrl: 'postgresql://tracker@database/tracker',
    databasePoolSize: 25,
    databaseTimeoutSeconds: 3,
    dist: existingFolder,
    trustedProxies: ['127.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8'],
    logLevel: 'warn',
    drainMs: 15_000,
    metricsHost: '0.0.0.0',
    metricsPort: 9464,
  });
});

test('a command creates files that only their owner can read', async () => {
  // A thread of Node cannot change it.
  const umask = vi.spyOn(process, 'umask').mockReturnValue(0);
  onTestFinished(() => umask.mockRestore());
  await runDataCommand(async () => {});
  expect(umask.mock.calls).toEqual([[0o077]]);
});

test('the metrics need another port than the app, unless both pick a free one', () => {
  const { problems } = readSettings({ METRICS_PORT: '3000' });
  expect(problems).toEqual(['METRICS_PORT must differ from PORT.']);
  expect(readSettings({ PORT: '0', METRICS_PORT: '0' }).problems).toEqual([]);
});

test('all problems are reported, one line each, without passwords', () => {
  const environment = {
    PORT: '3000x',
    HOST: 'localhost:3000',
    DATABASE_URL: 'mysql://u:secret@h/d',
    DATABASE_POOL_SIZE: '1',
    DATABASE_TIMEOUT_SECONDS: '0',
    TRUST_PROXY: '10.0.0.0/33,proxy,::1',
    LOG_LEVEL: 'verbose',
    DRAIN_SECONDS: '1m',
    METRICS_PORT: 'on',
    METRICS_HOST: 'localhost:9464',
  };
  expect(readSettings(environment).problems).toEqual([
    'PORT must be a number from 0 to 65535, but is "3000x".',
    'METRICS_PORT must be a number from 0 to 65535, but is "on".',
    'HOST must be a host name or address without a port, but is "localhost:3000".',
    'METRICS_HOST must be a host name or address without a port, but is "localhost:9464".',
    expect.stringMatching(/^DATABASE_URL must have the form .+ as %25\.$/),
    'DATABASE_POOL_SIZE must be a number from 2 to 999, but is "1".',
    'DATABASE_TIMEOUT_SECONDS must be a number from 1 to 999, but is "0".',
    'TRUST_PROXY must list addresses or subnets like 10.0.0.0/8, but contains "10.0.0.0/33".',
    'TRUST_PROXY must list addresses or subnets like 10.0.0.0/8, but contains "proxy".',
    'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, but is "verbose".',
    'DRAIN_SECONDS must be a number from 0 to 999, but is "1m".',
  ]);
});

test.each(['-1', '65536', '1e3', '0x50', '+80', '８０', '80/tcp', '80.0'])(
  'PORT=%j is refused',
  (PORT) => {
    expect(readSettings({ PORT }).problems).toHaveLength(1);
  },
);

/** What env files, shells and copying make of a value. */
const mistakes: [name: string, change: (value: string) => string][] = [
  ['quotes', (value) => `"${value}"`],
  ['a carriage return', (value) => `${value}\r`],
  ['a blank before it', (value) => ` ${value}`],
  ['a zero-width space', (value) => `${value}\u200b`],
  ['a comment', (value) => `${value} # a comment`],
  ['a name', (value) => `DATA_DIR=${value}`],
];
const values = {
  PORT: '3000',
  HOST: '127.0.0.1',
  DATA_DIR: existingFolder,
  DATABASE_URL: 'postgres://u:se%2Fcret@h/d',
  DIST_DIR: existingFolder,
  LOG_LEVEL: 'info',
  METRICS_HOST: 'localhost',
};

describe.each(Object.entries(values))('%s=%s', (name, value) => {
  test.each(mistakes)('is refused with one sentence if it has %s', (_name, change) => {
    const { problems } = readSettings({ [name]: change(value) });
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name} must [^\\n]+\\.$`))]);
    expect(problems[0]).toMatch(/^[ -~]*$|[“„]/);
    expect(problems[0]).not.toContain('cret');
  });
});

test.each(['"127.0.0.1"', '127.0.0.1 # a comment', 'undefined', '0.0.0.0/0', '::/0', '::1/'])(
  'TRUST_PROXY=%s is refused with one sentence',
  (TRUST_PROXY) => {
    const { problems } = readSettings({ TRUST_PROXY });
    expect(problems).toEqual([expect.stringMatching(/^TRUST_PROXY must list [^\n]+\.$/)]);
  },
);

test.each(['/nowhere', `${existingFolder};`, import.meta.filename, `${import.meta.filename}/data`])(
  'DATA_DIR and DIST_DIR are refused if they are no folder: %s',
  (folder) => {
    for (const name of ['DATA_DIR', 'DIST_DIR']) {
      const problem = `${name} must be an existing folder, but is ${JSON.stringify(folder)}: correct it, or create it.`;
      expect(readSettings({ [name]: folder }).problems).toEqual([problem]);
    }
  },
);

test.each(["Ada's data #1", '50% off', 'a=b', 'größe'])(
  'the folder %s is used as it is',
  (name) => {
    const folder = join(temporaryFolder(), name);
    mkdirSync(folder);
    expect(readSettings({ DATA_DIR: `${folder}/` })).toMatchObject({
      settings: { dataDirectory: folder },
      problems: [],
    });
  },
);

test.each(Object.keys(values))(
  'no password is printed if %s has the URL of the database',
  (name) => {
    for (const url of ['postgres://u:secret@h/d', 'postgres://u:se,secret@h/d', 'u:secret@h/d']) {
      expect(readSettings({ [name]: url }).problems.join()).not.toContain('secret');
    }
  },
);

test.each([
  ['the folder itself', (dist: string) => dist],
  ['a folder in it', (dist: string) => join(dist, 'deep/data')],
  ['a link to it', (dist: string) => join(dist, '../link/data')],
])('DATA_DIR is refused in DIST_DIR, whose files are public: %s', (_case, dataOf) => {
  const folder = temporaryFolder();
  const dist = join(folder, 'dist');
  mkdirSync(join(dist, 'deep/data'), { recursive: true });
  mkdirSync(join(dist, 'data'));
  mkdirSync(join(folder, 'dist-data'));
  symlinkSync(dist, join(folder, 'link'));
  const environment = { DIST_DIR: dist, DATA_DIR: dataOf(dist) };
  const problem = 'DATA_DIR must not be in DIST_DIR, because all files there are public.';
  expect(readSettings(environment).problems).toEqual([problem]);
  expect(readSettings({ ...environment, DATABASE_URL: 'postgres://u@h/d' }).problems).toEqual([]);
  expect(readSettings({ DIST_DIR: dist, DATA_DIR: join(folder, 'dist-data') }).problems).toEqual(
    [],
  );
});
