import { LRUCache } from 'lru-cache';
import { Refusal } from '../refusal.ts';

// A hash occupies one of the four threads that file access needs too.
const maxRunning = 2;
const maxWaiting = 256;
/** For networks with fewer than `fewArrivals` recent ones. */
const maxWaitingOfQuietNetworks = 1024;
const fewArrivals = 10;
const maxWaitMs = 20_000;
/** After this time, an arrival counts half. */
const halfLifeMs = 60_000;

/** Of all queues of the process, for the metrics. */
export const hashing = { running: 0, waiting: 0, refused: 0 };

interface Waiter {
  /** Recent arrivals from its network before this one. */
  earlier: number;
  /** Recent arrivals from its network, also after this one. */
  arrivals: { count: number; at: number };
  start(): void;
}

/**
 * Creates a queue for the tasks that hash passwords. It runs two at a time, first those of networks
 * with few recent arrivals. Call it for each arrival, and then the result with a task. Both refuse
 * with `unavailable` if too many wait.
 */
export function createHashingQueue() {
  const waiters: Waiter[] = [];
  const networks = new LRUCache<string, Waiter['arrivals']>({ max: 10_000 });
  let running = 0;

  function refuse() {
    hashing.refused += 1;
    throw new Refusal('unavailable');
  }

  async function waitForTurn(place: Omit<Waiter, 'start'>) {
    const turn = Promise.withResolvers<void>();
    const waiter = { ...place, start: turn.resolve };
    waiters.push(waiter);
    hashing.waiting += 1;
    const timer = setTimeout(turn.resolve, maxWaitMs);
    await turn.promise;
    clearTimeout(timer);
    hashing.waiting -= 1;
    if (!waiters.includes(waiter)) return;
    waiters.splice(waiters.indexOf(waiter), 1);
    refuse();
  }

  return (network: string) => {
    const now = performance.now();
    const arrivals = networks.get(network) ?? { count: 0, at: now };
    const earlier = arrivals.count * 2 ** ((arrivals.at - now) / halfLifeMs);
    networks.set(network, Object.assign(arrivals, { count: earlier + 1, at: now }));
    const limit = earlier < fewArrivals ? maxWaitingOfQuietNetworks : maxWaiting;
    if (waiters.length >= limit) refuse();

    return async <T>(task: () => Promise<T>): Promise<T> => {
      if (waiters.length >= limit) refuse();
      if (running < maxRunning) running += 1;
      else await waitForTurn({ earlier, arrivals });
      hashing.running += 1;
      try {
        return await task();
      } finally {
        hashing.running -= 1;
        waiters.sort((a, b) => a.earlier - b.earlier || a.arrivals.count - b.arrivals.count);
        const next = waiters.shift();
        if (next) next.start();
        else running -= 1;
      }
    };
  };
}
