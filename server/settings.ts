import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const builtApp = fileURLToPath(new URL('../dist', import.meta.url));

export interface Settings {
  port: number;
  host: string;
  dataDirectory: string;
  /** Where the data is instead of in `dataDirectory`. */
  databaseUrl: string | undefined;
  /** Where the built app is. */
  dist: string;
}

export const help = `Usage: npm run serve

Serves the app built into dist/ together with its backend, on one address. Settings come from the environment:

  PORT          where to listen (3000; 0 picks a free port)
  HOST          which of this machine's addresses to listen on (localhost; 0.0.0.0 for all)
  DATA_DIR      the folder of the data (./data), made when it is missing
  DATABASE_URL  postgres://user:password@host:port/database, to keep the data in PostgreSQL instead
  DIST_DIR      the folder of the built app (dist/ beside server/)
`;

/** Reads the settings, or says everything that is wrong with them, one line each. An empty variable counts as absent. */
export function readSettings(
  environment: Record<string, string | undefined>,
): { settings: Settings; mistakes: [] } | { settings?: undefined; mistakes: string[] } {
  const { PORT, HOST, DATA_DIR, DATABASE_URL, DIST_DIR } = environment;
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

  if (mistakes.length > 0) return { mistakes };
  return {
    settings: {
      port: Number(port),
      host,
      dataDirectory: resolve(DATA_DIR || './data'),
      databaseUrl: DATABASE_URL || undefined,
      dist: resolve(DIST_DIR || builtApp),
    },
    mistakes: [],
  };
}
