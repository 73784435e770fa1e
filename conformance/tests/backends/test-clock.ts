import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { SimulatedClock } from 'xstate';

/** The clock of a run in a test. Time passes with `increment`, and while the kit waits. */
export class TestClock extends SimulatedClock {
  #sleptMs = 0;
  /** The timers of requests in flight. */
  #timers = new Set<number>();

  override now() {
    return super.now() + this.#sleptMs;
  }

  override setTimeout(callback: () => void, delayMs: number) {
    const timer = super.setTimeout(() => {
      this.#timers.delete(timer);
      callback();
    }, delayMs);
    this.#timers.add(timer);
    return timer;
  }

  override clearTimeout(timer: number) {
    this.#timers.delete(timer);
    super.clearTimeout(timer);
  }

  /** Lets requests in flight end first, because they do not take that long in reality. */
  async sleep(delayMs: number) {
    await untilQuiet(() => this.#timers.size === 0);
    this.#sleptMs += delayMs;
  }
}

/** More than a request between two servers of this process needs to arrive. */
const turnsUntilQuiet = 200;

/** Resolves after a number of turns of the event loop in which `isQuiet` was true. */
export async function untilQuiet(isQuiet = () => true): Promise<void> {
  for (let turns = 0; turns < turnsUntilQuiet; turns = isQuiet() ? turns + 1 : 0)
    await yieldToEventLoop();
}
