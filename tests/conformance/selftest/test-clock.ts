import { SimulatedClock } from 'xstate';
import { untilQuiet } from './fault-builders.ts';

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
