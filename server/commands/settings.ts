import { isIP, isIPv6 } from 'node:net';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { logLevels } from '../http/log.ts';
import { parseDatabaseUrl } from '../store/database-url.ts';

const defaultDist = fileURLToPath(new URL('../../dist', import.meta.url));

export type Settings = NonNullable<ReturnType<typeof readSettings>['settings']>;

/** What `--help` says about each setting. */
const settingHelp = {
  PORT: ['port to listen on (default: 3000; 0 picks a free port)'],
  HOST: ['host name or address to listen on', '(default: localhost; 0.0.0.0 for all addresses)'],
  DATA_DIR: ['existing folder of the SQLite database', '(default: ./data, which is created)'],
  DATABASE_URL: [
    'postgres://user:password@host:port/database, to use PostgreSQL instead',
    'of DATA_DIR (postgres://...@host1:port,host2:port/... uses the host that',
    'accepts writes)',
  ],
  DATABASE_POOL_SIZE: ['connections to PostgreSQL at most (default: 10, at least 2)'],
  DATABASE_TIMEOUT_SECONDS: ['time limit of a statement on PostgreSQL (default: 10)'],
  DIST_DIR: ['existing folder of the built app (default: dist/ next to server/)'],
  TRUST_PROXY: [
    'addresses or subnets of proxies whose X-Forwarded-For header is trusted,',
    'separated by commas (default: none), for example 127.0.0.1,10.0.0.0/8',
  ],
  LOG_LEVEL: [
    logLevels.join(', '),
    '(default: info, one line per request on stderr: text at a terminal, else',
    'JSON)',
  ],
  DRAIN_SECONDS: [
    'seconds to accept connections after SIGTERM, while /readyz returns 503',
    '(default: 1)',
  ],
  METRICS_PORT: ['port of /metrics for Prometheus (default: no metrics)'],
  METRICS_HOST: ['host name or address of /metrics (default: localhost)'],
};
const settingNames = Object.keys(settingHelp);

export const helpText = `Usage: npm run serve

Serves the API and the built app from dist/. Environment variables:

${Object.entries(settingHelp)
  .flatMap(([name, lines]) => lines.map((line, i) => `  ${(i ? '' : name).padEnd(24)}  ${line}\n`))
  .join('')}`;

type Environment = Record<string, string | undefined>;

/**
 * Reads the settings, or returns all problems with them. An empty variable counts as unset, except
 * DATABASE_URL: a server whose secret is missing must not start with an empty SQLite database.
 */
// oxlint-disable-next-line max-lines-per-function -- a list of rules, one for each setting
export function readSettings(environment: Environment) {
  const problems: string[] = [];
  const values = Object.fromEntries(settingNames.map((name) => [name, environment[name]]));
  const { HOST, DATA_DIR, DATABASE_URL, DIST_DIR, TRUST_PROXY, LOG_LEVEL } = values;
  const { METRICS_PORT, METRICS_HOST } = values;
  function readNumber(name: string, defaultValue: number, min: number, max = 999): number {
    const text = values[name] || String(defaultValue);
    const isNumber = /^\d+$/.test(text) && text.length <= String(max).length;
    if (!isNumber || Number(text) < min || Number(text) > max) {
      problems.push(`${name} must be a number from ${min} to ${max}, but is ${show(text)}.`);
    }
    return Number(text);
  }

  const port = readNumber('PORT', 3000, 0, 65_535);
  const metricsPort = readNumber('METRICS_PORT', 0, 0, 65_535);
  if (port > 0 && metricsPort === port) problems.push('METRICS_PORT must differ from PORT.');
  const host = HOST || 'localhost';
  const metricsHost = METRICS_HOST || 'localhost';
  for (const [name, value] of Object.entries({ HOST: host, METRICS_HOST: metricsHost })) {
    if (/^[\w.:%-]+$/.test(value) && !/^[^:]*:[^:]*$/.test(value)) continue;
    problems.push(`${name} must be a host name or address without a port, but is ${show(value)}.`);
  }
  if (DATABASE_URL === '') {
    problems.push('DATABASE_URL is empty: set it, or remove it to use the database in DATA_DIR.');
  }
  try {
    if (DATABASE_URL) parseDatabaseUrl(DATABASE_URL, environment);
  } catch (error) {
    problems.push(`DATABASE_URL ${(error as Error).message}.`);
  }
  const databasePoolSize = readNumber('DATABASE_POOL_SIZE', 10, 2);
  const databaseTimeoutSeconds = readNumber('DATABASE_TIMEOUT_SECONDS', 10, 1);
  const trustedProxies = (TRUST_PROXY ?? '').split(',').map((text) => text.trim());
  for (const proxy of trustedProxies.filter((text) => text && !isNetwork(text))) {
    problems.push(
      `TRUST_PROXY must list addresses or subnets like 10.0.0.0/8, but contains ${show(proxy)}.`,
    );
  }
  const logLevel = logLevels.find((level) => level === (LOG_LEVEL || 'info'));
  if (!logLevel) {
    problems.push(`LOG_LEVEL must be one of ${logLevels.join(', ')}, but is ${show(LOG_LEVEL!)}.`);
  }
  const drainMs = 1000 * readNumber('DRAIN_SECONDS', 1, 0);
  const dataDirectory = resolve(DATA_DIR || './data');
  const dist = resolve(DIST_DIR || defaultDist);
  // Otherwise a mistake in the path would make another folder, and the server would start there
  // without its data.
  for (const [name, folder] of Object.entries({ DATA_DIR, DIST_DIR })) {
    if (!folder || isFolder(folder)) continue;
    problems.push(
      `${name} must be an existing folder, but is ${show(folder)}: correct it, or create it.`,
    );
  }
  if (!DATABASE_URL && `${realPath(dataDirectory)}/`.startsWith(`${realPath(dist)}/`)) {
    problems.push('DATA_DIR must not be in DIST_DIR, because all files there are public.');
  }

  if (problems.length > 0 || !logLevel) return { problems };
  return {
    settings: {
      port,
      host,
      dataDirectory,
      /** PostgreSQL, used instead of `dataDirectory`. */
      databaseUrl: DATABASE_URL || undefined,
      databasePoolSize,
      databaseTimeoutSeconds,
      /** Folder of the built app. */
      dist,
      /** Addresses and subnets. */
      trustedProxies: trustedProxies.filter(Boolean),
      logLevel,
      /** From SIGTERM until the port is closed. */
      drainMs,
      metricsHost,
      /** Without a port, there are no metrics. */
      metricsPort: METRICS_PORT ? metricsPort : undefined,
    },
    problems: [],
  };
}

function isNetwork(text: string): boolean {
  const [address = '', prefixLength = '1', ...rest] = text.split('/');
  const max = isIP(address) && (isIPv6(address) ? 128 : 32);
  const isLength = /^\d{1,3}$/.test(prefixLength) && Number(prefixLength) >= 1;
  return rest.length === 0 && isLength && Number(prefixLength) <= max;
}

/** Returns true also if this user may not see the folder: the next step names what is missing. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}

/** Returns the path without symbolic links, also of a folder that does not exist yet. */
const realPath = (path: string): string =>
  existsSync(path) ? realpathSync(path) : join(realPath(dirname(path)), basename(path));

/** Quotes a text. Hides what may be a password of a URL, and shows invisible characters. */
function show(text: string): string {
  const escape = (character: string) => `\\u{${character.codePointAt(0)!.toString(16)}}`;
  const withoutPassword = text.replaceAll(/:\/\/.*|.*@/gs, '…');
  return JSON.stringify(withoutPassword).replaceAll(/[^\P{Z} ]|[\p{Cc}\p{Cf}]/gu, escape);
}
