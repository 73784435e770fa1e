import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Figures } from './figures.ts';
import { startServers } from './scenarios.ts';
import { compareAllWithStore, TortureClient, type CreatedKeys } from './client.ts';
import type { Environment } from '../server-process.ts';
import { waitFor } from '../../shared/waits.ts';

const serverCount = 2;
const maxRecoveryMs = 60_000;
const pauseMs = 50; // between the lists of a reader, and after a failed create

interface Outage {
  settings: Environment;
  /** Acknowledged before the outage, and again after it. */
  creates?: number;
  writers?: number;
  readers?: number;
  /**
   * Interrupts the store. Resolves with the time from which the recovery counts: when the store
   * failed, or when a repair ended the outage.
   */
  interrupt: () => Promise<number>;
  /** Whether the store can keep nothing during the outage, so that each 201 is false. */
  refusesWrites?: boolean;
}

interface Call {
  isCreate: boolean;
  server: number;
  status: number;
  startMs: number;
  endMs: number;
}

/**
 * Creates and lists projects on two servers while their store is interrupted. Every second writer
 * repeats a failed create with the same idempotency key, as a user who presses the button again.
 */
export async function measureOutage(outage: Outage): Promise<Figures> {
  const { settings, creates = 300, writers = 8, readers = 8, interrupt } = outage;
  await using servers = await startServers(settings, serverCount);
  const addresses = servers.map(({ address }) => address);
  using load = await startLoad(addresses, writers, readers);
  const { calls, created } = load;

  const countAcknowledged = () =>
    created.reduce((sum, [, { acknowledged }]) => sum + acknowledged.length, 0);
  const waitUntil = (what: string, isDone: () => boolean) =>
    waitFor(what, isDone, maxRecoveryMs).catch((error: Error) => {
      const logs = servers.map((server) => server.errors().slice(-1000)).join('\n');
      throw new Error(`${error.message}, ${countStatuses(calls)}\n${logs}`);
    });
  await waitUntil('creates', () => countAcknowledged() >= creates);
  const brokenMs = performance.now();
  const sinceMs = await interrupt();
  await waitUntil('a write on each server', () =>
    firstWrites(calls, sinceMs).every(Number.isFinite),
  );
  const enough = countAcknowledged() + creates;
  await waitUntil('creates after the outage', () => countAcknowledged() >= enough);
  await load.stop();

  const ended = await Promise.all(
    servers.map((server) => Promise.race([server.ended.then(() => 1), Promise.resolve(0)])),
  );
  const { falseWrites, ...figures } = readCalls(calls, brokenMs, sinceMs);
  return {
    servers: serverCount,
    clients: writers + readers,
    ...(await compareAllWithStore(created)),
    ...figures,
    ...(outage.refusesWrites && { 'failed: acknowledged during the outage': falseWrites }),
    'failed: servers that ended': ended.reduce((sum, value) => sum + value, 0),
  };
}

/** Starts clients that write and read until they are stopped or disposed of. */
async function startLoad(addresses: string[], writers: number, readers: number) {
  const calls: Call[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  async function record(
    server: number,
    isCreate: boolean,
    send: () => Promise<{ status: number }>,
  ): Promise<number> {
    const startMs = performance.now();
    const { status } = await send();
    calls.push({ isCreate, server, status, startMs, endMs: performance.now() });
    return status;
  }
  async function write(client: TortureClient, keys: CreatedKeys, i: number) {
    const repeats = i % 4 < 2; // on each of the servers
    while (!signal.aborted) {
      const key = randomUUID();
      let status = 0;
      for (;;) {
        status = await record(i % serverCount, true, () => client.create(key));
        if (status !== 201) await delay(pauseMs);
        if (status === 201 || !repeats || signal.aborted) break;
      }
      (status === 201 ? keys.acknowledged : keys.unacknowledged).push(key);
    }
  }
  async function read(client: TortureClient, server: number) {
    while (!signal.aborted) {
      await record(server, false, client.listProjects);
      await delay(pauseMs);
    }
  }

  const signUp = (_: unknown, i: number) => new TortureClient(addresses[i % serverCount]!).signUp();
  // Creates of one account wait for each other, so each writer has its own.
  const clients = await Promise.all(Array.from({ length: writers }, signUp));
  const created = clients.map((client): [TortureClient, CreatedKeys] => [
    client,
    { acknowledged: [], acknowledgedLate: [], unacknowledged: [] },
  ]);
  const loops = [
    ...created.map(([client, keys], i) => write(client, keys, i)),
    ...Array.from({ length: readers }, (_, i) => i % serverCount).map((server) =>
      read(clients[0]!.at(addresses[server]!), server),
    ),
  ];
  return {
    calls,
    created,
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
    [Symbol.dispose]: () => stopping.abort(),
  };
}

/** Returns when each server first acknowledged a create that was sent after `sinceMs`. */
const firstWrites = (calls: Call[], sinceMs: number) =>
  Array.from({ length: serverCount }, (_, server) => {
    const write = calls.find(
      (call) =>
        call.isCreate && call.server === server && call.status === 201 && call.startMs > sinceMs,
    );
    return write?.endMs ?? Infinity;
  });

/** Returns the figures of an outage that began at `brokenMs` and ended at `sinceMs`. */
function readCalls(calls: Call[], brokenMs: number, sinceMs: number) {
  const writes = firstWrites(calls, sinceMs);
  const writableMs = Math.max(...writes);
  const during = calls.filter(({ endMs, startMs }) => endMs > brokenMs && startMs < writableMs);
  const lists = during.filter(({ isCreate }) => !isCreate);
  const answered = lists.filter(({ status }) => status === 200);
  const seconds = (ms: number) => ((ms - sinceMs) / 1000).toFixed(1);
  const falseWrites = during.filter(
    ({ isCreate, status, startMs, endMs }) =>
      isCreate && status === 201 && startMs > brokenMs && endMs < sinceMs,
  );
  return {
    'until the first write (s)': seconds(Math.min(...writes)),
    'until each server writes (s)': seconds(writableMs),
    'calls meanwhile': countStatuses(during),
    'lists answered (%)': ((100 * answered.length) / lists.length).toFixed(1),
    falseWrites: falseWrites.length,
    'failed: answers other than 200, 201 and 503': calls.filter(
      ({ status }) => ![200, 201, 503].includes(status),
    ).length,
  };
}

function countStatuses(calls: Call[]): string {
  const statuses = [...new Set(calls.map(({ status }) => status))].toSorted((a, b) => a - b);
  return statuses
    .map((status) => `${calls.filter((call) => call.status === status).length} x ${status}`)
    .join(', ');
}
