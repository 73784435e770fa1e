import { hash } from 'node:crypto';
import { Pool, type DatabaseError, type PoolClient } from 'pg';
import {
  claimMigration,
  createMigrationsTable,
  RowsRefused,
  StoreUnavailable,
  type Database,
  type SqlValue,
} from './database.ts';

// One round trip and one transaction. On a full disk, a row can still be updated in its place, but
// the temporary file of the sort cannot be written.
const writeCheck = `
  set local lock_timeout = '1s';
  lock table accounts, sessions, projects, attempts in row exclusive mode;
  set local work_mem = '64kB';
  select count(*) from generate_series(1, 10000);
  insert into health (id, checked_at) values (1, extract(epoch from now()))
    on conflict (id) do update set checked_at = excluded.checked_at`;

interface Timeouts {
  connectMs: number;
  /** Enforced by PostgreSQL, which then aborts the statement. */
  statementMs: number;
  /** Enforced here, in case PostgreSQL stops responding. */
  queryMs: number;
}

const defaultTimeouts: Timeouts = { connectMs: 5_000, statementMs: 10_000, queryMs: 15_000 };

/** SQLSTATE of invalid data, a violated constraint, a deadlock or an exceeded limit. */
const rowErrorCode = /^(22|23|40|54)/;

/** Opens a connection pool. Connects on the first query. */
export function openPostgres(url: string, timeouts = defaultTimeouts): Database {
  const pool = new Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: timeouts.connectMs,
    statement_timeout: timeouts.statementMs,
    query_timeout: timeouts.queryMs,
  });
  // An idle connection broke. The pool opens another, but an unhandled event ends the process.
  pool.on('error', () => {});

  async function run(client: Pool | PoolClient, sql: string, values: SqlValue[] = []) {
    try {
      // A named statement is parsed and planned once per connection.
      return (await client.query({ name: hash('sha1', sql), text: sql, values })).rows as unknown[];
    } catch (cause) {
      const { code = '' } = cause as DatabaseError;
      throw new (rowErrorCode.test(code) ? RowsRefused : StoreUnavailable)(cause);
    }
  }

  return {
    dialect: 'postgresql',
    // Not the start of the transaction, which may have waited for a lock since.
    now: 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)',

    query: async <Row>(sql: string, values?: SqlValue[]) => (await run(pool, sql, values)) as Row[],

    async transact(transaction) {
      const client = await pool.connect().catch((cause: unknown) => {
        throw new StoreUnavailable(cause);
      });
      try {
        await run(client, 'begin');
        const steps = transaction();
        let step = steps.next();
        while (!step.done) step = steps.next(await run(client, ...step.value));
        await run(client, 'commit');
        client.release();
        return step.value;
      } catch (error) {
        // A connection that failed is not used again.
        await run(client, 'rollback').then(
          () => client.release(),
          () => client.release(true),
        );
        throw error;
      }
    },

    async migrate(name, sql) {
      // Two processes that create the table at once can collide despite `if not exists`.
      await pool.query(createMigrationsTable).catch(() => pool.query(createMigrationsTable));
      const client = await pool.connect();
      try {
        await client.query('begin');
        const claimed = await client.query(claimMigration, [name]);
        if (claimed.rows.length > 0) await client.query(sql);
        await client.query('commit');
        client.release();
      } catch (error) {
        client.release(true);
        throw error;
      }
    },

    async checkWrite() {
      await pool.query(writeCheck).catch((cause: unknown) => {
        throw new StoreUnavailable(cause);
      });
    },

    async close() {
      await pool.end();
    },
  };
}
