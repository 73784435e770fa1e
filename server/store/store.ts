import { readdirSync, readFileSync } from 'node:fs';
import type { Database } from './database.ts';
import { batchLookups } from './batch.ts';

export interface Account {
  id: string;
  /** In lower case: two spellings of one address are one account. */
  email: string;
  passwordHash: string;
  role: string;
  /** Milliseconds since 1970, like every time in the store. */
  createdAt: number;
}

export interface Session {
  tokenHash: string;
  accountId: string;
  expiresAt: number;
}

/** How somebody's list of projects stands. Equal to an earlier one: so is the list, as projects never change. */
export interface ListVersion {
  count: number;
  /** The newest project; null when there is none. */
  lastId: string | null;
  /** Its place in the list. */
  lastPosition: number;
}

export interface Project {
  id: string;
  title: string;
  description: string;
}

export interface NewProject extends Project {
  accountId: string;
  idempotencyKey: string | undefined;
  createdAt: number;
}

/** How often something may be tried. Why these: docs/decisions/0008-throttling.md. */
export interface Limit {
  /** This many attempts at once; */
  burst: number;
  /** then one in so many milliseconds, */
  interval: number;
  /** which double after each further `burst` attempts without success, this often at most. */
  doublings: number;
}

/** What the server keeps. Every call throws `StoreUnavailable` when the database does not answer. */
export interface Store {
  /** False when the email has an account; then nothing is kept. */
  createAccount(account: Account): Promise<boolean>;
  findAccount(email: string): Promise<Pick<Account, 'id' | 'passwordHash'> | undefined>;
  replacePasswordHash(accountId: string, passwordHash: string): Promise<void>;
  /**
   * Counts an attempt under a key; gives how many milliseconds it came too early by `limit` (0: it is counted; else it is
   * not), and whether the key is known at the time `now`.
   */
  countAttempt(key: string, limit: Limit, now: number): Promise<{ wait: number; isKnown: boolean }>;
  /** Forgets the attempts under two keys. The first is known from now on, until `knownUntil`. */
  forgiveAttempts(key: string, other: string, now: number, knownUntil: number): Promise<void>;
  /** Forgets keys that were free before the time `unused`, except those that are known at the time `now`. */
  forgetAttempts(unused: number, now: number): Promise<void>;
  createSession(session: Session): Promise<void>;
  /** Whose session it is; undefined when it has ended by the time `now`, or never was. */
  findSession(tokenHash: string, now: number): Promise<Pick<Session, 'accountId'> | undefined>;
  /** The same, together with how the list of the person stands: one question instead of two. */
  findWithListVersion(
    tokenHash: string,
    now: number,
  ): Promise<(Pick<Session, 'accountId'> & ListVersion) | undefined>;
  deleteSession(tokenHash: string): Promise<void>;
  /** Gives how many there were. */
  deleteSessionsOf(accountId: string): Promise<number>;
  deleteEndedSessions(now: number): Promise<void>;
  /**
   * One person's projects, oldest first, up to a place in the list, in slices of some 100 kB. Each slice is a question of
   * its own, asked when the one before is dealt with: a slow reader holds neither a connection nor a snapshot.
   */
  listProjects(accountId: string, lastPosition: number): AsyncGenerator<Project[]>;
  /**
   * Keeps the project, and gives it back once it is safely on disk. When this person has used this idempotency key
   * before, keeps nothing and gives the project that the key made.
   */
  createProject(project: NewProject): Promise<Project>;
  /** Throws `StoreUnavailable` when nothing can be read. */
  check(): Promise<void>;
  close(): Promise<void>;
}

// Neither memory nor a turn of the event loop may depend on what people write, so a slice is bounded in bytes too.
const sliceBytes = 128 * 1024;
const sliceRows = 256;

/** Brings the database up to the newest migration and gives the store on it. */
export async function openStore(database: Database): Promise<Store> {
  const migrations = new URL('./migrations/', import.meta.url);
  for (const name of readdirSync(migrations).toSorted()) {
    await database.migrate(name, readFileSync(new URL(name, migrations), 'utf8'));
  }

  const findWithListVersion = batchLookups(async (tokenHashes) => {
    // PostgreSQL gives times as text.
    type Row = ListVersion & { tokenHash: string; accountId: string; expiresAt: number | string };
    const readers = await database.query<Row>(
      `select sessions.token_hash as "tokenHash", sessions.account_id as "accountId",
         sessions.expires_at as "expiresAt", projects.id as "lastId",
         coalesce(projects.position, 0) as "lastPosition",
         (select cast(count(*) as integer) from projects
          where account_id = sessions.account_id) as count
       from sessions left join projects on projects.account_id = sessions.account_id
         and projects.position = (select max(position) from projects
                                  where account_id = sessions.account_id)
       where token_hash in (${tokenHashes.map((_, i) => `$${i + 1}`).join(', ')})`,
      tokenHashes,
    );
    return new Map(readers.map((reader) => [reader.tokenHash, reader]));
  });

  return {
    async createAccount({ id, email, passwordHash, role, createdAt }) {
      const kept = await database.query(
        `insert into accounts (id, email, password_hash, role, created_at) values ($1, $2, $3, $4, $5)
         on conflict do nothing returning id`,
        [id, email, passwordHash, role, createdAt],
      );
      return kept.length > 0;
    },

    async findAccount(email) {
      const [account] = await database.query<Pick<Account, 'id' | 'passwordHash'>>(
        'select id, password_hash as "passwordHash" from accounts where email = $1',
        [email],
      );
      return account;
    },

    async replacePasswordHash(accountId, passwordHash) {
      await database.query('update accounts set password_hash = $2 where id = $1', [
        accountId,
        passwordHash,
      ]);
    },

    async countAttempt(key, { burst, interval, doublings }, now) {
      type Row = { freeAt: number | string; knownUntil: number | string };
      const slack = (burst - 1) * interval;
      // The bucket as one time: `free_at` is when it will be full again. Each attempt moves it on, as far ahead as `slack`.
      const [counted] = await database.query<Row>(
        `insert into attempts (key, made, free_at, known_until)
         values ($1, 1, cast($2 as bigint) + cast($3 as bigint), 0)
         on conflict (key) do update set
           made = attempts.made + 1,
           free_at = case when attempts.free_at > $2 then attempts.free_at else $2 end
             + $3 * (1 << case when attempts.made / $5 < $6 then attempts.made / $5 else $6 end)
         where attempts.free_at <= cast($2 as bigint) + $4
         returning free_at as "freeAt", known_until as "knownUntil"`,
        [key, now, interval, slack, burst, doublings],
      );
      if (counted) return { wait: 0, isKnown: Number(counted.knownUntil) > now };
      const [full] = await database.query<Row>(
        'select free_at as "freeAt", known_until as "knownUntil" from attempts where key = $1',
        [key],
      );
      // Somebody else's right password may have freed it between the two statements.
      const wait = full ? Number(full.freeAt) - slack - now : 1;
      return { wait: Math.max(1, wait), isKnown: false };
    },

    async forgiveAttempts(key, other, now, knownUntil) {
      await database.query(
        `update attempts set
           made = 0,
           free_at = cast($3 as bigint),
           known_until = case when key = $1 then cast($4 as bigint) else 0 end
         where key in ($1, $2)`,
        [key, other, now, knownUntil],
      );
    },

    async forgetAttempts(unused, now) {
      await database.query('delete from attempts where free_at < $1 and known_until < $2', [
        unused,
        now,
      ]);
    },

    async createSession({ tokenHash, accountId, expiresAt }) {
      await database.query(
        'insert into sessions (token_hash, account_id, expires_at) values ($1, $2, $3)',
        [tokenHash, accountId, expiresAt],
      );
    },

    async findSession(tokenHash, now) {
      const [session] = await database.query<Pick<Session, 'accountId'>>(
        'select account_id as "accountId" from sessions where token_hash = $1 and expires_at > $2',
        [tokenHash, now],
      );
      return session;
    },

    async findWithListVersion(tokenHash, now) {
      const found = await findWithListVersion(tokenHash);
      if (!found || Number(found.expiresAt) <= now) return undefined;
      const { accountId, count, lastId, lastPosition } = found;
      return { accountId, count, lastId, lastPosition };
    },

    async deleteSession(tokenHash) {
      await database.query('delete from sessions where token_hash = $1', [tokenHash]);
    },

    async deleteSessionsOf(accountId) {
      const ended = await database.query(
        'delete from sessions where account_id = $1 returning token_hash',
        [accountId],
      );
      return ended.length;
    },

    async deleteEndedSessions(now) {
      await database.query('delete from sessions where expires_at <= $1', [now]);
    },

    async *listProjects(accountId, lastPosition) {
      let rows = sliceRows;
      for (let from = 0; from <= lastPosition; from += rows, rows = Math.min(rows * 2, sliceRows)) {
        // Ranges and no limit: without statistics, PostgreSQL would sort all the rest of the list for each slice.
        const range = () => [accountId, from, Math.min(from + rows - 1, lastPosition)];
        while (rows > 1) {
          const [size] = await database.query<{ bytes: number }>(
            `select cast(sum(octet_length(title) + octet_length(description)) as integer) as bytes
             from projects where account_id = $1 and position between $2 and $3`,
            range(),
          );
          if ((size?.bytes ?? 0) <= sliceBytes) break;
          rows = Math.ceil(rows / 2);
        }
        const slice = await database.query<Project>(
          `select id, title, description from projects
           where account_id = $1 and position between $2 and $3 order by position`,
          range(),
        );
        if (slice.length > 0) yield slice;
      }
    },

    async createProject({ id, accountId, title, description, idempotencyKey, createdAt }) {
      const key = idempotencyKey ?? null;
      for (;;) {
        // One statement, so that the key, the place in the list and the project are kept together or not at all.
        const [kept] = await database.query<Project>(
          `insert into projects (id, account_id, position, title, description, idempotency_key, created_at)
           select $1, $2, coalesce(max(position), 0) + 1, $3, $4, $5, cast($6 as bigint)
           from projects where account_id = $2
           on conflict do nothing returning id, title, description`,
          [id, accountId, title, description, key, createdAt],
        );
        if (kept) return kept;
        const [earlier] = await database.query<Project>(
          'select id, title, description from projects where account_id = $1 and idempotency_key = $2',
          [accountId, key],
        );
        if (earlier) return earlier;
        // Another request of this person took the same place in the list: go to the next one.
      }
    },

    async check() {
      await database.query('select name from migrations limit 1');
    },

    close: () => database.close(),
  };
}
