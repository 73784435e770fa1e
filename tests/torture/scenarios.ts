import { randomUUID } from 'node:crypto';
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runServer } from '../support/server-process.ts';
import { createUntil, Person, type Promised } from './client.ts';

export type Settings = Record<string, string>;
/** What a scenario found out, to be printed; the names of those that must be 0 begin with "lost", "twice" or "failed". */
export type Figures = Record<string, number | string>;

type Running = ReturnType<typeof runServer> & { address: string };

export async function start(settings: Settings): Promise<Running> {
  const running = runServer(settings);
  return { ...running, address: await running.ready() };
}

/** Kills a server in the middle of creates, `rounds` times, and looks each time whether it kept what it acknowledged. */
export async function kills(settings: Settings, rounds: number, creates: number): Promise<Figures> {
  const all: Promised = { kept: [], unanswered: [] };
  let slowest = 0;
  let running = await start(settings);
  const person = await new Person().settle(running.address);
  try {
    for (let round = 0; round < rounds; round += 1) {
      const stop = new AbortController();
      const { kill, address } = running;
      const { kept, unanswered } = await createUntil(stop.signal, person, [address], 8, (count) => {
        if (count < creates || stop.signal.aborted) return;
        stop.abort();
        void kill('SIGKILL');
      });
      all.kept.push(...kept);
      all.unanswered.push(...unanswered);
      await kill('SIGKILL');
      const began = performance.now();
      running = await start(settings);
      slowest = Math.max(slowest, performance.now() - began);
    }
    const figures = await compare(person, running.address, all);
    return { kills: rounds, ...figures, 'slowest start (ms)': Math.round(slowest) };
  } finally {
    await running.kill();
  }
}

/** What the server has, beside what it promised. What it did not answer is asked for once more, as a browser would. */
export async function compare(
  person: Person,
  address: string,
  { kept, unanswered }: Promised,
): Promise<Figures> {
  const before = new Set(await person.titles(address));
  for (const key of unanswered) await person.create(address, key);
  const after = await person.titles(address);
  return {
    acknowledged: kept.length,
    lost: kept.filter((key) => !before.has(key)).length,
    unanswered: unanswered.length,
    'of them kept': unanswered.filter((key) => before.has(key)).length,
    'lost when repeated': unanswered.filter((key) => !after.includes(key)).length,
    twice: after.length - new Set(after).size,
  };
}

/** Several processes on one store, all written to at once; and so many registrations of one email over all of them. */
export async function together(
  settings: Settings,
  processes: number,
  creates: number,
  sameEmail: number,
) {
  const all = await Promise.all(Array.from({ length: processes }, () => start(settings)));
  const addresses = all.map(({ address }) => address);
  try {
    const person = await new Person().settle(addresses[0]!);
    const stop = new AbortController();
    const promised = await createUntil(stop.signal, person, addresses, 4 * processes, (count) => {
      if (count >= creates) stop.abort();
    });
    const figures = await compare(person, addresses.at(-1)!, promised);
    const newcomer = new Person();
    const registrations = await Promise.all(
      Array.from({ length: sameEmail }, (_, i) => newcomer.register(addresses[i % processes]!)),
    );
    const count = (status: number) => registrations.filter((r) => r.status === status).length;
    return {
      processes,
      ...figures,
      'registrations of one email': registrations.length,
      'of them 201': count(201),
      'of them 409': count(409),
      'failed: not exactly one account': count(201) === 1 && count(409) === sameEmail - 1 ? 0 : 1,
    };
  } finally {
    await Promise.all(all.map(({ kill }) => kill()));
  }
}

/** Restarts each of `replicas` in turn, `rounds` times, behind a balancer with so many people at work. */
export async function rollingRestart(
  settings: Settings,
  replicas: number,
  rounds: number,
  workers: number,
) {
  const all = await Promise.all(Array.from({ length: replicas }, () => start(settings)));
  const balancer = await startBalancer(all.map(({ address }) => address));
  const stop = new AbortController();
  const counts = { requests: 0, failed: 0 };
  const times: number[] = [];
  const failures = new Set<string>();
  try {
    const people = await Promise.all(
      Array.from({ length: workers }, () => new Person().settle(balancer.address)),
    );
    const work = people.map(async (person) => {
      const kept: string[] = [];
      while (!stop.signal.aborted) {
        const key = randomUUID();
        const began = performance.now();
        const created = await person.create(balancer.address, key);
        const listed = await person.call(balancer.address, 'GET', '/api/v1/projects');
        times.push((performance.now() - began) / 2);
        counts.requests += 2;
        for (const { status, body } of [created, listed]) {
          if (status === 200 || status === 201) continue;
          counts.failed += 1;
          failures.add(`${status} ${JSON.stringify(body)}`);
        }
        if (created.status === 201) kept.push(key);
      }
      const titles = new Set(await person.titles(balancer.address));
      return kept.filter((key) => !titles.has(key)).length;
    });
    for (let round = 0; round < rounds; round += 1) {
      for (const [i, { address, kill }] of all.entries()) {
        const { code } = await kill('SIGTERM');
        if (code !== 0) failures.add(`ended with ${code}`);
        all[i] = await start({ ...settings, PORT: new URL(address).port });
        await balancer.sees(address);
      }
    }
    stop.abort();
    const lost = (await Promise.all(work)).reduce((sum, count) => sum + count, 0);
    return {
      restarts: replicas * rounds,
      requests: counts.requests,
      'failed requests': counts.failed + failures.size,
      lost,
      ...spread(times),
      ...(failures.size > 0 && { failures: [...failures].join('; ') }),
    };
  } finally {
    stop.abort();
    await balancer.stop();
    await Promise.all(all.map(({ kill }) => kill()));
  }
}

/**
 * A balancer as small as they get: asks /readyz, takes turns among the ready, keeps connections. A request that reached nobody
 * goes to the next one; one that was cut off after it was sent has failed.
 */
async function startBalancer(addresses: string[]) {
  const agent = new Agent({ keepAlive: true });
  const ready = new Set(addresses);
  let turn = 0;

  function pass(incoming: IncomingMessage, body: Buffer, answer: ServerResponse, tries: number) {
    const choice = [...(ready.size > 0 ? ready : addresses)];
    const address = choice[(turn += 1) % choice.length]!;
    const { method, url, headers } = incoming;
    const outgoing = request(address + url, { agent, method, headers }, (reply) => {
      const { connection: _ours, ...passed } = reply.headers;
      answer.writeHead(reply.statusCode!, passed);
      reply.pipe(answer);
      reply.on('error', () => answer.destroy());
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      ready.delete(address);
      if (error.code === 'ECONNREFUSED' && tries > 0) pass(incoming, body, answer, tries - 1);
      else answer.destroy();
    });
    outgoing.end(body);
  }

  const server = createServer((incoming, answer) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => pass(incoming, Buffer.concat(chunks), answer, addresses.length));
  });
  const look = async (address: string) => {
    const isReady = await fetch(`${address}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) ready.add(address);
    else ready.delete(address);
  };
  const looking = setInterval(() => void addresses.map(look), 100);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sees: look,
    async stop() {
      clearInterval(looking);
      agent.destroy();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Wrong and right sign-ins from `connections` at once, while somebody looks at their projects `looks` times. */
export async function loginFlood(settings: Settings, connections: number, looks: number) {
  const { address, kill } = await start(settings);
  try {
    const person = await new Person().settle(address);
    await person.create(address, randomUUID());
    const stop = new AbortController();
    const statuses = new Map<number, number>();
    const flood = Array.from({ length: connections }, async (_, i) => {
      const guesser = new Person();
      while (!stop.signal.aborted) {
        if (i % 2 === 0) guesser.credentials.email = `${randomUUID()}@example.org`;
        const { status } = await guesser.login(address);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    const [lists, pages, health, creates]: number[][] = [[], [], [], []];
    for (let i = 0; i < looks; i += 1) {
      lists!.push(await timed(() => person.call(address, 'GET', '/api/v1/projects')));
      pages!.push(await timed(() => person.call(address, 'GET', '/')));
      health!.push(await timed(() => person.call(address, 'GET', '/healthz')));
      creates!.push(await timed(() => person.create(address, randomUUID())));
    }
    stop.abort();
    await Promise.all(flood);
    const median = (times: number[] = []) => spread(times)['median (ms)'];
    return {
      connections,
      'sign-ins answered': [...statuses].map(([status, n]) => `${n} x ${status}`).join(', '),
      'list, median (ms)': median(lists),
      'page, median (ms)': median(pages),
      'health, median (ms)': median(health),
      'create, median (ms)': median(creates),
      'list, slowest (ms)': spread(lists!)['slowest (ms)'],
      'failed: a median of 150 ms or more': [lists, pages, health, creates].filter(
        (times) => median(times) >= 150,
      ).length,
      'failed sign-ins without an answer': statuses.get(0) ?? 0,
    };
  } finally {
    await kill();
  }
}

async function timed(work: () => Promise<{ status: number }>): Promise<number> {
  const began = performance.now();
  const { status } = await work();
  if (status < 200 || status > 299) throw new Error(`Answered with ${status} during the flood.`);
  return performance.now() - began;
}

function spread(times: number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  const round = (value = 0) => Math.round(value * 10) / 10;
  return {
    'median (ms)': round(sorted[Math.floor(sorted.length / 2)]),
    'slowest (ms)': round(sorted.at(-1)),
  };
}
