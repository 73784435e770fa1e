import { setTimeout as delay } from 'node:timers/promises';
import { readSettings, type Settings } from './settings.ts';
import { parseDatabaseUrl } from '../store/database-url.ts';
import { causeOf, StoreUnavailable } from '../store/database.ts';
import { describePostgresError } from '../store/postgres-errors.ts';
import { cannotOpenCode, ioErrorCode, primaryCode, readOnlyCode } from '../store/sqlite-errors.ts';
import { openSqlite } from '../store/sqlite.ts';
import { databaseFile, findDatabase } from '../store/sqlite-files.ts';
import { openStore, type Store } from '../store/store.ts';
import { exitOnUsageError, UsageError } from '../../shared/usage-error.ts';

/** Runs a command on the data. Exits with 1 after a `UsageError`. */
export async function runDataCommand(command: () => Promise<void>) {
  // All files are user data: only the owner may read them.
  process.umask(0o077);
  await exitOnUsageError(command);
}

/**
 * Runs a command with exactly one argument, and prints `usage` for `--help`. Throws `UsageError` if
 * the argument or the settings are invalid.
 */
export async function runWithArgument(
  usage: string,
  command: (argument: string, settings: Settings) => Promise<void>,
) {
  await runDataCommand(async () => {
    const [argument, ...rest] = process.argv.slice(2);
    if (argument === '--help' || argument === '-h') return console.log(usage);
    if (!argument || rest.length > 0) throw new UsageError(usage);
    const { settings, problems } = readSettings(process.env);
    if (!settings) throw new UsageError(problems.join('\n'));
    await command(argument, settings);
  });
}

/** Runs a command with exactly one argument on the store, which it closes. */
export async function runWithStore(
  usage: string,
  command: (argument: string, store: Store) => Promise<void>,
) {
  await runWithArgument(usage, async (argument, settings) => {
    const store = await openConfiguredStore(settings);
    try {
      await command(argument, store);
    } finally {
      await store.close();
    }
  });
}

/** Runs `task` and turns its error into a `UsageError`. */
export async function asUsageError<T>(
  task: () => Promise<T>,
  describe: (error: NodeJS.ErrnoException) => string,
): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw new UsageError(describe(error as NodeJS.ErrnoException), { cause: error });
  }
}

const maxRetryDelayMs = 5_000;

interface OpenOptions {
  /** Creates what is missing, and retries until the database answers. */
  isServer?: boolean;
}

export function openConfiguredStore(
  settings: Settings,
  { isServer = false }: OpenOptions = {},
): Promise<Store> {
  const { databaseUrl, databasePoolSize: poolSize, databaseTimeoutSeconds } = settings;
  const open = async () => {
    if (!databaseUrl) {
      if (!isServer) findDatabase(settings.dataDirectory);
      return openStore(openSqlite(settings.dataDirectory), { creates: isServer });
    }
    const { openPostgres } = await import('../store/postgres.ts');
    const timeoutMs = databaseTimeoutSeconds * 1000;
    const database = openPostgres(databaseUrl, { poolSize, timeoutMs });
    for (let delayMs = 250; ; delayMs = Math.min(delayMs * 2, maxRetryDelayMs)) {
      try {
        return await openStore(database, { creates: isServer });
      } catch (error) {
        if (!isServer || !(error instanceof StoreUnavailable)) throw error;
        const problem = describeStoreError(settings, error);
        console.error(`${problem} The server tries again in ${delayMs / 1000} seconds.`);
        await delay(delayMs);
      }
    }
  };
  return asUsageError(open, (error) => describeStoreError(settings, error));
}

/** Returns where the data is, without the password. */
export function describeDatabase({ databaseUrl, dataDirectory }: Settings): string {
  if (!databaseUrl) return databaseFile(dataDirectory);
  return `the database ${describePostgres(databaseUrl)}`;
}

function describePostgres(databaseUrl: string): string {
  const hosts = parseDatabaseUrl(databaseUrl);
  const database = hosts[0]?.database ?? hosts[0]?.user;
  return `${database} at ${hosts.map(({ host, port }) => `${host}:${port}`).join(', ')}`;
}

function describeStoreError({ databaseUrl, dataDirectory }: Settings, error: Error): string {
  const cause = causeOf(error);
  if (!databaseUrl) {
    const problem = describeFileError(cause);
    return `DATA_DIR: cannot store data in ${dataDirectory}: ${problem}.`;
  }
  const problem = describePostgresError(cause);
  return `DATABASE_URL: cannot use the database ${describePostgres(databaseUrl)}: ${problem}.`;
}

const permissionAdvice =
  ': the folder must exist, and this user must be allowed to read and write it and its files';
/** What the messages of SQLite leave open. */
const sqliteAdvice: Record<number, string> = {
  [readOnlyCode]: permissionAdvice,
  [ioErrorCode]: ': its disk is full or fails, or it has no locks or shared memory',
  [cannotOpenCode]: permissionAdvice,
};

/** Returns what an error of the file system or of SQLite says. */
export const describeFileError = (error: Error) =>
  error.message + (sqliteAdvice[primaryCode(error)] ?? '');
