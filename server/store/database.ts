export type SqlValue = string | number | null;

/** What SQLite and PostgreSQL have in common: one SQL dialect, with values as $1, $2 and so on. */
export interface Database {
  /** Runs one statement and returns its rows. Throws `StoreUnavailable`. */
  query<Row>(sql: string, values?: SqlValue[]): Promise<Row[]>;
  /**
   * Runs a migration and records its name in one transaction. Does nothing if the name is recorded.
   * If several processes start at once, one runs it and the others wait.
   */
  migrate(name: string, sql: string): Promise<void>;
  close(): Promise<void>;
}

/** The database failed; `cause` is its error. Nothing was acknowledged. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';

  constructor(cause: unknown) {
    super('The store could not answer.', { cause });
  }
}

export const createMigrationsTable =
  'create table if not exists migrations (name text primary key)';
export const claimMigration =
  'insert into migrations (name) values ($1) on conflict do nothing returning name';
