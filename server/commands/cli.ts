import { openPostgres } from '../store/postgres.ts';
import { openSqlite } from '../store/sqlite.ts';
import { openStore, type Store } from '../store/store.ts';
import type { Settings } from '../settings.ts';

/** What whoever runs a command has to change, one line each. */
export class UsageError extends Error {}

export type Failure = NodeJS.ErrnoException;

/** Runs a command of this folder. Mistakes are told without a stack; the process then ends with 1. */
export async function run(command: () => Promise<void>) {
  // Everything this process writes is people's data, for its own user to read and nobody else.
  process.umask(0o077);
  try {
    await command();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

/** Turns a failure of `work` into a mistake that `describe` puts into words. */
export async function asUsageError<T>(
  work: () => Promise<T>,
  describe: (error: Failure) => string,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new UsageError(describe(error as Failure), { cause: error });
  }
}

/** The store that the settings name. Throws `Mistakes` when it cannot be used. */
export function openConfiguredStore(settings: Settings): Promise<Store> {
  const { databaseUrl, dataDirectory } = settings;
  return asUsageError(
    async () => openStore(databaseUrl ? openPostgres(databaseUrl) : openSqlite(dataDirectory)),
    (error) => describeStoreFailure(settings, error),
  );
}

function describeStoreFailure({ databaseUrl, dataDirectory }: Settings, error: Failure): string {
  // Some errors, like a refused connection to one of several addresses, have only a code.
  const why = error.message || error.code;
  if (!databaseUrl) return `DATA_DIR: cannot keep data in ${dataDirectory}: ${why}.`;
  const { hostname, port, pathname } = new URL(databaseUrl);
  return `DATABASE_URL: cannot use the database ${pathname.slice(1)} at ${hostname}:${port || 5432}: ${why}.`;
}
