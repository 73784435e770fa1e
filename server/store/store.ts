import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attemptBucketQueries } from './attempt-buckets.ts';
import { projectCreation } from './creates.ts';
import { findOwnTables, type Database } from './database.ts';
import { projectListQueries } from './lists.ts';
import { sessionQueries } from './sessions.ts';

export interface Account {
  id: string;
  /** Canonical: in lower case, and an internationalized domain as Punycode. */
  email: string;
  passwordHash: string;
  role: string;
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
    /** Whether this process has created the tables. */
    isNew: firstRun?.startsWith('001-') === true,
    ...attemptBucketQueries(database),
    ...sessionQueries(database),
    ...projectCreation(database),
    ...projectListQueries(database),

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

    /** Throws `StoreUnavailable` if nothing can be written. */
    check: () => database.checkWrite(),
    /** For the metrics. */
    database: database as Pick<Database, 'size' | 'countConnections'>,
    close: () => database.close(),
  };
}
