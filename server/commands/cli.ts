import { readSettings, type Settings } from '../settings.ts';
import { openPostgres } from '../store/postgres.ts';
import { openSqlite } from '../store/sqlite.ts';
import { openStore, type Store } from '../store/store.ts';
import { exitOnUsageError, UsageError } from '../usage-error.ts';

/** Runs a command on the data. Exits with 1 after a `UsageError`. */
export async function runCommand(command: () => Promise<void>) {
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
  await runCommand(async () => {
    const [argument, ...rest] = process.argv.slice(2);
    if (argument === '--help' || argument === '-h') return console.log(usage);
    if (!argument || rest.length > 0) throw new UsageError(usage);
    const { settings, problems } = readSettings(process.env);
    if (!settings) throw new UsageError(problems.join('\n'));
    await command(argument, settings);
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

/** Opens the store named by the settings. Throws `UsageError`. */
export function openConfiguredStore(settings: Settings): Promise<Store> {
  const { databaseUrl, dataDirectory } = settings;
  return asUsageError(
    async () => openStore(databaseUrl ? openPostgres(databaseUrl) : openSqlite(dataDirectory)),
    (error) => describeStoreError(settings, error),
  );
}

function describeStoreError(
  { databaseUrl, dataDirectory }: Settings,
  error: NodeJS.ErrnoException,
): string {
  // Some errors have only a code, for example a refused connection to several addresses.
  const reason = error.message || error.code;
  if (!databaseUrl) return `DATA_DIR: cannot store data in ${dataDirectory}: ${reason}.`;
  const { hostname, port, pathname } = new URL(databaseUrl);
  const database = `${pathname.slice(1)} at ${hostname}:${port || 5432}`;
  return `DATABASE_URL: cannot use the database ${database}: ${reason}.`;
}
