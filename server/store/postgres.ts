import type { PoolClient } from 'pg';
import {
  causeOf,
  claimMigration,
  isRead,
  StoreUnavailable,
  writeRow,
  type Database,
  type SqlValue,
  type Transaction,
} from './database.ts';
import { isPermanent } from './postgres-errors.ts';
import { openPool, unavailable, type PostgresOptions } from './postgres-pool.ts';
import { assertWritable, describeRole } from './postgres-session.ts';

// One round trip and one transaction. On a full disk, a row can still be updated in its place, but
// the temporary file of the sort cannot be written.
const writeCheck = `
  set local lock_timeout = '1s';
  lock table accounts, sessions, projects, attempt_buckets, known_networks in row exclusive mode;
  set local work_mem = '64kB';
  select count(*) from generate_series(1, 10000);
  ${writeRow}`;

const createMigrationsTable =
  'create table if not exists migrations (name text collate "C" primary key)';

const missingTableCode = '42P01';

/** Opens a database. Connects on the first query. */
// oxlint-disable-next-line max-lines-per-function -- its methods share one pool
export function openPostgres(url: string, options: PostgresOptions = {}): Database {
  const { waitMs, run, useConnection, localSettings, maxConnections, countWaiting, close } =
    openPool(url, options);

  async function runTransaction<T>(client: PoolClient, transaction: Transaction<T>): Promise<T> {
    await run(client, `begin${localSettings(client)}`);
    try {
      const steps = transaction();
      let step = steps.next();
      while (!step.done) step = steps.next(await run(client, ...step.value));
      await run(client, 'commit');
      return step.value;
    } catch (error) {
      // A connection that the database failed is closed, which is a rollback too.
      if (!(error instanceof StoreUnavailable)) await run(client, 'rollback');
      throw error;
    }
  }

  async function runAlone(client: PoolClient, sql: string, values?: SqlValue[]) {
    if (!localSettings(client)) return run(client, sql, values);
    const transaction: Transaction<unknown[]> = function* () {
      return yield values ? [sql, values] : [sql];
    };
    return runTransaction(client, transaction);
  }

  async function isRecorded(migration: string): Promise<boolean> {
    const sql = 'select name from migrations where name = $1';
    try {
      return (await useConnection((client) => runAlone(client, sql, [migration]))).length > 0;
    } catch (error) {
      if (causeOf(error).code === missingTableCode) return false;
      throw error;
    }
  }

  let writes = 0;
  const waitingWrites = new Set<() => void>();
  /** Runs a write. Half of the connections remain for reads, in case that all writes hang. */
  async function write<T>(task: (client: PoolClient) => Promise<T>): Promise<T> {
    if (writes < Math.max(1, Math.floor(maxConnections() / 2))) writes += 1;
    else {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const timer = setTimeout(() => {
        waitingWrites.delete(resolve);
        reject(new StoreUnavailable(new Error('Earlier writes take too long.')));
      }, waitMs);
      waitingWrites.add(resolve);
      await promise;
      clearTimeout(timer);
    }
    try {
      return await useConnection(task);
    } finally {
      const [next] = waitingWrites;
      if (next) waitingWrites.delete(next);
      else writes -= 1;
      next?.();
    }
  }

  return {
    dialect: 'postgresql',
    // Not the start of the transaction, which may have waited for a lock since.
    now: 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)',
    jsonArray: () => `'[' || string_agg(cast(row_to_json(item) as text), ',') || ']'`,

    async query<Row>(sql: string, values?: SqlValue[]) {
      return (await (isRead(sql) ? useConnection : write)((client) =>
        runAlone(client, sql, values),
      )) as Row[];
    },

    transact: (transaction) => write((client) => runTransaction(client, transaction)),

    assertWritable: () =>
      atStart(async () => {
        const [role] = await useConnection((client) => runAlone(client, describeRole));
        assertWritable(role);
      }),

    migrate: (name, sql) =>
      atStart(async () => {
        // First, because a role that may not create tables can use those of an earlier start.
        if (await isRecorded(name)) return false;
        // Two processes that create the table at once can collide despite `if not exists`.
        const createTable = () =>
          useConnection((client) => runAlone(client, createMigrationsTable));
        await createTable().catch(createTable);
        return await useConnection(async (client) => {
          await client.query(`begin${localSettings(client)}; set local statement_timeout = 0`);
          const claimed = await client.query(claimMigration, [name]);
          // All reads of a table wait behind a change that waits for one of them.
          await client.query(`set local lock_timeout = '1s'`);
          if (claimed.rows.length > 0) await client.query(sql);
          await client.query('commit');
          return claimed.rows.length > 0;
        });
      }),

    async checkWrite() {
      await write((client) => run(client, `begin${localSettings(client)}; ${writeCheck}; commit`));
    },

    async size() {
      const sql = 'select pg_database_size(current_database()) as size';
      const [row] = await useConnection((client) => run(client, sql));
      return Number((row as { size: string }).size);
    },

    countWaiting: () => countWaiting() + waitingWrites.size,

    close,
  };
}

/** Runs a step of a start. Throws `StoreUnavailable` if it is worth trying again. */
async function atStart<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const cause = causeOf(error);
    throw isPermanent(cause) ? cause : unavailable(cause);
  }
}
