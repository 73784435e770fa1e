import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  claimMigration,
  createMigrationsTable,
  StoreUnavailable,
  type Database,
  type Value,
} from './database.ts';

const busyTimeout = 5_000; // milliseconds that a writer waits for another process

/**
 * Opens the database file in `directory`, which is made when it is missing, readable by its owner only.
 * Throws when the directory or the file cannot be used.
 */
export function openSqlite(directory: string): Database {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const connection = new DatabaseSync(join(directory, 'tracker.sqlite'), {
    timeout: busyTimeout,
    enableForeignKeyConstraints: true,
  });
  connection.exec('pragma journal_mode = wal');
  // A WAL database opens at NORMAL, which may lose acknowledged rows when the power fails. It is no property of the file:
  // every connection has to ask for it.
  connection.exec('pragma synchronous = full');

  const statements = new Map<string, StatementSync>();
  function run(sql: string, values: Value[] = []): unknown[] {
    let statement = statements.get(sql);
    if (!statement) {
      statement = connection.prepare(sql);
      statements.set(sql, statement);
    }
    return statement.all(Object.fromEntries(values.map((value, i) => [`$${i + 1}`, value])));
  }

  return {
    async query<Row>(sql: string, values?: Value[]) {
      try {
        return run(sql, values) as Row[];
      } catch (cause) {
        throw new StoreUnavailable(cause);
      }
    },

    async migrate(name, sql) {
      connection.exec('begin immediate');
      try {
        connection.exec(createMigrationsTable);
        if (run(claimMigration, [name]).length > 0) connection.exec(sql);
        connection.exec('commit');
      } catch (error) {
        connection.exec('rollback');
        throw error;
      }
    },

    async close() {
      connection.close();
    },
  };
}
