import type { Database } from './database.ts';

/** Tables whose rows expire: primary key, and the column with the time. */
const expiringTables = {
  attempt_buckets: ['email_hash, network', 'updated_at'],
  known_networks: ['account_id, network', 'seen_at'],
  sessions: ['token_hash', 'expires_at'],
} as const;
type ExpiringTable = keyof typeof expiringTables;

/** Number of rows that one statement in the background may change. */
export const backgroundBatchSize = 500;

export function expiryQueries(database: Database) {
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
  };
}
