import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { backUpSqlite } from '../store/sqlite-files.ts';
import { UsageError } from '../../shared/usage-error.ts';
import { asUsageError, describeFileError, runWithArgument } from './startup.ts';

const usage = `Usage: node server/commands/backup.ts FILE

Copies the SQLite database in DATA_DIR to a new FILE. The server may be running.
To restore a backup, see docs/operations.md.`;

await runWithArgument(usage, async (file, settings) => {
  if (settings.databaseUrl) {
    throw new UsageError(
      'DATABASE_URL: this command copies SQLite databases only. ' +
        'docs/operations.md has the commands of PostgreSQL.',
    );
  }
  await asUsageError(
    () => backUpSqlite(settings.dataDirectory, resolve(file)),
    (error) => `No backup was made: ${describeFileError(error)}.`,
  );
  console.log(`Backed up to ${file} (${statSync(file).size} bytes).`);
});
