import { isIP, isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { logLevels, type LogLevel } from './http/log.ts';

const builtApp = fileURLToPath(new URL('../dist', import.meta.url));

export interface Settings {
  port: number;
  host: string;
  dataDirectory: string;
  /** Where the data is instead of in `dataDirectory`. */
  databaseUrl: string | undefined;
  /** Where the built app is. */
  dist: string;
  /** Addresses and subnets. */
  trustedProxies: string[];
  logLevel: LogLevel;
  /** From SIGTERM until the port is closed. */
  drainSeconds: number;
}

export const help = `Usage: npm run serve

Serves the app built into dist/ together with its backend, on one address. Settings come from the environment:

  PORT          where to listen (3000; 0 picks a free port)
  HOST          which of this machine's addresses to listen on (localhost; 0.0.0.0 for all)
  DATA_DIR      the folder of the data (./data), made when it is missing
  DATABASE_URL  postgres://user:password@host:port/database, to keep the data in PostgreSQL instead
  DIST_DIR      the folder of the built app (dist/ beside server/)
  TRUST_PROXY   the addresses of the proxies in front of the server, whose X-Forwarded-For is believed: one or more
                addresses or subnets, separated by commas (none), as in 127.0.0.1,10.0.0.0/8
  LOG_LEVEL     what to log on the standard error output: ${logLevels.join(', ')} (info: a line for each request)
  DRAIN_SECONDS how long after SIGTERM the server still takes new connections, while /readyz says 503 (1)
`;

/** Reads the settings, or says everything that is wrong with them, one line each. An empty variable counts as absent. */
export function readSettings(
  environment: Record<string, string | undefined>,
): { settings: Settings; mistakes: [] } | { settings?: undefined; mistakes: string[] } {
  const { PORT, HOST, DATA_DIR, DATABASE_URL, DIST_DIR, TRUST_PROXY, LOG_LEVEL, DRAIN_SECONDS } =
    environment;
  const mistakes: string[] = [];

  const port = PORT || '3000';
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    mistakes.push(`PORT must be a number from 0 to 65535, and is "${port}".`);
  }
  const host = HOST || 'localhost';
  if (/[\s/]|^[^:]*:[^:]*$/.test(host)) {
    mistakes.push(`HOST must be a name or an address without a port, and is "${host}".`);
  }
  // The value stays out of the message: it holds a password.
  if (DATABASE_URL && !/^postgres(ql)?:$/.test(URL.parse(DATABASE_URL)?.protocol ?? '')) {
    mistakes.push('DATABASE_URL must read like postgres://user:password@host:port/database.');
  }
  const trustedProxies = (TRUST_PROXY ?? '').split(',').map((text) => text.trim());
  for (const proxy of trustedProxies.filter((text) => text && !isNetwork(text))) {
    mistakes.push(
      `TRUST_PROXY must list addresses or subnets like 10.0.0.0/8, and has "${proxy}".`,
    );
  }
  const logLevel = logLevels.find((level) => level === (LOG_LEVEL || 'info'));
  if (!logLevel) {
    mistakes.push(`LOG_LEVEL must be one of ${logLevels.join(', ')}, and is "${LOG_LEVEL}".`);
  }
  const drainSeconds = DRAIN_SECONDS || '1';
  if (!/^\d{1,3}$/.test(drainSeconds)) {
    mistakes.push(`DRAIN_SECONDS must be a number from 0 to 999, and is "${DRAIN_SECONDS}".`);
  }

  if (mistakes.length > 0 || !logLevel) return { mistakes };
  return {
    settings: {
      port: Number(port),
      host,
      dataDirectory: resolve(DATA_DIR || './data'),
      databaseUrl: DATABASE_URL || undefined,
      dist: resolve(DIST_DIR || builtApp),
      trustedProxies: trustedProxies.filter(Boolean),
      logLevel,
      drainSeconds: Number(drainSeconds),
    },
    mistakes: [],
  };
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  if (!isIP(address) || rest.length > 0) return false;
  const most = isIPv6(address) ? 128 : 32;
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most)
  );
}
