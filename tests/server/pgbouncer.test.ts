import { describe, expect, test, vi } from 'vitest';
import { openPostgres } from '../../server/store/postgres.ts';
import { signedInClient } from '../support/cookie-client.ts';
import { longTestMs, maxWaitMs } from '../support/time-limits.ts';
import { startPgBouncer } from '../support/pgbouncer.ts';
import { causes, createPostgresDatabase, impatient, openForTest, startServer } from './support.ts';

vi.setConfig({ testTimeout: longTestMs });

describe.each(['session', 'transaction'])('PgBouncer in %s mode', (mode) => {
  test('serves all calls with fewer connections than the pool has', async () => {
    const url = await startPgBouncer(await createPostgresDatabase(), {
      pool_mode: mode,
      default_pool_size: 2,
    });
    // A call waits half as long: for the pooler, or for the one connection that then writes.
    const address = await startServer({ database: openPostgres(url, { timeoutMs: 20_000 }) });
    const clients = await Promise.all(
      Array.from({ length: 12 }, () => signedInClient(address, longTestMs)),
    );
    for (let round = 0; round < 5; round += 1) {
      const replies = await Promise.all(
        clients.flatMap((client) => [client.createProject(), client.listProjects()]),
      );
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201, 200]));
    }
  });

  test('passes on that a statement is canceled', async () => {
    const url = await createPostgresDatabase();
    const pooler = await startPgBouncer(url, { pool_mode: mode });
    const sleep = openForTest(pooler, impatient).query('select pg_sleep(1e6)');
    expect(causes(await Promise.allSettled([sleep]))).toEqual([
      'Error: PostgreSQL did not answer within 8 seconds',
    ]);
    const running = () =>
      openForTest(url).query(
        `select query from pg_stat_activity
         where datname = current_database() and state = 'active' and query like '%1e6%'
           and pid <> pg_backend_pid()`,
      );
    await vi.waitFor(async () => expect(await running()).toEqual([]), maxWaitMs);
  });
});
