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
  const signUp = (_: unknown, i: number) => new TortureClient(addresses[i % serverCount]!).signUp();
  // Creates of one account wait for each other, so each writer has its own.
  const writing = await Promise.all(Array.from({ length: writers }, signUp));
  const reading = writing[0]!;

  const calls: Call[] = [];
  const created = writing.map((client): [TortureClient, CreatedKeys] => [
    client,
    { acknowledged: [], acknowledgedLate: [], unacknowledged: [] },
  ]);
  const countAcknowledged = () =>
    created.reduce((sum, [, { acknowledged }]) => sum + acknowledged.length, 0);
  const stop = new AbortController();
  using cleanup = new DisposableStack();
  cleanup.defer(() => stop.abort());
  const record = async (
    server: number,
    isCreate: boolean,
    send: () => Promise<{ status: number }>,
  ) => {
    const startMs = performance.now();
    const { status } = await send();
    calls.push({ isCreate, server, status, startMs, endMs: performance.now() });
    return status;
  };
  async function write(client: TortureClient, keys: CreatedKeys, i: number) {
    const repeats = i % 4 < 2; // on each of the servers
    while (!stop.signal.aborted) {
      const key = randomUUID();
      let status = 0;
      for (;;) {
        status = await record(i % serverCount, true, () => client.create(key));
        if (status !== 201) await delay(pauseMs);
        if (status === 201 || !repeats || stop.signal.aborted) break;
      }
      (status === 201 ? keys.acknowledged : keys.unacknowledged).push(key);
    }
  }
  async function read(server: number) {
    const client = reading.at(addresses[server]!);
    while (!stop.signal.aborted) {
      await record(server, false, client.listProjects);
      await delay(pauseMs);
    }
  }
  const loops = [
    ...created.map(([client, keys], i) => write(client, keys, i)),
    ...Array.from({ length: readers }, (_, i) => read(i % serverCount)),
  ];

  /** Returns when each server first acknowledged a create that was sent after `sinceMs`. */
  const firstWrites = (sinceMs: number) =>
    addresses.map(
      (_, server) =>
        calls.find(
          (call) =>
            call.isCreate &&
            call.server === server &&
            call.status === 201 &&
            call.startMs > sinceMs,
        )?.endMs ?? Infinity,
    );
  const waitUntil = (what: string, isDone: () => boolean) =>
    waitFor(what, isDone, maxRecoveryMs).catch((error: Error) => {
      const logs = servers.map((server) => server.errors().slice(-1000)).join('\n');
      throw new Error(`${error.message}, ${countStatuses(calls)}\n${logs}`);
    });
  await waitUntil('creates', () => countAcknowledged() >= creates);
  const brokenMs = performance.now();
  const sinceMs = await interrupt();
  await waitUntil('a write on each server', () => firstWrites(sinceMs).every(Number.isFinite));
  const writableMs = Math.max(...firstWrites(sinceMs));
  const enough = countAcknowledged() + creates;
  await waitUntil('creates after the outage', () => countAcknowledged() >= enough);
  stop.abort();
  await Promise.all(loops);

  const during = calls.filter(({ endMs, startMs }) => endMs > brokenMs && startMs < writableMs);
  const lists = during.filter(({ isCreate }) => !isCreate);
  const answered = lists.filter(({ status }) => status === 200);
  const seconds = (ms: number) => ((ms - sinceMs) / 1000).toFixed(1);
  const falseWrites = during.filter(
    ({ isCreate, status, startMs, endMs }) =>
      isCreate && status === 201 && startMs > brokenMs && endMs < sinceMs,
  );
  const ended = await Promise.all(
    servers.map((server) => Promise.race([server.ended.then(() => 1), Promise.resolve(0)])),
  );
  return {
    servers: serverCount,
    clients: writers + readers,
    ...(await compareAllWithStore(created)),
    'until the first write (s)': seconds(Math.min(...firstWrites(sinceMs))),
    'until each server writes (s)': seconds(writableMs),
    'creates meanwhile': countStatuses(during.filter(({ isCreate }) => isCreate)),
    'lists meanwhile': countStatuses(lists),
    'lists answered (%)': ((100 * answered.length) / lists.length).toFixed(1),
    'slowest list (s)': (Math.max(...lists.map((l) => l.endMs - l.startMs)) / 1000).toFixed(1),
    ...(outage.refusesWrites && { 'failed: acknowledged during the outage': falseWrites.length }),
    'failed: answers other than 200, 201 and 503': calls.filter(
      ({ status }) => ![200, 201, 503].includes(status),
    ).length,
    'failed: servers that ended': ended.reduce((sum, value) => sum + value, 0),
  };
}

function countStatuses(calls: Call[]): string {
  const statuses = [...new Set(calls.map(({ status }) => status))].toSorted((a, b) => a - b);
  return statuses
    .map((status) => `${calls.filter((call) => call.status === status).length} x ${status}`)
    .join(', ');
}
