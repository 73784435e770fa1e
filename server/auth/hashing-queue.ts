import { LRUCache } from 'lru-cache';
import { Refusal } from '../refusal.ts';

// A hash occupies one of the four threads that file access needs too.
const maxRunning = 2;
const maxWaiting = 256;
const maxWaitMs = 15_000;
/** After this time, a task of a network counts half. */
const halfLifeMs = 60_000;
const maxNetworks = 10_000;

/** Of all queues of the process, for the metrics. */
export const hashing = { running: 0, waiting: 0, refused: 0 };

/** Runs the tasks that hash passwords, two at a time. Refuses with `unavailable`. */
export interface HashingQueue {
  /** Throws if `run` would refuse the network at once. */
  assertNotFull(network: string): void;
  /**
   * Runs a task when it is its turn. The network that ran the fewest tasks lately comes first. If
   * too many tasks wait, the last task of the network with the most tasks is refused.
   */
  run<T>(network: string, task: () => Promise<T>): Promise<T>;
}

interface Waiter {
  network: string;
  start(): void;
  refuse(reason: Refusal): void;
}

export function createHashingQueue(): HashingQueue {
  const waiters: Waiter[] = [];
  const used = new LRUCache<string, { tasks: number; at: number }>({ max: maxNetworks });
  let running = 0;

  function usedBy(network: string): number {
    const { tasks, at } = used.get(network) ?? { tasks: 0, at: 0 };
    return tasks * 2 ** ((at - performance.now()) / halfLifeMs);
  }

  /** Returns how many tasks the network of each waiter ran lately or runs before this one. */
  function ranks(all: Pick<Waiter, 'network'>[]): number[] {
    const next = new Map<string, number>();
    return all.map(({ network }) => {
      const rank = next.get(network) ?? usedBy(network);
      next.set(network, rank + 1);
      return rank;
    });
  }

  function indexOfFirst() {
    const all = ranks(waiters);
    return all.indexOf(Math.min(...all));
  }

  function indexOfLast(all: Pick<Waiter, 'network'>[]) {
    const each = ranks(all);
    return each.lastIndexOf(Math.max(...each));
  }

  function refusal() {
    hashing.refused += 1;
    return new Refusal('unavailable');
  }

  const refuse = (index: number) => waiters.splice(index, 1)[0]?.refuse(refusal());

  async function waitForTurn(network: string) {
    const turn = Promise.withResolvers<void>();
    const waiter = { network, start: turn.resolve, refuse: turn.reject };
    waiters.push(waiter);
    const timer = setTimeout(() => refuse(waiters.indexOf(waiter)), maxWaitMs);
    if (waiters.length > maxWaiting) refuse(indexOfLast(waiters));
    hashing.waiting += 1;
    await turn.promise.finally(() => {
      hashing.waiting -= 1;
      clearTimeout(timer);
    });
  }

  return {
    assertNotFull(network) {
      const all = [...waiters, { network }];
      if (all.length > maxWaiting && indexOfLast(all) === waiters.length) {
        throw refusal();
      }
    },

    async run(network, task) {
      if (running < maxRunning) running += 1;
      else await waitForTurn(network);
      used.set(network, { tasks: usedBy(network) + 1, at: performance.now() });
      hashing.running += 1;
      try {
        return await task();
      } finally {
        hashing.running -= 1;
        const [next] = waiters.splice(indexOfFirst(), 1);
        if (next) next.start();
        else running -= 1;
      }
    },
  };
}
