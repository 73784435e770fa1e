import { SimulatedClock } from 'xstate';

/** The clock of a run in a test. Time passes with `increment`, and while the kit waits. */
export class TestClock extends SimulatedClock {
  #sleptMs = 0;

  override now() {
    return super.now() + this.#sleptMs;
  }

  /** Calls no timers, because other requests in flight do not take that long in reality. */
  async sleep(delayMs: number) {
    this.#sleptMs += delayMs;
  }
}
