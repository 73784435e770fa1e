import { readFileSync } from 'node:fs';
import { escapeLiteral } from 'pg';
import type { Database } from '../server/store/database.ts';
import { columns } from '../server/store/lists.ts';
import { openPostgres } from '../server/store/postgres.ts';
import { openSqlite } from '../server/store/sqlite.ts';
import { newProject, projectOf, textNames } from './projects.ts';
import { longWaitMs } from './time-limits.ts';
import type { Environment } from './server-process.ts';

/** SQL of the columns of a project that are no texts. */
type OtherColumns = { id: string; account_id: string; position: string; idempotency_key?: string };

/** Returns SQL that inserts a project for each row of `from`. The texts are SQL too. */
export function insertProjectSql(
  others: OtherColumns,
  from: string,
  texts = projectOf((name) => escapeLiteral(newProject()[name])),
): string {
  const values = { ...others, created_at: '0' };
  const names = [...Object.keys(values), ...textNames.map((name) => columns[name])].join();
  const row = [...Object.values(values), ...textNames.map((name) => texts[name])].join();
  return `insert into projects (${names}) select ${row} from ${from}`;
}

export async function countRows(database: Database, tables: string[]) {
  const counts: Record<string, number> = {};
  for (const table of tables)
    counts[table] = (await database.query(`select 1 from ${table}`)).length;
  return counts;
}

/** Inserts projects for all accounts whose email matches, because 100,000 API calls are slow. */
export async function insertProjects(settings: Environment, emailPattern: string, count: number) {
  const sql = insertProjectSql(
    {
      id: 'substr(accounts.id, 1, 24) || substr(cast(1000000000000 + n as text), 2)',
      account_id: 'accounts.id',
      position: 'n',
    },
    `accounts, (
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
       select n from numbers
     ) as numbers where accounts.email like $1`,
    projectOf((name) => `'Project number ' || n || '${name === textNames[0] ? '' : longText}'`),
  );
  await withDatabase(settings, (database) => database.query(sql, [emailPattern]));
}

const longText =
  ', with new pages for the spring range, and the texts for them that are due in March.';

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
