import { writeFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { findFreePort } from '../../../tools/free-port.ts';
import type { Settings } from '../../support/server-process.ts';
import { compareAllWithStore, TortureClient, type CreatedKeys } from './client.ts';
import { createFolder } from './disk.ts';
import { requirePrograms, startProgram } from './programs.ts';
import { startServers, type Figures } from './scenarios.ts';

const serverCount = 2;
const clientCount = 16;
const rounds = 100;

/** Makes all calls on two servers that reach PostgreSQL through PgBouncer. */
export async function usePooler(
  mode: 'session' | 'transaction',
  poolSize: number,
  settings: Settings,
): Promise<Figures> {
  requirePrograms('pgbouncer');
  const folder = createFolder('tracker-app-pooler-');
  await using resources = new AsyncDisposableStack();
  resources.defer(() => rmSync(folder, { recursive: true }));
  const { hostname, port, username, password, pathname } = new URL(settings['DATABASE_URL']!);
  const poolerPort = await findFreePort();
  const configuration = join(folder, 'pgbouncer.ini');
  writeFileSync(
    configuration,
    `[databases]
* = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${poolerPort}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${poolSize}
`,
  );
  const program = { cwd: folder, ready: /process up/ };
  resources.use(await startProgram('pgbouncer', [configuration], program));
  await using servers = await startServers(
    { ...settings, DATABASE_URL: `postgres://any@127.0.0.1:${poolerPort}${pathname}` },
    serverCount,
  );
  const statuses: number[] = [];
  const created = await Promise.all(
    Array.from({ length: clientCount }, async (_, i) => {
      const client = new TortureClient(servers[i % serverCount]!.address);
      const keys: CreatedKeys = { acknowledged: [], acknowledgedLate: [], unacknowledged: [] };
      statuses.push((await client.register()).status, (await client.login()).status);
      for (let round = 0; round < rounds; round += 1) {
        const key = randomUUID();
        const { status } = await client.create(key);
        (status === 201 ? keys.acknowledged : keys.unacknowledged).push(key);
        statuses.push(status, (await client.listProjects()).status);
      }
      return [client, keys] as [TortureClient, CreatedKeys];
    }),
  );
  return {
    servers: serverCount,
    'connections of the pooler': poolSize,
    calls: statuses.length,
    'failed calls': statuses.filter((status) => status < 200 || status > 299).length,
    ...(await compareAllWithStore(created)),
  };
}
