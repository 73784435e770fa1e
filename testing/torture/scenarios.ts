import { randomUUID } from 'node:crypto';
import { findFreePort } from '../../tools/free-port.ts';
import { median } from '../median.ts';
import { startProxy, type ProxyName } from '../proxies.ts';
import { startServerProcess, type Environment } from '../server-process.ts';
import { compareWithStore, createUntil, TortureClient, type CreatedKeys } from './client.ts';
import { deployServer, type Deployment } from './deployments.ts';
import type { Figures } from './figures.ts';

const maxMedianMs = 150;

export async function startServers(settings: Environment, count: number) {
  const servers = await Promise.all(
    Array.from({ length: count }, async () =>
      startServerProcess({ ...settings, PORT: String(await findFreePort()) }),
    ),
  );
  const killAll = async () => void (await Promise.all(servers.map(({ kill }) => kill())));
  return Object.assign(servers, { [Symbol.asyncDispose]: killAll });
}

/**
 * Crashes a deployment each time `creates` projects were acknowledged, `rounds` times. Then checks
 * that it stored all of them. `crash` calls `stopCounting` before an acknowledgement loses its
 * meaning, and `stopCreates` when no further create can succeed.
 */
export async function crashDuringCreates(
  deployment: Deployment,
  { rounds, creates }: { rounds: number; creates: number },
  crash: (stopCreates: () => void, stopCounting: () => void) => Promise<void>,
  recover: () => Promise<void>,
) {
  const keys: CreatedKeys = { acknowledged: [], acknowledgedLate: [], unacknowledged: [] };
  const account = await new TortureClient(deployment.address()).signUp();
  for (let round = 0; round < rounds; round += 1) {
    const [stop, uncounted] = [new AbortController(), new AbortController()];
    let crashing: Promise<void> | undefined;
    const client = account.at(deployment.address());
    const startCrash = (count: number) => {
      if (count < creates) return;
      crashing ??= crash(
        () => stop.abort(),
        () => uncounted.abort(),
      );
    };
    const created = await createUntil(stop.signal, [client], 8, startCrash, uncounted.signal);
    keys.acknowledged.push(...created.acknowledged);
    keys.acknowledgedLate.push(...created.acknowledgedLate);
    keys.unacknowledged.push(...created.unacknowledged);
    await crashing;
    await recover();
  }
  return compareWithStore(account.at(deployment.address()), keys);
}

/** Kills a server during creates, `rounds` times. Checks that it stored what it acknowledged. */
export async function killDuringCreates(
  settings: Environment,
  rounds: number,
  creates: number,
): Promise<Figures> {
  await using deployment = await deployServer(settings);
  let slowestStartMs = 0;
  const figures = await crashDuringCreates(
    deployment,
    { rounds, creates },
    (stopCreates) => {
      stopCreates();
      return deployment.crash();
    },
    async () => {
      const startMs = performance.now();
      await deployment.recover();
      slowestStartMs = Math.max(slowestStartMs, performance.now() - startMs);
    },
  );
  return { kills: rounds, ...figures, 'slowest start (ms)': Math.round(slowestStartMs) };
}

/** Writes to one store from several servers at once, and registers one email on all of them. */
export async function shareStore(
  settings: Environment,
  servers: number,
  creates: number,
  registrations: number,
) {
  await using running = await startServers(settings, servers);
  const addresses = running.map(({ address }) => address);
  const account = await new TortureClient(addresses[0]!).signUp();
  const clients = addresses.map((address) => account.at(address));
  const stop = new AbortController();
  const keys = await createUntil(stop.signal, clients, 4 * servers, (count) => {
    if (count >= creates) stop.abort();
  });
  const figures = await compareWithStore(clients.at(-1)!, keys);
  const newcomer = new TortureClient(addresses[0]!);
  const replies = await Promise.all(
    Array.from({ length: registrations }, (_, i) =>
      newcomer.at(addresses[i % servers]!).register(),
    ),
  );
  const count = (status: number) => replies.filter((reply) => reply.status === status).length;
  const isOneAccount = count(201) === 1 && count(409) === registrations - 1;
  return {
    servers,
    ...figures,
    'registrations of one email': registrations,
    'of them 201': count(201),
    'of them 409': count(409),
    'failed: not exactly one account': isOneAccount ? 0 : 1,
  };
}

/** Restarts two replicas in turn, `rounds` times, while clients use them through a proxy. */
export async function restartReplicas(
  settings: Environment,
  proxyName: ProxyName,
  rounds: number,
  clientCount: number,
) {
  await using running = await startServers(settings, 2);
  const addresses = running.map(({ address }) => address);
  return await restartInTurn(addresses, { proxyName, rounds, clientCount }, async (i) => {
    const { address, kill } = running[i]!;
    const { code, errors } = await kill('SIGTERM');
    if (code !== 0) throw new Error(`A stopped server ended with code ${code}: ${errors}`);
    running[i] = await startServerProcess({ ...settings, PORT: new URL(address).port });
  });
}

/** Calls `restart` for each of two servers in turn, while clients use them through a proxy. */
export async function restartInTurn(
  addresses: string[],
  options: { proxyName: ProxyName; rounds: number; clientCount: number },
  restart: (server: number) => Promise<void>,
): Promise<Figures> {
  const { proxyName, rounds, clientCount } = options;
  await using proxy = await startProxy(proxyName, addresses);
  const stop = new AbortController();
  using cleanup = new DisposableStack();
  cleanup.defer(() => stop.abort());
  const timesMs: number[] = [];
  const failures: string[] = [];
  const clients = await Promise.all(
    Array.from({ length: clientCount }, () => new TortureClient(proxy.address).signUp()),
  );
  const lostByClient = clients.map(async (client) => {
    const acknowledged: string[] = [];
    while (!stop.signal.aborted) {
      const key = randomUUID();
      const startMs = performance.now();
      const created = await client.create(key);
      const listed = await client.listProjects();
      timesMs.push((performance.now() - startMs) / 2);
      for (const { status, body } of [created, listed]) {
        if (status !== 200 && status !== 201) failures.push(`${status} ${JSON.stringify(body)}`);
      }
      if (created.status === 201) acknowledged.push(key);
    }
    const keys = new Set(await client.keys());
    return acknowledged.filter((key) => !keys.has(key)).length;
  });
  for (let round = 0; round < rounds; round += 1) {
    for (const i of addresses.keys()) await restart(i);
  }
  stop.abort();
  const lost = (await Promise.all(lostByClient)).reduce((sum, count) => sum + count, 0);
  return {
    restarts: addresses.length * rounds,
    requests: 2 * timesMs.length,
    'failed requests': failures.length,
    lost,
    'median (ms)': round(median(timesMs)),
    'slowest (ms)': slowest(timesMs),
    ...(failures.length > 0 && { failures: [...new Set(failures)].join('; ') }),
  };
}

/** Floods the server with sign-ins while another client makes `rounds` rounds of calls. */
export async function floodLogins(settings: Environment, connections: number, rounds: number) {
  await using server = await startServerProcess(settings);
  const { address } = server;
  const client = await new TortureClient(address).signUp();
  await client.create(randomUUID());
  const stop = new AbortController();
  using cleanup = new DisposableStack();
  cleanup.defer(() => stop.abort());
  const statuses = new Map<number, number>();
  const flood = Array.from({ length: connections }, async (_, i) => {
    const attacker = new TortureClient(address);
    while (!stop.signal.aborted) {
      if (i % 2 === 0) attacker.credentials.email = `${randomUUID()}@example.org`;
      const { status } = await attacker.login();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  const calls = {
    list: () => client.listProjects(),
    page: () => client.call('GET', '/'),
    health: () => client.call('GET', '/healthz'),
    create: () => client.create(randomUUID()),
  };
  const timesMs = { list: [], page: [], health: [], create: [] } as Record<string, number[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, call] of Object.entries(calls)) timesMs[name]!.push(await timeMs(call));
  }
  stop.abort();
  await Promise.all(flood);
  const medians = Object.entries(timesMs).map(
    ([name, times]) => [name, round(median(times))] as const,
  );
  return {
    connections,
    'sign-ins answered': [...statuses].map(([status, n]) => `${n} x ${status}`).join(', '),
    ...Object.fromEntries(medians.map(([name, ms]) => [`${name}, median (ms)`, ms])),
    'list, slowest (ms)': slowest(timesMs['list']!),
    [`failed: medians of ${maxMedianMs} ms or more`]: medians.filter(([, ms]) => ms >= maxMedianMs)
      .length,
    'failed sign-ins without a response': statuses.get(0) ?? 0,
  };
}

async function timeMs(call: () => Promise<{ status: number }>): Promise<number> {
  const startMs = performance.now();
  const { status } = await call();
  if (status < 200 || status > 299) throw new Error(`Answered with ${status} during the flood.`);
  return performance.now() - startMs;
}

const round = (value: number) => Math.round(value * 10) / 10;

const slowest = (numbers: number[]) => round(Math.max(...numbers));
