import { readdirSync, readFileSync } from 'node:fs';
import DataLoader from 'dataloader';
import { RowsRefused, StoreUnavailable, type Database } from './database.ts';

export interface Account {
  id: string;
  /** In lower case, because emails are compared without regard to case. */
  email: string;
  passwordHash: string;
  role: string;
  /** Milliseconds since 1970, like every time in the store. */
  createdAt: number;
}

export interface SessionRecord {
  tokenHash: string;
  accountId: string;
  expiresAt: number;
}

/** Version of an account's list. Equal versions mean equal lists. */
export interface ListVersion {
  /** Number of changes other than a project added at the end. Triggers count them. */
  edits: number;
  /** Id of the newest project; null for an empty list. */
  lastId: string | null;
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

interface WaitingCreate {
  project: NewProject;
  resolve: (project: Project) => void;
  reject: (reason: unknown) => void;
}

/** A token bucket that refills more slowly after many attempts. */
export interface AttemptLimit {
  /** Size of the bucket. */
  burst: number;
  /** Time to refill one attempt. */
  intervalMs: number;
  /** The interval doubles after each further `burst` attempts, at most this often. */
  maxDoublings: number;
}

/** Everything the server stores. Every call throws `StoreUnavailable` if the database fails. */
export interface Store {
  /** Returns false if the email has an account. */
  createAccount(account: Account): Promise<boolean>;
  findAccount(email: string): Promise<Pick<Account, 'id' | 'passwordHash'> | undefined>;
  replacePasswordHash(accountId: string, passwordHash: string): Promise<void>;
  /**
   * Counts an attempt under a key. If the attempt is too early it is not counted, and `waitMs` is
   * greater than 0. `isKnown` is true until the time given to `resetAttempts`.
   */
  countAttempt(
    key: string,
    limit: AttemptLimit,
    now: number,
  ): Promise<{ waitMs: number; isKnown: boolean }>;
  /** Forgets the attempts under both keys and makes the first one known until `knownUntil`. */
  resetAttempts(key: string, otherKey: string, now: number, knownUntil: number): Promise<void>;
  /** Deletes attempts whose bucket was full before `fullBefore`, unless their key is known. */
  deleteOldAttempts(fullBefore: number, now: number): Promise<void>;
  createSession(session: SessionRecord): Promise<void>;
  /**
   * Returns undefined if the session has expired or does not exist. Includes the version of the
   * account's list, because one query costs less than two.
   */
  findSession(
    tokenHash: string,
    now: number,
  ): Promise<(Pick<SessionRecord, 'accountId'> & ListVersion) | undefined>;
  deleteSession(tokenHash: string): Promise<void>;
  /** Returns the number of deleted sessions. */
  deleteSessionsOfAccount(accountId: string): Promise<number>;
  deleteExpiredSessions(now: number): Promise<void>;
  /**
   * Yields the projects of a version of an account's list, oldest first. Each chunk is a query of
   * its own, so a slow client holds neither a connection nor a snapshot. Throws `StoreUnavailable`
   * if the list was edited since that version.
   */
  listProjects(accountId: string, version: ListVersion): AsyncGenerator<Project[]>;
  /**
   * Returns the project once it is synced to disk, with others that wait at the same time. If the account has used the idempotency key
   * before, returns the project of that time and stores nothing.
   */
  createProject(project: NewProject): Promise<Project>;
  /** Throws `StoreUnavailable` if nothing can be written. */
  check(): Promise<void>;
  close(): Promise<void>;
}

// Bounded in bytes too, because titles and descriptions decide how much memory a chunk takes.
const maxChunkBytes = 128 * 1024;
const maxProjectBytes = 2 ** 30;
const maxChunkRows = 256;
const maxBatchSize = 16;

/** Applies missing migrations and returns the store. */
export async function openStore(database: Database): Promise<Store> {
  const migrations = new URL('./migrations/', import.meta.url);
  for (const name of readdirSync(migrations).toSorted()) {
    const [, dialect] = name.split('.');
    if (dialect !== 'sql' && dialect !== database.dialect) continue;
    await database.migrate(name, readFileSync(new URL(name, migrations), 'utf8'));
  }

  type SessionRow = ListVersion & {
    tokenHash: string;
    accountId: string;
    expiresAt: number | string; // PostgreSQL returns a bigint as text
  };
  // Batches lookups from one event-loop turn into one query, because under load a round trip costs
  // more than an extra row.
  const sessionLoader = new DataLoader<string, SessionRow | undefined>(
    async (tokenHashes) => {
      const hashes = padBatch([...new Set(tokenHashes)]);
      const sessions = await database.query<SessionRow>(
        `select sessions.token_hash as "tokenHash", sessions.account_id as "accountId",
           sessions.expires_at as "expiresAt", accounts.list_edits as edits,
           projects.id as "lastId", coalesce(projects.position, 0) as "lastPosition"
         from sessions join accounts on accounts.id = sessions.account_id
           left join projects on projects.account_id = sessions.account_id
             and projects.position = (select max(position) from projects
                                      where account_id = sessions.account_id)
         where token_hash in (${hashes.map((_, i) => `$${i + 1}`).join(', ')})`,
        hashes,
      );
      const byHash = new Map(sessions.map((session) => [session.tokenHash, session]));
      return tokenHashes.map((tokenHash) => byHash.get(tokenHash));
    },
    { cache: false, maxBatchSize, batchScheduleFn: (dispatch) => setImmediate(dispatch) },
  );

  let waitingCreates: WaitingCreate[] = [];
  const busyAccounts = new Set<string>();

  /**
   * Stores waiting projects in one statement and so with one sync. An account has one such
   * statement at a time: others would wait for its positions and then be refused.
   */
  async function storeWaitingProjects() {
    const isReady = ({ project }: WaitingCreate) => !busyAccounts.has(project.accountId);
    const batch = waitingCreates.filter(isReady).slice(0, maxBatchSize);
    if (batch.length === 0) return;
    waitingCreates = waitingCreates.filter((create) => !batch.includes(create));
    const projects = batch.map(({ project }) => project);
    for (const { accountId } of projects) busyAccounts.add(accountId);
    setImmediate(storeWaitingProjects);
    const results = await storeProjects(projects);
    for (const { accountId } of projects) busyAccounts.delete(accountId);
    setImmediate(storeWaitingProjects);
    for (const [i, result] of results.entries()) {
      if (result.status === 'fulfilled') batch[i]!.resolve(result.value);
      else batch[i]!.reject(result.reason);
    }
  }

  /**
   * Stores all projects or none. If the database refuses them, because of one of them or because
   * another replica took a position, stores each half by itself.
   */
  async function storeProjects(batch: NewProject[]): Promise<PromiseSettledResult<Project>[]> {
    try {
      // Ordered by account, because replicas that lock accounts in different orders deadlock.
      const stored = await database.query<{ id: string }>(
        `insert into projects (id, account_id, position, title, description, idempotency_key, created_at)
         select value ->> 'id', value ->> 'accountId',
           (select coalesce(max(position), 0) from projects where account_id = value ->> 'accountId')
             + row_number() over (partition by value ->> 'accountId' order by cast(key as integer)),
           value ->> 'title', value ->> 'description', value ->> 'idempotencyKey',
           cast(value ->> 'createdAt' as bigint)
         from json_each($1) where not exists (
           select 1 from projects where account_id = value ->> 'accountId'
             and idempotency_key = value ->> 'idempotencyKey'
         )
         order by value ->> 'accountId', cast(key as integer)
         ${batch.length === 1 ? 'on conflict do nothing' : ''} returning id`,
        [JSON.stringify(Object.fromEntries(batch.entries()))],
      );
      const storedIds = new Set(stored.map(({ id }) => id));
      return await Promise.allSettled(
        batch.map(async (project) => (storedIds.has(project.id) ? project : findOrStore(project))),
      );
    } catch (reason) {
      if (!(reason instanceof RowsRefused) || batch.length === 1) {
        return batch.map(() => ({ status: 'rejected', reason }));
      }
      const half = Math.ceil(batch.length / 2);
      const first = await storeProjects(batch.slice(0, half));
      return [...first, ...(await storeProjects(batch.slice(half)))];
    }
  }

  /** Returns the project with the same key. Otherwise stores it at the next position. */
  async function findOrStore(project: NewProject): Promise<Project> {
    const [earlier] = await database.query<Project>(
      'select id, title, description from projects where account_id = $1 and idempotency_key = $2',
      [project.accountId, project.idempotencyKey ?? null],
    );
    if (earlier) return earlier;
    const [result] = await storeProjects([project]);
    if (result?.status === 'fulfilled') return result.value;
    throw result?.reason;
  }

  return {
    async createAccount({ id, email, passwordHash, role, createdAt }) {
      const created = await database.query(
        `insert into accounts (id, email, password_hash, role, created_at) values ($1, $2, $3, $4, $5)
         on conflict do nothing returning id`,
        [id, email, passwordHash, role, createdAt],
      );
      return created.length > 0;
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

    async countAttempt(key, { burst, intervalMs, maxDoublings }, now) {
      type Row = { freeAt: number | string; knownUntil: number | string };
      // The bucket is stored as the time when it will be full again. Each attempt adds an interval,
      // up to `slackMs` ahead of now.
      const slackMs = (burst - 1) * intervalMs;
      const [counted] = await database.query<Row>(
        `insert into attempts (key, made, free_at, known_until)
         values ($1, 1, cast($2 as bigint) + cast($3 as bigint), 0)
         on conflict (key) do update set
           made = attempts.made + 1,
           free_at = case when attempts.free_at > $2 then attempts.free_at else $2 end
             + $3 * (1 << case when attempts.made / $5 < $6 then attempts.made / $5 else $6 end)
         where attempts.free_at <= cast($2 as bigint) + $4
         returning free_at as "freeAt", known_until as "knownUntil"`,
        [key, now, intervalMs, slackMs, burst, maxDoublings],
      );
      if (counted) return { waitMs: 0, isKnown: Number(counted.knownUntil) > now };
      const [row] = await database.query<Row>(
        'select free_at as "freeAt", known_until as "knownUntil" from attempts where key = $1',
        [key],
      );
      // A successful sign-in may have reset it between the two statements.
      const waitMs = row ? Number(row.freeAt) - slackMs - now : 1;
      return { waitMs: Math.max(1, waitMs), isKnown: false };
    },

    async resetAttempts(key, otherKey, now, knownUntil) {
      await database.query(
        `update attempts set
           made = 0,
           free_at = cast($3 as bigint),
           known_until = case when key = $1 then cast($4 as bigint) else 0 end
         where key in ($1, $2)`,
        [key, otherKey, now, knownUntil],
      );
    },

    async deleteOldAttempts(fullBefore, now) {
      await database.query('delete from attempts where free_at < $1 and known_until < $2', [
        fullBefore,
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
      const session = await sessionLoader.load(tokenHash);
      return session && Number(session.expiresAt) > now ? session : undefined;
    },

    async deleteSession(tokenHash) {
      await database.query('delete from sessions where token_hash = $1', [tokenHash]);
    },

    async deleteSessionsOfAccount(accountId) {
      const deleted = await database.query(
        'delete from sessions where account_id = $1 returning token_hash',
        [accountId],
      );
      return deleted.length;
    },

    async deleteExpiredSessions(now) {
      await database.query('delete from sessions where expires_at <= $1', [now]);
    },

    async *listProjects(accountId, { edits, lastPosition }) {
      let [from, rows] = [1, maxChunkRows];
      while (from <= lastPosition) {
        // Ranges, because without statistics PostgreSQL would sort the list for each `limit`.
        const to = Math.min(from + rows - 1, lastPosition);
        const chunk = await database.query<Project>(
          `select id, title, description from projects
           where account_id = $1 and position between $2 and $3
             and $4 = (select list_edits from accounts where id = $1)
             and $5 >= (select sum(octet_length(title) + octet_length(description)) from projects
                        where account_id = $1 and position between $2 and $3)
           order by position`,
          [accountId, from, to, edits, from === to ? maxProjectBytes : maxChunkBytes],
        );
        if (chunk.length > 0) {
          yield chunk;
          [from, rows] = [to + 1, Math.min(rows * 2, maxChunkRows)];
          continue;
        }
        const [list] = await database.query<{ edits: number; next: number | null }>(
          `select list_edits as edits, (select min(position) from projects
                                        where account_id = $1 and position >= $2) as next
           from accounts where id = $1`,
          [accountId, from],
        );
        if (list?.edits !== edits || list.next === null) {
          throw new StoreUnavailable(new Error('The list was edited while it was read.'));
        }
        // Skips deleted positions. Otherwise the chunk has too many bytes.
        if (list.next > to) from = list.next;
        else rows = Math.ceil(rows / 2);
      }
    },

    createProject: (project) =>
      new Promise((resolve, reject) => {
        waitingCreates.push({ project, resolve, reject });
        setImmediate(storeWaitingProjects);
      }),

    check: () => database.checkWrite(),
    close: () => database.close(),
  };
}

/** Repeats keys up to `maxBatchSize`, so that there are only two statements to prepare. */
function padBatch(keys: string[]): string[] {
  if (keys.length === 1) return keys;
  return Array.from({ length: maxBatchSize }, (_, i) => keys[i % keys.length] as string);
}
