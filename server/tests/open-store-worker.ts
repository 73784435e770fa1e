// Opens and migrates a database at the same moment as the other workers.
import { workerData } from 'node:worker_threads';
import { openDatabase } from '../../tests/support/database.ts';
import type { Settings } from '../../tests/support/server-process.ts';

export interface WorkerData {
  settings: Settings;
  migrations: number;
  workers: number;
  /** Counts the workers that are ready. */
  ready: Int32Array;
}

const { settings, migrations, workers, ready } = workerData as WorkerData;
Atomics.add(ready, 0, 1);
Atomics.notify(ready, 0);
for (let count; (count = Atomics.load(ready, 0)) < workers;) Atomics.wait(ready, 0, count);

const database = openDatabase(settings);
for (let i = 0; i < migrations; i += 1) {
  await database.migrate(String(i), `create table table_${i} (n integer)`);
}
await database.close();
