import { workerData } from 'node:worker_threads';
import { openSqlite } from '../../server/store/sqlite.ts';

export interface Start {
  folder: string;
  migrations: number;
  /** How many starters there are, and how many of them are here. */
  starters: number;
  here: Int32Array;
}

// A worker that opens a database and migrates it, at the same moment as all the others.

const { folder, migrations, starters, here } = workerData as Start;
Atomics.add(here, 0, 1);
Atomics.notify(here, 0);
for (let count; (count = Atomics.load(here, 0)) < starters;) Atomics.wait(here, 0, count);

const database = openSqlite(folder);
for (let i = 0; i < migrations; i += 1) {
  await database.migrate(String(i), `create table made_by_${i} (n integer)`);
}
await database.close();
