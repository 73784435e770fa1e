// Opens and migrates a database at the same moment as the other workers.
import { workerData } from 'node:worker_threads';
import { openSqlite } from '../store/sqlite.ts';
import { maxTestMs } from '../../tests/support/time-limits.ts';

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

const database = openSqlite(folder, maxTestMs);
for (let i = 0; i < migrations; i += 1) {
  await database.migrate(String(i), `create table table_${i} (n integer)`);
}
await database.close();
