import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings } from '../../server/settings.ts';

test('the defaults are localhost:3000, ./data and ./dist', () => {
  expect(readSettings({ PORT: '', DATABASE_URL: '' }).settings).toEqual({
    port: 3000,
    host: 'localhost',
    dataDirectory: resolve('data'),
    databaseUrl: undefined,
    databasePoolSize: 10,
    databaseTimeoutSeconds: 10,
    dist: resolve('dist'),
    trustedProxies: [],
    logLevel: 'info',
    drainSeconds: 1,
    metricsHost: 'localhost',
    metricsPort: undefined,
  });
});

test('each setting is read from the environment', () => {
  const environment = {
    PORT: '8080',
    HOST: '::1',
    DATA_DIR: '/srv/tracker',
    DATABASE_URL: 'postgresql://tracker@database/tracker',
    DATABASE_POOL_SIZE: '25',
    DATABASE_TIMEOUT_SECONDS: '3',
    DIST_DIR: '/srv/app',
    TRUST_PROXY: '127.0.0.1, 10.0.0.0/8,::1,fd00::/8',
    LOG_LEVEL: 'warn',
    DRAIN_SECONDS: '15',
    METRICS_PORT: '9464',
    METRICS_HOST: '0.0.0.0',
  };
  expect(readSettings(environment).settings).toEqual({
    port: 8080,
    host: '::1',
    dataDirectory: '/srv/tracker',
    databaseUrl: 'postgresql://tracker@database/tracker',
    databasePoolSize: 25,
    databaseTimeoutSeconds: 3,
    dist: '/srv/app',
    trustedProxies: ['127.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8'],
    logLevel: 'warn',
    drainSeconds: 15,
    metricsHost: '0.0.0.0',
    metricsPort: 9464,
  });
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
    'DATABASE_URL must have the form postgres://user:password@host:port/database.',
    'DATABASE_POOL_SIZE must be a number from 2 to 999, but is "1".',
    'DATABASE_TIMEOUT_SECONDS must be a number from 1 to 999, but is "0".',
    'TRUST_PROXY must list addresses or subnets like 10.0.0.0/8, but contains "10.0.0.0/33".',
    'TRUST_PROXY must list addresses or subnets like 10.0.0.0/8, but contains "proxy".',
    'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, but is "verbose".',
    'DRAIN_SECONDS must be a number from 0 to 999, but is "1m".',
  ]);
});

test.each(['-1', '65536', '1e3', '0x50', ' 80'])('PORT=%j is refused', (PORT) => {
  expect(readSettings({ PORT }).problems).toHaveLength(1);
});

test.each([
  ['postgres://u:secret@h1:5432,h2:5433/d?target_session_attrs=read-write', []],
  ['postgres://u:sec,ret@[::1]:5432,h2/d', []],
  ['postgres://u:secret@h1,,h2/d', ['DATABASE_URL must have the form']],
  ['postgres://u:secret@h1:5432,h2:x/d', ['DATABASE_URL must have the form']],
  ['postgres://u:secret@h/d?target_session_attrs=standby', ['any, primary, read-write']],
  ['postgres://u:secret@h/d?sslmode=require', []],
  ['postgres://u:secret@h/d?sslmode=allow', ['disable, prefer, require, verify-ca, verify-full']],
  ['postgres://u:secret@h/d?sslmode=verify-ca', ['sslrootcert']],
  ['postgres://u:secret@h/d?sslmode=verify-full&sslrootcert=/none.pem', ['/none.pem']],
])('DATABASE_URL=%j has the problems %j', (DATABASE_URL, expected) => {
  const { problems } = readSettings({ DATABASE_URL });
  expect(problems).toEqual(expected.map((text) => expect.stringContaining(text)));
  expect(problems.join()).not.toMatch(/sec,?ret/);
});
