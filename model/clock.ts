/**
 * Returns a clock for actors on which time passes only by `elapse`. XState's own `SimulatedClock`
 * starts a delay that begins during an `increment` at the end of it, and hides what remains.
 */
export function createClock() {
  let now = 0;
  let lastId = 0;
  const timers = new Map<number, { due: number; callback: () => void }>();
  return {
    setTimeout(callback: () => void, milliseconds: number): number {
      timers.set(++lastId, { due: now + milliseconds, callback });
      return lastId;
    },
    clearTimeout: (id: number) => void timers.delete(id),
    elapse(milliseconds: number) {
      const end = now + milliseconds;
      for (;;) {
        const [next] = [...timers].toSorted(([, left], [, right]) => left.due - right.due);
        if (!next || next[1].due > end) break;
        timers.delete(next[0]);
        now = next[1].due;
        next[1].callback();
      }
      now = end;
    },
    /** Returns the milliseconds until each timer ends. */
    remaining: () => Array.from(timers.values(), ({ due }) => due - now),
  };
}
