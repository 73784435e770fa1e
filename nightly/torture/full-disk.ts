import { randomUUID } from 'node:crypto';
import { waitFor } from '../../shared/waits.ts';
import type { Environment } from '../../testing/server-process.ts';
import { TortureClient } from '../../testing/torture/client.ts';
import {
  deployOnPostgres,
  deployOnSqlite,
  type Deploy,
} from '../../testing/torture/deployments.ts';
import { createSmallDisk } from './disk.ts';
import type { Figures } from '../../testing/torture/figures.ts';

interface StoreOptions {
  deploy: Deploy;
  megabytes: number;
  /** Whether the store survives a full disk. If not, it stops and must be started again. */
  survives: boolean;
}

const stores = {
  SQLite: { deploy: deployOnSqlite, megabytes: 16, survives: true },
  PostgreSQL: {
    deploy: (folder, settings) => deployOnPostgres(folder, settings, { separateWal: true }),
    megabytes: 96,
    survives: true,
  },
  'PostgreSQL with its WAL on it': { deploy: deployOnPostgres, megabytes: 128, survives: false },
} satisfies Record<string, StoreOptions>;

const readinessLimitMs = 5_000;

/** Returns true if /readyz becomes 503. The server checks its store once a second. */
const isNotReadySoon = (address: string): Promise<boolean> =>
  waitFor(
    '503',
    async () => (await fetch(`${address}/readyz`)).status === 503,
    readinessLimitMs,
  ).then(
    () => true,
    () => false,
  );

/** Fills the store's disk, makes room again, and restarts the store. Throws `NotSupported`. */
export async function fillDisk(
  store: keyof typeof stores,
  settings: Environment,
  rounds: number,
): Promise<Figures> {
  const { deploy, megabytes, survives } = stores[store];
  await using disk = createSmallDisk(megabytes);
  await using deployment = await deploy(disk.mountPoint, settings);
  const account = await new TortureClient(deployment.address()).signUp();
  const client = () => account.at(deployment.address());
  const acknowledged: string[] = [];
  const refusals = new Map<string, number>();
  let failedReads = 0;
  let failedCreates = 0;
  let readyWhileFull = 0;
  for (let round = 0; round < rounds; round += 1) {
    disk.fill();
    for (let refused = 0; refused < 20;) {
      const key = randomUUID();
      const { status, body } = await client().create(key);
      if (status === 201) {
        acknowledged.push(key);
        continue;
      }
      refused += 1;
      const refusal = `${status} ${(body as { message?: string } | undefined)?.message}`;
      refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
    }
    if (survives) {
      const keys = await client().keys();
      if (acknowledged.some((key) => !keys.includes(key))) failedReads += 1;
    }
    if (!(await isNotReadySoon(deployment.address()))) readyWhileFull += 1;
    disk.makeRoom();
    // The store must also start after it ran out of space.
    if (!survives || round % 2 === 1) {
      await deployment.crash();
      await deployment.recover();
    }
    const key = randomUUID();
    const { status } = await client().create(key);
    if (status === 201) acknowledged.push(key);
    else failedCreates += 1;
  }
  const keys = await client().keys();
  return {
    'times full': rounds,
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((key) => !keys.includes(key)).length,
    refused: [...refusals].map(([refusal, count]) => `${count} x ${refusal}`).join(', '),
    'failed: refusals other than 503 with a message': [...refusals.keys()].filter(
      (refusal) => !/^503 ./.test(refusal) || refusal.endsWith('undefined'),
    ).length,
    'failed: ready while full': readyWhileFull,
    ...(survives && { 'failed reads while full': failedReads }),
    'failed creates after room was made': failedCreates,
  };
}
