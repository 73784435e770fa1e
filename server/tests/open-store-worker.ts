// Opens and migrates a database at the same moment as the other workers.
import { workerData } from 'node:worker_threads';
import { openSqlite } from '../store/sqlite.ts';
import { longWaitMs } from '../../testing/time-limits.ts';

export interface WorkerData {
  folder: string;
  migrations: number;
  workers: number;
  /** Counts the workers that are ready. */
  ready: Int32Array;
}

const { folder, migrations, workers, ready } = workerData as WorkerData;
Atomics.add(ready, 0, 1);
Atomics.notify(ready, 0);
for (let count; (count = Atomics.load(ready, 0)) < workers;) Atomics.wait(ready, 0, count);

const database = openSqlite(folder, longWaitMs);
for (let i = 0; i < migrations; i += 1) {
  // Takes so long that the other workers meet its lock.
  const rows = 'select 1 as n union all select n + 1 from numbers where n < 20000';
  const sql = `create table table_${i} as with recursive numbers as (${rows}) select n from numbers`;
  await database.migrate(String(i), sql);
}
await database.close();
