import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings } from '../../server/settings.ts';

test('the defaults are localhost:3000, ./data and ./dist', () => {
  expect(readSettings({ PORT: '', DATABASE_URL: '' }).settings).toEqual({
    port: 3000,
    host: 'localhost',
    dataDirectory: resolve('data'),
    databaseUrl: undefined,
    dist: resolve('dist'),
    trustedProxies: [],
    logLevel: 'info',
    drainSeconds: 1,
  });
});

test('each setting is read from the environment', () => {
  const environment = {
    PORT: '8080',
    HOST: '::1',
    DATA_DIR: '/srv/tracker',
    DATABASE_URL: 'postgresql://tracker@database/tracker',
    DIST_DIR: '/srv/app',
    TRUST_PROXY: '127.0.0.1, 10.0.0.0/8,::1,fd00::/8',
    LOG_LEVEL: 'warn',
    DRAIN_SECONDS: '15',
  };
  expect(readSettings(environment).settings).toEqual({
    port: 8080,
    host: '::1',
    dataDirectory: '/srv/tracker',
    databaseUrl: 'postgresql://tracker@database/tracker',
    dist: '/srv/app',
    trustedProxies: ['127.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8'],
    logLevel: 'warn',
    drainSeconds: 15,
  });
});

test('all problems are reported, one line each, without passwords', () => {
  const environment = {
    PORT: '3000x',
    HOST: 'localhost:3000',
    DATABASE_URL: 'mysql://u:secret@h/d',
    TRUST_PROXY: '10.0.0.0/33,proxy,::1',
    LOG_LEVEL: 'verbose',
    DRAIN_SECONDS: '1m',
  };
  expect(readSettings(environment).problems).toEqual([
    'PORT must be a number from 0 to 65535, but is "3000x".',
    'HOST must be a host name or address without a port, but is "localhost:3000".',
    'DATABASE_URL must have the form postgres://user:password@host:port/database.',
    'TRUST_PROXY must list addresses or subnets like 10.0.0.0/8, but contains "10.0.0.0/33".',
    'TRUST_PROXY must list addresses or subnets like 10.0.0.0/8, but contains "proxy".',
    'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, but is "verbose".',
    'DRAIN_SECONDS must be a number from 0 to 999, but is "1m".',
  ]);
});

test.each(['-1', '65536', '1e3', '0x50', ' 80'])('PORT=%j is refused', (PORT) => {
  expect(readSettings({ PORT }).problems).toHaveLength(1);
});
