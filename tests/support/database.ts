import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Database } from '../../server/store/database.ts';
import { openPostgres } from '../../server/store/postgres.ts';
import { openSqlite } from '../../server/store/sqlite.ts';

/** Registers somebody and signs them in. The headers are what a browser would send for them. */
export async function signIn(address: string, email = `${randomUUID()}@example.org`) {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'correct horse' }),
  };
  await fetch(`${address}/api/v1/users/register`, init);
  const { headers } = await fetch(`${address}/api/v1/auth/login`, init);
  const cookies = headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  const token = cookies.find((cookie) => cookie.startsWith('XSRF-TOKEN='))?.split('=')[1];
  if (!token) throw new Error(`Nobody could sign in at ${address}.`);
  return { email, headers: { cookie: cookies.join('; '), 'x-xsrf-token': token } };
}

/** Gives projects to everybody whose email is like this, behind the server's back: 100,000 calls take long. */
export async function fill(settings: Record<string, string>, email: string, count: number) {
  await withDatabase(settings, (database) =>
    database.query(
      `insert into projects (id, account_id, position, title, description, created_at)
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
       select substr(accounts.id, 1, 24) || substr(cast(1000000000000 + n as text), 2), accounts.id, n,
         'Project number ' || n,
         'New pages for the spring range, and the texts for them. They are due in March, says number ' || n, 0
       from numbers, accounts where accounts.email like $1`,
      [email],
    ),
  );
}

/** Works on the data of a server beside it. */
export async function withDatabase<T>(
  { DATABASE_URL, DATA_DIR = '' }: Record<string, string>,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = DATABASE_URL ? openPostgres(DATABASE_URL) : openSqlite(DATA_DIR);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Megabytes of memory that a process has, and the most that it ever had. */
export function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [now = 0, peak = 0] = ['VmRSS', 'VmHWM'].map(
    (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024,
  );
  return { now, peak };
}
