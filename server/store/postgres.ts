import { hash } from 'node:crypto';
import { Pool } from 'pg';
import {
  claimMigration,
  createMigrationsTable,
  StoreUnavailable,
  type Database,
  type SqlValue,
} from './database.ts';

interface Timeouts {
  connectMs: number;
  /** Enforced by PostgreSQL, which then aborts the statement. */
  statementMs: number;
  /** Enforced here, in case PostgreSQL stops responding. */
  queryMs: number;
}

const defaultTimeouts: Timeouts = { connectMs: 5_000, statementMs: 10_000, queryMs: 15_000 };

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

  return {
    async query<Row>(sql: string, values: SqlValue[] = []) {
      try {
        // A named statement is parsed and planned once per connection.
        return (await pool.query({ name: hash('sha1', sql), text: sql, values })).rows as Row[];
      } catch (cause) {
        throw new StoreUnavailable(cause);
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

    async close() {
      await pool.end();
    },
  };
}
