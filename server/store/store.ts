import { readdirSync, readFileSync } from 'node:fs';
import DataLoader from 'dataloader';
import { createAttemptBuckets } from './attempt-buckets.ts';
import { placeholders, RowsRefused, StoreUnavailable, type Database } from './database.ts';

export interface Account {
  id: string;
  /** In lower case, because emails are compared without regard to case. */
  email: string;
  passwordHash: string;
  role: string;
}

export interface SessionRecord {
  tokenHash: string;
  accountId: string;
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
}

interface WaitingCreate {
  project: NewProject;
  resolve: (project: Project) => void;
  reject: (reason: unknown) => void;
}

/** Tables whose rows expire: primary key, and the column with the time. */
const expiringTables = {
  attempt_buckets: ['email_hash, network', 'updated_at'],
  known_networks: ['account_id, network', 'seen_at'],
  sessions: ['token_hash', 'expires_at'],
} as const;
type ExpiringTable = keyof typeof expiringTables;

/** Number of rows that one statement in the background may change. */
export const backgroundBatchSize = 500;

/** How long a network is known after a sign-in of the account. */
export const knownNetworkMs = 30 * 24 * 60 * 60 * 1000;

export type Store = Awaited<ReturnType<typeof openStore>>;

// Bounded in bytes too, because titles and descriptions decide how much memory a chunk takes.
const maxChunkBytes = 128 * 1024;
const maxProjectBytes = 2 ** 30;
const maxChunkRows = 256;
const maxBatchSize = 16;

/**
 * Applies missing migrations and returns everything that the server stores. Every call throws
 * `StoreUnavailable` if the database fails.
 */
export async function openStore(database: Database) {
  const migrations = new URL('./migrations/', import.meta.url);
  for (const name of readdirSync(migrations).toSorted()) {
    const [, dialect] = name.split('.');
    if (dialect !== 'sql' && dialect !== database.dialect) continue;
    await database.migrate(name, readFileSync(new URL(name, migrations), 'utf8'));
  }

  type SessionRow = SessionRecord & ListVersion;
  // Batches lookups from one event-loop turn into one query, because under load a round trip costs
  // more than an extra row.
  const sessionLoader = new DataLoader<string, SessionRow | undefined>(
    async (tokenHashes) => {
      const hashes = padBatch([...new Set(tokenHashes)]);
      const sessions = await database.query<SessionRow>(
        `select sessions.token_hash as "tokenHash", sessions.account_id as "accountId",
           (select list_edits from accounts where id = sessions.account_id) as edits,
           projects.id as "lastId", coalesce(projects.position, 0) as "lastPosition"
         from sessions left join projects on projects.account_id = sessions.account_id
             and projects.position = (select max(position) from projects
                                      where account_id = sessions.account_id)
         where token_hash in (${placeholders(hashes.length)}) and expires_at > ${database.now}`,
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
           ${database.now}
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
    // A lock, because its commit waits for the synchronous standby, which may lack the project.
    const lock = database.dialect === 'postgresql' ? 'for update' : '';
    const [earlier] = await database.query<Project>(
      `select id, title, description from projects
       where account_id = $1 and idempotency_key = $2 ${lock}`,
      [project.accountId, project.idempotencyKey ?? null],
    );
    if (earlier) return earlier;
    const [result] = await storeProjects([project]);
    if (result?.status === 'fulfilled') return result.value;
    throw result?.reason;
  }

  async function deleteOrdered(
    table: ExpiringTable,
    operator: string,
    order: string,
    time: number,
  ) {
    const [key, column] = expiringTables[table];
    // Ordered, so that the index is used even without statistics.
    const deleted = await database.query(
      `delete from ${table} where (${key}) in (
         select ${key} from ${table} where ${column} ${operator} $1
         order by ${column} ${order} limit ${backgroundBatchSize}) returning ${column}`,
      [time],
    );
    return deleted.length;
  }

  return {
    ...createAttemptBuckets(database),

    /** Returns false if the email has an account. */
    async createAccount({ id, email, passwordHash, role }: Account) {
      const created = await database.query(
        `insert into accounts (id, email, password_hash, role, created_at)
         values ($1, $2, $3, $4, ${database.now}) on conflict do nothing returning id`,
        [id, email, passwordHash, role],
      );
      return created.length > 0;
    },

    /** `isKnown` is true if the account signed in from the network lately. */
    async findAccount(email: string, network = '') {
      type Row = Pick<Account, 'id' | 'passwordHash'> & { isKnown: boolean | number };
      const [account] = await database.query<Row>(
        `select id, password_hash as "passwordHash", exists (
           select 1 from known_networks where account_id = accounts.id and network = $2
             and abs(seen_at - ${database.now}) < ${knownNetworkMs}) as "isKnown"
         from accounts where email = $1`,
        [email, network],
      );
      return account && { ...account, isKnown: Boolean(account.isKnown) };
    },

    async replacePasswordHash(accountId: string, passwordHash: string) {
      await database.query('update accounts set password_hash = $2 where id = $1', [
        accountId,
        passwordHash,
      ]);
    },

    /** Remembers that the account signed in from the network. */
    async rememberNetwork(accountId: string, network: string) {
      await database.query(
        `insert into known_networks (account_id, network, seen_at) values ($1, $2, ${database.now})
         on conflict (account_id, network) do update set seen_at = excluded.seen_at`,
        [accountId, network],
      );
    },

    async createSession({ tokenHash, accountId }: SessionRecord, lifetimeMs: number) {
      await database.query(
        `insert into sessions (token_hash, account_id, expires_at)
         values ($1, $2, ${database.now} + cast($3 as bigint))`,
        [tokenHash, accountId, lifetimeMs],
      );
    },

    /**
     * Returns undefined if the session has expired or does not exist. Includes the version of the
     * account's list, because one query costs less than two.
     */
    findSession: (tokenHash: string) => sessionLoader.load(tokenHash),

    async deleteSession(tokenHash: string) {
      await database.query('delete from sessions where token_hash = $1', [tokenHash]);
    },

    /** Returns the number of deleted sessions. */
    async deleteSessionsOfAccount(accountId: string) {
      const deleted = await database.query(
        'delete from sessions where account_id = $1 returning token_hash',
        [accountId],
      );
      return deleted.length;
    },

    /** Reads the store's clock. */
    async now() {
      const [row] = await database.query<{ now: number | string }>(`select ${database.now} as now`);
      return Number(row?.now);
    },

    /** Deletes the oldest rows, those before `time`: at most `backgroundBatchSize`. */
    deleteBefore: (table: ExpiringTable, time: number) => deleteOrdered(table, '<', 'asc', time),
    /** Deletes the newest rows, those after `time`: at most `backgroundBatchSize`. */
    deleteAfter: (table: ExpiringTable, time: number) => deleteOrdered(table, '>', 'desc', time),

    /** Makes sessions that expire later expire at `latest`: at most `backgroundBatchSize`. */
    async shortenSessions(latest: number) {
      const shortened = await database.query(
        `update sessions set expires_at = $1 where token_hash in (
           select token_hash from sessions where expires_at > $1
           order by expires_at desc limit ${backgroundBatchSize}) returning token_hash`,
        [latest],
      );
      return shortened.length;
    },

    /**
     * Yields the projects of a version of an account's list, oldest first. Each chunk is a query of
     * its own, so a slow client holds neither a connection nor a snapshot. Throws
     * `StoreUnavailable` if the list was edited since that version.
     */
    async *listProjects(accountId: string, { edits, lastPosition }: ListVersion) {
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

    /**
     * Returns the project once it is synced to disk, with others that wait at the same time. If the
     * account has used the idempotency key before, returns that project and stores nothing.
     */
    createProject: (project: NewProject) =>
      new Promise<Project>((resolve, reject) => {
        waitingCreates.push({ project, resolve, reject });
        setImmediate(storeWaitingProjects);
      }),

    /** Throws `StoreUnavailable` if nothing can be written. */
    check: () => database.checkWrite(),
    /** For the metrics. */
    database: database as Pick<Database, 'size' | 'countConnections'>,
    close: () => database.close(),
  };
}

/** Repeats keys up to `maxBatchSize`, so that there are only two statements to prepare. */
function padBatch(keys: string[]): string[] {
  if (keys.length === 1) return keys;
  return Array.from({ length: maxBatchSize }, (_, i) => keys[i % keys.length] as string);
}
