import { connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { operationTable } from '../../generated/operations.ts';
import { createHashingQueue } from '../auth/hashing-queue.ts';
import { createThrottle } from '../auth/throttle.ts';
import { createPasswords, type Passwords } from '../auth/passwords.ts';
import { openSqlite } from '../store/sqlite.ts';
import type { Store } from '../store/store.ts';
import { CookieClient } from '../../testing/cookie-client.ts';
import { cheapestCost } from '../../testing/reference-server.ts';
import { startServer } from '../../testing/server-fixtures.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

const unavailable = expect.objectContaining({ reason: 'unavailable' });

test('two tasks run, 256 wait, and the next one of the network is refused', async () => {
  const { add, finishAll, counts } = start();
  const accepted = Array.from({ length: 258 }, () => add('a'));
  expect(() => add('a')).toThrow(unavailable);
  expect(accepted.filter(({ isRunning }) => isRunning())).toHaveLength(2);
  expect(counts()).toEqual({ running: 2, waiting: 256, refused: 1 });
  await finishAll();
  await Promise.all(accepted.map(({ ended }) => ended));
  expect(counts()).toEqual({ running: 0, waiting: 0, refused: 1 });
  add('a');
});

test('of 259 tasks that arrive before one runs, the last one is refused', async () => {
  const queue = createHashingQueue();
  const places = Array.from({ length: 259 }, () => queue.enter('a'));
  const ended = Promise.allSettled(places.map((place) => queue.run(place, async () => {})));
  expect((await ended).findIndex(({ status }) => status === 'rejected')).toBe(258);
});

test('networks take turns, and tasks of one network keep their order', async () => {
  const { add, finishAll, order } = start();
  setTime(1);
  for (const network of ['x', 'x', 'a', 'a', 'a', 'b', 'b']) add(network);
  await finishAll();
  expect(order).toEqual(['x 0', 'x 1', 'b 5', 'a 2', 'b 6', 'a 3', 'a 4']);
});

test('a network that sent many tasks waits for one that sent few', async () => {
  const { add, finishAll, order } = start();
  for (let i = 0; i < 6; i += 1) add('a');
  await finishAll();
  order.length = 0;
  for (const network of ['b', 'c', 'a', 'b', 'd']) add(network);
  await finishAll();
  expect(order).toEqual(['b 6', 'c 7', 'd 10', 'b 9', 'a 8']);
});

test('tasks count half after a minute', async () => {
  const { add, finishAll, order } = start();
  for (const network of ['a', 'a', 'a']) add(network);
  await finishAll();
  setTime(performance.now() + 90_000);
  for (const network of ['b', 'b']) add(network);
  await finishAll();
  order.length = 0;
  // By now, a counts 1.06 and b 2.
  for (const network of ['c', 'd', 'b', 'a']) add(network);
  await finishAll();
  expect(order).toEqual(['c 5', 'd 6', 'a 8', 'b 7']);
});

test('if the queue is full, tasks of networks that sent few are accepted', async () => {
  const { add, finishAll } = start();
  setTime(3_600_000);
  const many = Array.from({ length: 258 }, () => add('a'));
  expect(() => add('a')).toThrow(unavailable);
  const few = Array.from({ length: 10 }, () => add('b'));
  expect(() => add('b')).toThrow(unavailable);
  await finishAll();
  await Promise.all([...many, ...few].map(({ ended }) => ended));
});

test('at most 1024 tasks wait', async () => {
  const { add, finishAll } = start();
  const tasks = Array.from({ length: 1026 }, (_, i) => add(`network ${i}`));
  expect(() => add('b')).toThrow(unavailable);
  await finishAll();
  await Promise.all(tasks.map(({ ended }) => ended));
});

test('100 networks with many tasks keep no other network from running its first task', async () => {
  const { add, finish } = start();
  let refusedCount = 0;
  const flood = (tasks: number) => {
    for (let i = 0; i < 100 * tasks; i += 1) {
      try {
        add(`attacker ${i % 100}`);
      } catch {
        refusedCount += 1;
      }
    }
  };
  flood(5);
  for (let i = 0; i < 15; i += 1) {
    const user = add(`user ${i}`);
    flood(1);
    for (let turn = 0; turn < 3 && !user.isRunning(); turn += 1) await finish();
    expect(user.isRunning()).toBe(true);
  }
  expect(refusedCount).toBeGreaterThan(0);
});

test('a user whom the account knows overtakes strangers in the same network', async () => {
  const store = { checkBuckets: async () => {}, changeBuckets: async () => {} };
  const throttle = createThrottle(store as unknown as Store);
  const order: boolean[] = [];
  const attempts = [false, false, false, false, true].map((isKnown) => {
    const signIn = { email: 'ada@example.org', isOwner: false, isKnown };
    return throttle.run({ ip: '192.0.2.1', signIn }, async () => order.push(isKnown));
  });
  await Promise.all(attempts);
  expect(order).toEqual([false, false, true, false, false]);
});

test('a task that waits for 20 seconds is refused', async () => {
  vi.useFakeTimers();
  try {
    const { add, finishAll } = start();
    const running = [add('a'), add('b')];
    const waiting = add('c');
    vi.advanceTimersByTime(19_999);
    const late = add('d');
    vi.advanceTimersByTime(1);
    await expect(waiting.ended).rejects.toEqual(unavailable);
    await finishAll();
    await Promise.all([...running, late].map(({ ended }) => ended));
  } finally {
    vi.useRealTimers();
  }
});

test('a task that fails lets the next one run', async () => {
  const queue = createHashingQueue();
  const fail = () => queue.run(queue.enter('a'), () => Promise.reject(new Error('broken')));
  const results = await Promise.allSettled(Array.from({ length: 5 }, fail));
  expect(results.every(({ status }) => status === 'rejected')).toBe(true);
  expect(await queue.run(queue.enter('a'), async () => 'done')).toBe('done');
});

function setTime(milliseconds: number) {
  const spy = vi.spyOn(performance, 'now').mockReturnValue(milliseconds);
  onTestFinished(() => spy.mockRestore());
}

test('tasks whose clients have left do not run, and no task waits for them', async () => {
  const { add, finish, order, counts } = start();
  for (const network of ['a', 'b']) add(network);
  let haveLeft = false;
  const left = Array.from({ length: 256 }, () => add('a', () => haveLeft));
  expect(() => add('a')).toThrow(unavailable);
  haveLeft = true;
  const next = add('a');
  await finish();
  expect(next.isRunning()).toBe(true);
  expect(order).toEqual(['a 0', 'b 1', 'a 259']);
  expect(counts()).toEqual({ running: 2, waiting: 0, refused: 1 });
  for (const { ended } of left) await expect(ended).rejects.toEqual(unavailable);
});

test('a sign-in whose client disconnects is not counted or hashed', async () => {
  const gate = Promise.withResolvers<void>();
  const verify = vi.fn<Passwords['verify']>(() => gate.promise.then(() => 'right'));
  const passwords = { ...createPasswords(cheapestCost), verify };
  const database = openSqlite(temporaryFolder());
  const query = vi.spyOn(database, 'query');
  const arrivals = () => query.mock.calls.filter(([sql]) => sql.includes('"isKnown"')).length;
  const lines: string[] = [];
  const logger = { stream: { write: (line: string) => void lines.push(line) } };
  const address = await startServer({ database, passwords, logger });
  const client = new CookieClient(address);
  await client.register();
  const logins = [client.login(), client.login()];
  await expect.poll(() => verify.mock.calls.length).toBe(2);
  const body = JSON.stringify(client.credentials);
  const request =
    `POST ${operationTable.login.path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n` +
    `content-length: ${body.length}\r\n\r\n${body}`;
  const sockets = Array.from({ length: 20 }, () =>
    connect(Number(new URL(address).port), '127.0.0.1'),
  );
  for (const socket of sockets) socket.write(request);
  await expect.poll(arrivals).toBe(22);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => lines.filter((line) => line.includes('"aborted":true')).length).toBe(20);
  const last = client.login();
  gate.resolve();
  expect((await Promise.all([...logins, last])).map(({ status }) => status)).toEqual([
    200, 200, 200,
  ]);
  expect(verify).toHaveBeenCalledTimes(3);
});

/** Returns a queue whose tasks run until the test ends them. */
function start() {
  const queue = createHashingQueue();
  const order: string[] = [];
  const running: (() => void)[] = [];
  let count = 0;
  // Timers may be simulated.
  const settle = async () => {
    for (let i = 0; i < 10; i += 1) await Promise.resolve();
  };

  /** Ends the oldest running task, and waits until the next one runs. */
  const finish = async () => {
    await settle();
    running.shift()?.();
    await settle();
  };

  return {
    order,
    counts: queue.counts,
    finish,
    finishAll: async () => {
      await settle();
      while (running.length > 0) await finish();
    },
    add: (network: string, hasLeft?: () => boolean) => {
      const name = `${network} ${count}`;
      count += 1;
      let hasStarted = false;
      const task = () => {
        hasStarted = true;
        order.push(name);
        return new Promise<void>((resolve) => running.push(resolve));
      };
      const ended = queue.run(queue.enter(network), task, hasLeft);
      ended.catch(() => {});
      return { ended, isRunning: () => hasStarted };
    },
  };
}
