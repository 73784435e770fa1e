import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type ServerOptions } from '../server/app.ts';
import { createPasswords } from '../server/auth/passwords.ts';
import { withClock } from './database.ts';
import type { Database } from '../server/store/database.ts';
import { openSqlite } from '../server/store/sqlite.ts';
import { openStore } from '../server/store/store.ts';

export type RunningServer = { origin: string; stop: () => Promise<void> };

export type ReferenceServerOptions = Partial<Omit<ServerOptions, 'store'>> & {
  database?: Database;
  /** The store's clock. */
  now?: () => number;
};

/** Lowest possible cost, for tests that are not about hashing. */
export const cheapestCost = { memory: 8, passes: 1, parallelism: 1 };
const cheapPasswords = createPasswords(cheapestCost);

/** Starts the reference server in this process, by default on an empty SQLite database. */
export async function startReferenceServer({
  database,
  now,
  ...options
}: ReferenceServerOptions = {}): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tracker-app-'));
  const dist = join(folder, 'dist');
  mkdirSync(dist);
  const opened = database ?? openSqlite(folder);
  const store = await openStore(now ? withClock(opened, now) : opened);
  const app = await createServer({ dist, passwords: cheapPasswords, ...options, store });
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    origin,
    async stop() {
      await app.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
