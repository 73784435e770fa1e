// @module-tag pgbouncer
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openPostgres } from '../store/postgres.ts';
import { signedInClient } from '../../testing/cookie-client.ts';
import { findFreePort } from '../../tools/free-port.ts';
import { requireSoftware } from '../../tools/optional-software.ts';
import {
  causes,
  createPostgresDatabase,
  impatient,
  openForTest,
  readiness,
  startServer,
} from '../../testing/server-fixtures.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { startProgram, unprivileged } from '../../tools/start-program.ts';
import { runSql } from '../../testing/sql.ts';

describe.each(['session', 'transaction'])('PgBouncer in %s mode', (mode) => {
  test('serves all calls with fewer connections than the pool has', async () => {
    const url = await startPgBouncer(await createPostgresDatabase(), {
      pool_mode: mode,
      default_pool_size: 2,
    });
    // A call waits half as long: for the pooler, or for the one connection that then writes.
    const address = await startServer({
      database: openPostgres(url, { poolSize: 3, timeoutMs: 20_000 }),
    });
    const clients = await Promise.all(Array.from({ length: 12 }, () => signedInClient(address)));
    for (let round = 0; round < 5; round += 1) {
      const replies = await Promise.all(
        clients.flatMap((client) => [client.createProject(), client.listProjects()]),
      );
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201, 200]));
    }
  });

  test('serves all calls if the defaults of the database are wrong for the server', async () => {
    const url = await createPostgresDatabase();
    const name = new URL(url).pathname.slice(1);
    const settings = [
      "default_transaction_isolation = 'serializable'",
      "lock_timeout = '1ms'",
      "statement_timeout = '200ms'",
      'synchronous_commit = off',
      'exit_on_error = on',
    ];
    await runSql(url, settings.map((text) => `alter database ${name} set ${text}`).join(';'));
    const pooler = await startPgBouncer(url, { pool_mode: mode });
    const database = openPostgres(pooler, { poolSize: 4, timeoutMs: 20_000 });
    const address = await startServer({ database });
    const clients = await Promise.all(Array.from({ length: 12 }, () => signedInClient(address)));
    const replies = await Promise.all(
      clients.flatMap((client) => [client.createProject(), client.createProject()]),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await readiness(clients[0]!)()).toBe(200);
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
    await expect.poll(running).toEqual([]);
  });
});

/** Starts PgBouncer in front of a database until the test ends. Returns the database's new URL. */
async function startPgBouncer(url: string, settings: Record<string, string | number>) {
  const { port, username, password, pathname } = new URL(url);
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: await findFreePort(),
    unix_socket_dir: '',
    auth_type: 'any',
    ...settings,
  };
  const cwd = temporaryFolder();
  chmodSync(cwd, 0o755); // it refuses to run as root
  const lines = [
    '[databases]',
    `* = host=127.0.0.1 port=${port} user=${username} password=${password}`,
    '[pgbouncer]',
    ...Object.entries(all).map(([name, value]) => `${name} = ${value}`),
  ];
  writeFileSync(join(cwd, 'pgbouncer.ini'), `${lines.join('\n')}\n`);
  const program = requireSoftware('pgbouncer');
  const pooler = startProgram([program, 'pgbouncer.ini'], { ...unprivileged, cwd });
  onTestFinished(() => pooler[Symbol.asyncDispose]());
  await pooler.printed(/process up/);
  return `postgres://any@127.0.0.1:${all.listen_port}${pathname}`;
}
