import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { asUsageError, UsageError, run } from './cli.ts';
import { readSettings } from '../settings.ts';
import { backUpSqlite } from '../store/sqlite.ts';

const usage = `Usage: npm run backup -- FILE

Copies the data in DATA_DIR into a new FILE, also while the server runs. To restore: docs/operations.md.`;

await run(async () => {
  const [file, ...more] = process.argv.slice(2);
  if (file === '--help' || file === '-h') return console.log(usage);
  if (!file || more.length > 0) throw new UsageError(usage);
  const { settings, mistakes } = readSettings(process.env);
  if (!settings) throw new UsageError(mistakes.join('\n'));
  if (settings.databaseUrl) {
    throw new UsageError(
      'DATABASE_URL: this command copies SQLite files. PostgreSQL has its own: pg_dump --format=custom --file=FILE "$DATABASE_URL".',
    );
  }
  await asUsageError(
    () => backUpSqlite(settings.dataDirectory, resolve(file)),
    (error) => `No backup was made: ${error.message}.`,
  );
  console.log(`Backed up to ${file} (${statSync(file).size} bytes).`);
});
