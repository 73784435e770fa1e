import { hash } from 'node:crypto';
import { Pool } from 'pg';
import {
  claimMigration,
  createMigrationsTable,
  StoreUnavailable,
  type Database,
  type Value,
} from './database.ts';

/** Under its name, a connection keeps the plan of a statement. */
function nameOf(sql: string): string {
  return hash('sha1', sql);
}

/** All in milliseconds. What takes longer has failed. */
interface Timeouts {
  connect: number;
  /** Told to PostgreSQL, which then stops working on it. */
  statement: number;
  /** For a PostgreSQL that says nothing more. */
  query: number;
}

const usualTimeouts: Timeouts = { connect: 5_000, statement: 10_000, query: 15_000 };

/** Opens a pool of connections to `url`. Connects on the first query, not here. */
export function openPostgres(url: string, timeouts = usualTimeouts): Database {
  const pool = new Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: timeouts.connect,
    statement_timeout: timeouts.statement,
    query_timeout: timeouts.query,
  });
  // A connection that breaks while nobody uses it: the pool opens another. Unheard, the event would end the process.
  pool.on('error', () => {});

  return {
    async query<Row>(sql: string, values: Value[] = []) {
      try {
        return (await pool.query({ name: nameOf(sql), text: sql, values })).rows as Row[];
      } catch (cause) {
        throw new StoreUnavailable(cause);
      }
    },

    async migrate(name, sql) {
      // Two processes that create the table at the same moment can collide in the catalogue, `if not exists` or not.
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
