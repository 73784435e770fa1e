import { placeholders, type Database, type SqlValue } from './database.ts';

/** Counts the attempts at an account, from a network, or both. An empty string stands for all. */
export interface BucketKey {
  emailHash: string;
  network: string;
}

export interface Bucket extends BucketKey {
  /** Accepted attempts since the bucket was new. */
  made: number;
  /** Time until the accepted attempts have drained, counted from `updatedAt`. */
  debtMs: number;
  updatedAt: number;
}

/** Returns what to store instead of a bucket at the store's time, or throws. */
type Change<Key> = (bucket: Bucket, now: number, key: Key) => Bucket;

type Row = Omit<Bucket, 'updatedAt'> & { updatedAt: number | string; now: number | string };

export function attemptBucketQueries(database: Database) {
  const columns = () =>
    `email_hash as "emailHash", network, made, debt_ms as "debtMs", updated_at as "updatedAt",
     ${database.now} as now`;

  function upsert(buckets: Bucket[], update: string): [sql: string, values: SqlValue[]] {
    const rows = buckets.map(({ emailHash, network, made, debtMs, updatedAt }) => {
      return [emailHash, network, made, debtMs, updatedAt];
    });
    const values = rows.map((row, i) => `(${placeholders(row.length, i * row.length)})`).join();
    return [
      `insert into attempt_buckets (email_hash, network, made, debt_ms, updated_at)
       values ${values} on conflict (email_hash, network) do update set ${update}`,
      rows.flat(),
    ];
  }

  return {
    /** Calls `change` with the stored buckets, and stores nothing. Passes on what it throws. */
    async checkBuckets<Key extends BucketKey>(keys: Key[], change: Change<Key>) {
      // With two `in`, SQLite would visit all networks.
      const isKey = keys.map((_, i) => `(email_hash = $${2 * i + 1} and network = $${2 * i + 2})`);
      const rows = await database.query<Row>(
        `select ${columns()} from attempt_buckets where ${isKey.join(' or ')}`,
        keys.flatMap(({ emailHash, network }) => [emailHash, network]),
      );
      changeRows(rows, keys, change);
    },

    /** Changes all buckets in one transaction. If `change` throws, changes none. */
    async changeBuckets<Key extends BucketKey>(keys: Key[], change: Change<Key>) {
      await database.transact(function* () {
        const missing = keys.map((key) => ({ ...key, made: 0, debtMs: 0, updatedAt: 0 }));
        // Locks the rows, always in the order of the keys, so that transactions cannot deadlock.
        const [sql, values] = upsert(missing, `made = attempt_buckets.made`);
        const rows = (yield [`${sql} returning ${columns()}`, values]) as Row[];
        yield upsert(
          changeRows(rows, keys, change),
          `made = excluded.made, debt_ms = excluded.debt_ms, updated_at = excluded.updated_at`,
        );
      });
    },

    /** Empties the buckets of an email, or only those of some networks. Returns their number. */
    async deleteBuckets(emailHash: string, networks?: string[]) {
      const condition = networks ? `and network in (${placeholders(networks.length, 1)})` : '';
      const deleted = await database.query(
        `delete from attempt_buckets where email_hash = $1 ${condition} returning network`,
        [emailHash, ...(networks ?? [])],
      );
      return deleted.length;
    },
  };
}

function changeRows<Key extends BucketKey>(
  rows: Row[],
  keys: Key[],
  change: Change<Key>,
): Bucket[] {
  return keys.flatMap((key) => {
    const row = rows.find(
      (each) => each.emailHash === key.emailHash && each.network === key.network,
    );
    if (!row) return [];
    const { now, updatedAt, ...bucket } = row;
    return change({ ...bucket, updatedAt: Number(updatedAt) }, Number(now), key);
  });
}
