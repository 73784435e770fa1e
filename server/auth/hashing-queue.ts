import { LRUCache } from 'lru-cache';
import { Refusal } from '../refusal.ts';

// A hash occupies one of the four threads that file access needs too.
const maxRunning = 2;
const maxWaiting = 256;
const maxWaitMs = 20_000;
/** After this time, an arrival counts half. */
const halfLifeMs = 60_000;
const maxNetworks = 10_000;

/** Of all queues of the process, for the metrics. */
export const hashing = { running: 0, waiting: 0, refused: 0 };

/** Orders tasks: by the number of earlier arrivals from the network, then by its latest number. */
interface Place {
  earlier: number;
  arrivals: { count: number; at: number };
}

/** Runs the tasks that hash passwords, two at a time. Refuses with `unavailable`. */
export interface HashingQueue {
  /** Counts an arrival. Throws if too many tasks wait that are earlier. */
  arrive(network: string): Place;
  /** Runs a task when it is its turn. If too many wait, the last one in line is refused. */
  run<T>(place: Place, task: () => Promise<T>): Promise<T>;
}

interface Waiter extends Place {
  start(): void;
  refuse(reason: Refusal): void;
}

export function createHashingQueue(): HashingQueue {
  /** In the order of their turns. */
  const waiters: Waiter[] = [];
  const networks = new LRUCache<string, Place['arrivals']>({ max: maxNetworks });
  let running = 0;

  function refusal() {
    hashing.refused += 1;
    return new Refusal('unavailable');
  }

  async function waitForTurn(place: Place) {
    const turn = Promise.withResolvers<void>();
    const waiter = { ...place, start: turn.resolve, refuse: turn.reject };
    const later = waiters.findIndex(({ earlier }) => earlier > place.earlier);
    waiters.splice(later === -1 ? waiters.length : later, 0, waiter);
    if (waiters.length > maxWaiting) waiters.pop()?.refuse(refusal());
    const timer = setTimeout(() => {
      waiters.splice(waiters.indexOf(waiter), 1);
      waiter.refuse(refusal());
    }, maxWaitMs);
    hashing.waiting += 1;
    await turn.promise.finally(() => {
      hashing.waiting -= 1;
      clearTimeout(timer);
    });
  }

  return {
    arrive(network) {
      const now = performance.now();
      const arrivals = networks.get(network) ?? { count: 0, at: now };
      const earlier = arrivals.count * 2 ** ((arrivals.at - now) / halfLifeMs);
      networks.set(network, Object.assign(arrivals, { count: earlier + 1, at: now }));
      const last = waiters[maxWaiting - 1];
      if (last && last.earlier <= earlier) throw refusal();
      return { earlier, arrivals };
    },

    async run(place, task) {
      if (running < maxRunning) running += 1;
      else await waitForTurn(place);
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
    },
  };
}
