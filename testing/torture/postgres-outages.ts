import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../../tools/free-port.ts';
import type { Environment } from '../server-process.ts';
import { startTcpProxy } from '../tcp-proxy.ts';
import { createFolder } from './create-folder.ts';
import { createPostgres } from './killable-postgres.ts';
import { measureOutage } from './outage.ts';
import type { Figures } from './figures.ts';
import { runSql } from '../sql.ts';

const outageSeconds = 40; // longer than the timeouts of the servers

type Replicated = Awaited<ReturnType<typeof startReplicated>>;

const failures = {
  'kill -9': ({ primary }: Replicated) => primary.kill(),
  SIGSTOP: async ({ primary }: Replicated) => primary.signal('SIGSTOP'),
  'black hole': async ({ network }: Replicated) => network.drop(),
};

/** Interrupts the primary, promotes its synchronous standby and measures the servers. */
export async function failOver(
  failure: keyof typeof failures,
  common: Environment,
  creates?: number,
): Promise<Figures> {
  await using stack = new AsyncDisposableStack();
  const postgres = await startReplicated(stack);
  const hosts = `127.0.0.1:${postgres.network.port},127.0.0.1:${postgres.standby.port}`;
  return await measureOutage({
    ...(creates && { creates }),
    settings: {
      ...common,
      DATABASE_URL: `postgres://tracker@${hosts}/postgres?target_session_attrs=read-write`,
    },
    async interrupt() {
      await failures[failure](postgres);
      const failedMs = performance.now();
      await runSql(postgres.standby.url, 'select pg_promote()');
      return failedMs;
    },
  });
}

/** Kills the standby for a while, so that each commit waits for it. */
export async function loseStandby(common: Environment, maxConnections: number, clients: number) {
  await using stack = new AsyncDisposableStack();
  const { primary, standby, standbySettings, network } = await startReplicated(stack, {
    max_connections: maxConnections,
  });
  let connections = 0;
  const figures = await measureOutage({
    settings: { ...common, DATABASE_URL: urlAt(network.port) },
    writers: clients / 2,
    readers: clients / 2,
    refusesWrites: true,
    async interrupt() {
      await standby.kill();
      for (let second = 0; second < outageSeconds; second += 1) {
        await delay(1000);
        // A superuser, for whom PostgreSQL reserves connections.
        const [row] = await runSql(
          primary.url,
          `select count(*) as n from pg_stat_activity where usename = 'tracker'`,
        );
        connections = Math.max(connections, Number(row?.['n']));
      }
      await standby.start(standbySettings);
      return performance.now();
    },
  });
  return {
    ...figures,
    'without the standby (s)': outageSeconds,
    'connections of the servers': `${connections} of ${maxConnections} at most`,
    'failed: fewer than 99 % of the lists': Number(figures['lists answered (%)']) < 99 ? 1 : 0,
  };
}

/** Starts a primary behind a proxy, and its synchronous standby. */
async function startReplicated(
  stack: AsyncDisposableStack,
  settings: Record<string, string | number> = {},
) {
  const folder = createFolder('tracker-app-replicated-');
  stack.defer(() => rmSync(folder, { recursive: true }));
  const primary = stack.use(createPostgres(join(folder, 'primary'), await findFreePort()));
  const standby = stack.use(
    createPostgres(join(folder, 'standby'), await findFreePort(), {
      standbyOf: join(folder, 'primary'),
    }),
  );
  const network = stack.use(await startTcpProxy(primary.port));
  const standbySettings = {
    primary_conninfo: `host=127.0.0.1 port=${network.port} user=tests application_name=standby`,
  };
  await primary.start({
    ...settings,
    synchronous_standby_names: 'standby',
    wal_keep_size: '256MB', // so that a standby can return
  });
  await standby.start(standbySettings);
  await runSql(primary.url, 'create role tracker login');
  await runSql(primary.url, 'grant create on schema public to tracker');
  return { primary, standby, standbySettings, network };
}

const urlAt = (port: number) => `postgres://tracker@127.0.0.1:${port}/postgres`;
