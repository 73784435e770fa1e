import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountQueries } from './accounts.ts';
import { attemptBucketQueries } from './attempt-buckets.ts';
import { projectCreation } from './creates.ts';
import { findOwnTables, type Database } from './database.ts';
import { expiryQueries } from './expiry.ts';
import { projectListQueries } from './lists.ts';
import { sessionQueries } from './sessions.ts';

export type Store = Awaited<ReturnType<typeof openStore>>;

const migrations = join(import.meta.dirname, 'migrations');

/** Runs the migrations that are missing, in the order of their names. Returns those it ran. */
export async function migrate(database: Database, folder = migrations): Promise<string[]> {
  const isOwn = (name: string) =>
    /^[^.]+\.sql$/.test(name) || name.endsWith(`.${database.dialect}.sql`);
  const ran: string[] = [];
  for (const name of readdirSync(folder).filter(isOwn).toSorted()) {
    if (await database.migrate(name, readFileSync(join(folder, name), 'utf8'))) ran.push(name);
  }
  return ran;
}

/**
 * Applies missing migrations and returns everything that the server stores. Every call throws
 * `StoreUnavailable` if the database fails. Without `creates`, throws if there are no tables.
 */
export async function openStore(database: Database, { creates = true } = {}) {
  await database.assertWritable?.();
  if (!(await findOwnTables(database)) && !creates) {
    throw new Error('it is not a database of this app, use the setting of the server');
  }
  const [firstRun] = await migrate(database);

  return {
    /** Whether this process has created the tables. */
    isNew: firstRun?.startsWith('001-') === true,
    ...accountQueries(database),
    ...attemptBucketQueries(database),
    ...expiryQueries(database),
    ...sessionQueries(database),
    ...projectCreation(database),
    ...projectListQueries(database),

    /** Throws `StoreUnavailable` if nothing can be written. */
    check: () => database.checkWrite(),
    /** For the metrics. */
    database: database as Pick<Database, 'size' | 'countWaiting'>,
    close: () => database.close(),
  };
}
