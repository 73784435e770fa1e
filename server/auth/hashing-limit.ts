import pLimit from 'p-limit';
import { Refusal } from './refusal.ts';

// A hash occupies one of the four threads that file access needs too.
const maxRunning = 2;
const maxWaiting = 1024;
/** Running and waiting, so that one network leaves places to the others. */
const maxOfParty = 128;

export type HashingLimit = ReturnType<typeof createHashingLimit>;

/** Limits how many passwords are hashed at once, and how many requests wait for that. */
export function createHashingLimit() {
  const limit = pLimit(maxRunning);
  /** The party of each task that runs or waits. */
  const parties: string[] = [];
  let refused = 0;

  return {
    /** Returns how many tasks wait, and how many were refused so far. */
    counts: () => ({ waiting: limit.pendingCount, refused }),

    /**
     * Runs a task after those that came before. Refuses with `unavailable` if too many wait, or if
     * the client has left when it is the task's turn.
     */
    async run<T>(party: string, task: () => Promise<T>, hasLeft = () => false): Promise<T> {
      const ofParty = parties.filter((each) => each === party).length;
      if (parties.length >= maxRunning + maxWaiting || ofParty >= maxOfParty) {
        refused += 1;
        throw new Refusal('unavailable');
      }
      parties.push(party);
      try {
        return await limit(async () => {
          if (hasLeft()) throw new Refusal('unavailable');
          return task();
        });
      } finally {
        parties.splice(parties.indexOf(party), 1);
      }
    },
  };
}
