export type Value = string | number | null;

/** What the two databases have in common: one dialect of SQL, with values as $1, $2 and so on. */
export interface Database {
  /** Runs one statement and gives its rows. Throws `StoreUnavailable`. */
  query<Row>(sql: string, values?: Value[]): Promise<Row[]>;
  /**
   * Runs a migration (any number of statements) and records its name, both in one transaction. Does nothing when
   * the name is recorded already; of many processes that try at once, exactly one runs it and the others wait.
   */
  migrate(name: string, sql: string): Promise<void>;
  close(): Promise<void>;
}

/** The database did not do what was asked; `cause` says why. Nothing was acknowledged. */
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
