import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings } from '../../server/settings.ts';

test('without settings the server is at localhost:3000 and works in ./data and ./dist', () => {
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

test('each setting is taken from the environment', () => {
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

test('all mistakes are told at once, a line each, and no password among them', () => {
  const environment = {
    PORT: '3000x',
    HOST: 'localhost:3000',
    DATABASE_URL: 'mysql://u:secret@h/d',
    TRUST_PROXY: '10.0.0.0/33,proxy,::1',
    LOG_LEVEL: 'verbose',
    DRAIN_SECONDS: '1m',
  };
  expect(readSettings(environment).mistakes).toEqual([
    'PORT must be a number from 0 to 65535, and is "3000x".',
    'HOST must be a name or an address without a port, and is "localhost:3000".',
    'DATABASE_URL must read like postgres://user:password@host:port/database.',
    'TRUST_PROXY must list addresses or subnets like 10.0.0.0/8, and has "10.0.0.0/33".',
    'TRUST_PROXY must list addresses or subnets like 10.0.0.0/8, and has "proxy".',
    'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, and is "verbose".',
    'DRAIN_SECONDS must be a number from 0 to 999, and is "1m".',
  ]);
});

test.each(['-1', '65536', '1e3', '0x50', ' 80'])('PORT=%j is a mistake', (PORT) => {
  expect(readSettings({ PORT }).mistakes).toHaveLength(1);
});
