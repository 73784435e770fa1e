import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { endDrafts, UnsafeName } from '../store/files.ts';
import { backUpSqlite } from '../store/sqlite.ts';
import { UsageError } from '../../shared/usage-error.ts';
import { asUsageError, runWithArgument } from './startup.ts';
import { describePermissionError } from './permissions.ts';

const usage = `Usage: node server/commands/backup.ts FILE

Copies the SQLite database in DATA_DIR to a new FILE. The server may be running.
To restore a backup, see docs/operations.md.`;

await runWithArgument(usage, async (file, settings) => {
  if (settings.databaseUrl) {
    throw new UsageError(
      'DATABASE_URL: this command copies SQLite databases only. ' +
        'For PostgreSQL: pg_dump --format=custom --file=FILE "$DATABASE_URL".',
    );
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      endDrafts(); // deletes the incomplete file
      process.kill(process.pid, signal); // ends it, because this was the only listener
    });
  }
  const problem = await asUsageError(
    () => backUpSqlite(settings.dataDirectory, resolve(file)),
    (error) => {
      const outcome =
        error instanceof UnsafeName
          ? 'The backup is complete, but a power cut may undo it'
          : 'No backup was made';
      return `${outcome}: ${describePermissionError(error) ?? error.message}.`;
    },
  );
  if (problem) {
    console.error(
      `The folder of ${file} cannot be synced (${problem.message}): a power cut now may undo this.`,
    );
  }
  console.log(`Backed up to ${file} (${statSync(file).size} bytes).`);
});
