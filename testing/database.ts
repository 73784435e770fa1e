import { readFileSync } from 'node:fs';
import type { Database } from '../server/store/database.ts';
import { openPostgres } from '../server/store/postgres.ts';
import { openSqlite } from '../server/store/sqlite.ts';
import { longWaitMs } from './time-limits.ts';
import type { Environment } from './server-process.ts';

/** Inserts projects for all accounts whose email matches, because 100,000 API calls are slow. */
export async function insertProjects(settings: Environment, emailPattern: string, count: number) {
  await withDatabase(settings, (database) =>
    database.query(
      `insert into projects (id, account_id, position, title, description, created_at)
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
       select substr(accounts.id, 1, 24) || substr(cast(1000000000000 + n as text), 2), accounts.id, n,
         'Project number ' || n,
         'New pages for the spring range, and the texts for them. They are due in March, says number ' || n, 0
       from numbers, accounts where accounts.email like $1`,
      [emailPattern],
    ),
  );
}

/** Opens the database named by a server's settings, also while a server uses it. */
export function openDatabase({ DATABASE_URL, DATA_DIR = '' }: Environment): Database {
  return DATABASE_URL
    ? openPostgres(DATABASE_URL, { timeoutMs: longWaitMs })
    : openSqlite(DATA_DIR, longWaitMs);
}

/** Returns the database with another clock, in milliseconds since 1970. */
export function withClock(database: Database, now: () => number): Database {
  return {
    ...database,
    get now() {
      return `cast(${now()} as bigint)`;
    },
  };
}

/** Opens the database of a running server a second time. */
export async function withDatabase<T>(
  settings: Environment,
  use: (database: Database) => Promise<T>,
): Promise<T> {
  const database = openDatabase(settings);
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

/** Returns the highest memory use of a process so far, in megabytes. Linux only. */
export function peakMemoryMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
