import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openPostgres } from '../../store/postgres.ts';
import { CookieClient, signedInClient } from '../../../testing/cookie-client.ts';
import { openDatabase } from '../../../testing/database.ts';
import {
  alterPostgresDatabase,
  beginTransaction,
  createPostgresDatabase,
  emptyStore,
  freshDatabase,
  readiness,
  refusal,
  startServer,
  storeNames,
} from '../../../testing/server-fixtures.ts';

describe('/readyz', () => {
  test.each(storeNames)('is 503 while another process locks a table of %s', async (name) => {
    const settings = await emptyStore(name);
    const client = new CookieClient(await startServer({ database: openDatabase(settings) }));
    await expect.poll(readiness(client)).toBe(200);
    const other = await beginTransaction(settings);
    // The weakest lock that keeps rows from being written. A transaction locks all of SQLite.
    if (name === 'PostgreSQL') await other.run('lock table projects in share mode');
    // After three seconds, in which each poll is a request.
    await expect.poll(readiness(client), { interval: 500 }).toBe(503);
    await other.run('rollback');
    await expect.poll(readiness(client)).toBe(200);
  });

  test.each(storeNames)('writes a row for each check of %s, one a second at most', async (name) => {
    const database = (await freshDatabase(name))();
    const client = new CookieClient(await startServer({ database }));
    const checks = async () =>
      await database.query<Record<string, unknown>>('select checks from health');
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000_000);
    onTestFinished(() => clock.mockRestore());
    await expect.poll(readiness(client)).toBe(200);
    clock.mockReturnValue(1_000_999);
    expect(await readiness(client)()).toBe(200);
    expect(String((await checks())[0]!['checks'])).toBe('1');
    await database.checkWrite();
    expect(String((await checks())[0]!['checks'])).toBe('2');
  });

  test.each(storeNames)('checks %s once for many polls, and answers meanwhile', async (name) => {
    const database = (await freshDatabase(name))();
    const { promise: end, resolve: endCheck } = Promise.withResolvers<void>();
    const checkWrite = vi.fn<() => Promise<void>>(() => end);
    const client = new CookieClient(await startServer({ database: { ...database, checkWrite } }));
    const poll = () => client.call('GET', '/readyz');
    const replies = await Promise.all(Array.from({ length: 50 }, poll));
    for (const { status } of replies) expect(status).toBe(503);
    expect((await poll()).status).toBe(503);
    expect(checkWrite).toHaveBeenCalledTimes(1);
    endCheck();
    await expect.poll(readiness(client)).toBe(200);
  });

  test.each(storeNames.filter((name) => name === 'PostgreSQL'))(
    'is 503 while %s is read-only, and lists are answered',
    async () => {
      const url = await createPostgresDatabase();
      const client = await signedInClient(await startServer({ database: openPostgres(url) }));
      await alterPostgresDatabase(url, 'set default_transaction_read_only = on');
      await expect.poll(readiness(client)).toBe(503);
      expect((await client.listProjects()).status).toBe(200);
      expect(await client.createProject()).toMatchObject(refusal('unavailable'));
      await alterPostgresDatabase(url, 'set default_transaction_read_only = off');
      await expect.poll(readiness(client)).toBe(200);
    },
  );
});
