import { resolve } from 'node:path';
import { restoreSqlite } from '../store/restore.ts';
import { UsageError } from '../usage-error.ts';
import {
  asUsageError,
  describeUnsyncedFolder,
  endDraftsOnSignals,
  runWithArgument,
} from './startup.ts';
import { describePermissionError } from './permissions.ts';

const usage = `Usage: node server/commands/restore.ts FILE

Replaces the SQLite database in DATA_DIR by a copy of the backup FILE. Stop the server first. The
former database is kept beside the new one.`;

await runWithArgument(usage, async (file, settings) => {
  if (settings.databaseUrl) {
    throw new UsageError(
      'DATABASE_URL: this command restores SQLite databases only. ' +
        'For PostgreSQL: pg_restore --dbname="$DATABASE_URL" FILE, into an empty database.',
    );
  }
  endDraftsOnSignals();
  const { former, problem } = await asUsageError(
    () => restoreSqlite(resolve(file), settings.dataDirectory),
    (error) => `Nothing was restored: ${describePermissionError(error) ?? error.message}.`,
  );
  if (problem) console.error(describeUnsyncedFolder(settings.dataDirectory, problem));
  console.log(`Restored ${file} to ${settings.dataDirectory}.`);
  if (former) console.log(`The former database is ${former}. Delete it when you do not need it.`);
});
