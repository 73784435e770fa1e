export type SqlValue = string | number | null;

/** A statement of a transaction, with values as $1, $2 and so on. */
export type Statement = [sql: string, values?: SqlValue[]];

/**
 * The statements of a transaction: yields each one and receives its rows. A generator, because
 * SQLite then runs it in one go, without the queries of other requests in between.
 */
export type Transaction<T> = () => Generator<Statement, T, unknown[]>;

/** What SQLite and PostgreSQL have in common: one SQL dialect, with values as $1, $2 and so on. */
export interface Database {
  /** Selects the migrations that only this database needs. */
  readonly dialect: 'sqlite' | 'postgresql';
  /**
   * SQL for the store's clock, in milliseconds since 1970. All times in the store come from it, so
   * that replicas with different clocks agree.
   */
  readonly now: string;
  /** SQL for a JSON array of the rows of the subquery `item`, in its order. */
  readonly jsonArray: (columns: string[]) => string;
  /** Runs one statement and returns its rows. Throws `StoreUnavailable`. */
  query<Row>(sql: string, values?: SqlValue[]): Promise<Row[]>;
  /**
   * Runs statements in one transaction and resolves when it is synced. If `transaction` throws,
   * nothing is stored and its error is passed on. Throws `StoreUnavailable`.
   */
  transact<T>(transaction: Transaction<T>): Promise<T>;
  /** Throws before the first migration if the tables that exist cannot be written. */
  assertWritable?(): Promise<void>;
  /**
   * Runs a migration and records its name in one transaction. Does nothing if the name is recorded.
   * If several processes start at once, one runs it and the others wait. Returns whether this one
   * ran it.
   */
  migrate(name: string, sql: string): Promise<boolean>;
  /** Writes a row. Throws `StoreUnavailable` if any table cannot be written. */
  checkWrite(): Promise<void>;
  /** Returns the bytes on disk. */
  size(): Promise<number>;
  /** Returns the number of queries that wait for a connection. Undefined for SQLite. */
  countWaiting?: () => number;
  close(): Promise<void>;
}

/** The database failed; `cause` is its error. Nothing was acknowledged. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';

  constructor(cause: unknown) {
    super('The store could not answer.', { cause });
  }
}

/** Returns the error of the database, also if a `StoreUnavailable` wraps it. */
export const causeOf = (error: unknown) =>
  (error instanceof StoreUnavailable ? error.cause : error) as NodeJS.ErrnoException;

/** The database refused the rows of a statement, for example by a constraint, and stored none. */
export class RowsRefused extends StoreUnavailable {}

/** Returns whether a statement changes and locks nothing. */
export const isRead = (sql: string) => /^\s*select\b/.test(sql) && !sql.includes('for update');

/** Returns `$1, $2` and so on, after `skip` others. */
export const placeholders = (count: number, skip = 0) =>
  Array.from({ length: count }, (_, i) => `$${skip + i + 1}`).join(', ');

/** Columns of the table `migrations`, and names of all tables and views. Null if there is none. */
const describeTables = {
  sqlite: `
    select (select group_concat(name) from pragma_table_info('migrations')) as columns, (
      select group_concat(name, ', ') from sqlite_schema
      where type in ('table', 'view') and name not like 'sqlite%') as names`,
  // Extensions create tables too, and other schemas belong to other programs.
  postgresql: `
    select (
      select string_agg(cast(attname as text), ',') from pg_attribute
      where attrelid = to_regclass('migrations') and attnum > 0 and not attisdropped) as columns, (
      select string_agg(cast(relname as text), ', ' order by relname) from pg_class
      where relnamespace = to_regnamespace(current_schema()) and relkind in ('r', 'p', 'v', 'm', 'f')
        and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')) as names`,
};

/** Throws if a database has tables, but not those of this app. Returns whether it has those. */
export async function findOwnTables(database: Database) {
  type Tables = Record<'columns' | 'names', string | null>;
  const [tables] = await database.query<Tables>(describeTables[database.dialect]);
  const isOwn = tables?.columns === 'name';
  if (isOwn || !tables?.names) return isOwn;
  const names = tables.names.replace(/^((?:[^,]*,){3}).+/s, '$1 …');
  throw new Error(`it has tables of another program (${names}): use another database`);
}

export const claimMigration =
  'insert into migrations (name) values ($1) on conflict do nothing returning name';
/** Changes the row each time, because SQLite writes nothing if the row stays the same. */
export const writeRow =
  'insert into health (id, checks) values (1, 1) on conflict (id) do update set checks = health.checks + 1';
