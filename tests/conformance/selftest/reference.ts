import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../../server/app.ts';
import { createPasswords } from '../../../server/auth/passwords.ts';
import { openSqlite } from '../../../server/store/sqlite.ts';
import { openStore } from '../../../server/store/store.ts';
import { findTempFolder } from '../../../tools/temp-folder.ts';
import type { Running } from './fault-proxy.ts';

/** Our own backend on a free port, with data of its own, and with hashing as cheap as it gets. */
export async function startReference(): Promise<Running> {
  const folder = mkdtempSync(join(await findTempFolder(), 'tracker-conformance-'));
  const store = await openStore(openSqlite(folder));
  const passwords = createPasswords({ memory: 8, passes: 1, parallelism: 1 });
  const app = await createApp({ store, dist: folder, passwords, trustedProxies: ['127.0.0.1'] });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    address,
    async stop() {
      await app.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
