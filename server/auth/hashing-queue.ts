import { LRUCache } from 'lru-cache';
import { Refusal } from './refusal.ts';

// A hash occupies one of the four threads that file access needs too.
const maxRunning = 2;
const maxWaiting = 256;
/** For networks with fewer than `fewArrivals` recent ones. */
const maxWaitingOfQuietNetworks = 1024;
const fewArrivals = 10;
const maxWaitMs = 20_000;
/** After this time, an arrival counts half. */
const halfLifeMs = 60_000;

/** The place of an arrival in the queue. */
interface Place {
  /** Recent arrivals from its network before this one. */
  earlier: number;
  /** Recent arrivals from its network, also after this one. */
  arrivals: { count: number; at: number };
}

interface Waiter extends Place {
  start(): void;
  /** Returns whether the client has disconnected. */
  hasLeft: () => boolean;
  end(): void;
}

export type HashingQueue = ReturnType<typeof createHashingQueue>;

/**
 * Creates a queue for the tasks that hash passwords. It runs two at a time, first those of networks
 * with few recent arrivals.
 */
export function createHashingQueue() {
  /** Empty unless `maxRunning` tasks run: each task that ends starts the next one. */
  const waiters: Waiter[] = [];
  const networks = new LRUCache<string, Place['arrivals']>({ max: 10_000 });
  let running = 0;
  let refused = 0;

  function refuse(): never {
    refused += 1;
    throw new Refusal('unavailable');
  }

  function refuseIfFull({ earlier }: Place) {
    const limit = earlier < fewArrivals ? maxWaitingOfQuietNetworks : maxWaiting;
    if (waiters.length >= limit) dropLeft();
    if (waiters.length >= limit) refuse();
  }

  /** Ends the tasks for which no client waits. */
  function dropLeft() {
    for (const waiter of waiters.filter(({ hasLeft }) => hasLeft())) {
      waiters.splice(waiters.indexOf(waiter), 1);
      waiter.end();
    }
  }

  async function waitForTurn(place: Place, hasLeft: () => boolean) {
    const turn = Promise.withResolvers<void>();
    const end = () => turn.reject(new Refusal('unavailable'));
    const waiter = { ...place, hasLeft, start: turn.resolve, end };
    waiters.push(waiter);
    const timer = setTimeout(turn.resolve, maxWaitMs);
    await turn.promise.finally(() => clearTimeout(timer));
    if (!waiters.includes(waiter)) return;
    waiters.splice(waiters.indexOf(waiter), 1);
    refuse();
  }

  function startNext() {
    dropLeft();
    waiters.sort((a, b) => a.earlier - b.earlier || a.arrivals.count - b.arrivals.count);
    const next = waiters.shift();
    if (next) next.start();
    else running -= 1;
  }

  return {
    /** Returns the tasks that run and that wait, and how many were refused so far. */
    counts: () => ({ running, waiting: waiters.length, refused }),

    /** Counts an arrival of a network. Refuses with `unavailable` if too many tasks wait. */
    enter(network: string): Place {
      const now = performance.now();
      const arrivals = networks.get(network) ?? { count: 0, at: now };
      const earlier = arrivals.count * 2 ** ((arrivals.at - now) / halfLifeMs);
      networks.set(network, Object.assign(arrivals, { count: earlier + 1, at: now }));
      const place = { earlier, arrivals };
      refuseIfFull(place);
      return place;
    },

    /**
     * Runs a task when it is the turn of its place. Refuses as `enter` does, after 20 s, or when
     * the client has left.
     */
    async run<T>(place: Place, task: () => Promise<T>, hasLeft = () => false): Promise<T> {
      refuseIfFull(place);
      if (running < maxRunning) running += 1;
      else await waitForTurn(place, hasLeft);
      try {
        return await task();
      } finally {
        startNext();
      }
    },
  };
}
