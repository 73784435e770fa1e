/**
 * How long tests wait. The limits grow with the slowness of the machine, so that a busy machine
 * makes tests slow, not red, and a test that hangs fails in seconds.
 */
import { createHash } from 'node:crypto';
import { availableParallelism, loadavg } from 'node:os';

/** On an idle machine. */
const [testMs, waitMs] = [5_000, 2_000];

/** The limits are at most this many times those of an idle machine. */
const maxSlowness = 20;

/** How long the work takes on one idle core of the machine that the limits were chosen on. */
const workMs = 35;

const variable = 'TRACKER_TEST_SLOWNESS';

/**
 * Returns how many times slower tests may be than on two idle cores: the longer of what a fixed
 * piece of work takes, and what the load average lets expect. Measured once per run, by the first
 * process, which passes it on in its environment.
 */
function slowness(): number {
  return Number((process.env[variable] ??= String(measureSlowness())));
}

function measureSlowness(): number {
  const startMs = performance.now();
  const data = Buffer.alloc(1_000_000);
  for (let round = 0; round < 30; round++) createHash('sha256').update(data).digest();
  const byWork = (performance.now() - startMs) / workMs;
  // The processes of a run share the cores: with as many others, each takes twice as long.
  const byLoad = 1 + (loadavg()[0] ?? 0) / (2 * availableParallelism());
  return Math.min(Math.max(1, byWork, byLoad), maxSlowness);
}

/** A wait of a test for one change, request or response. */
export const maxWaitMs = Math.ceil(waitMs * slowness());

/** A whole test. */
export const maxTestMs = Math.ceil(testMs * slowness());

/** A response of a server. Shorter than a test, so that the message names the request. */
export const maxResponseMs = Math.ceil(0.8 * maxTestMs);

/** A test that kills processes or waits for a timeout of the product. */
export const longTestMs = 4 * maxTestMs;

/** A wait for a browser or a development server, of which several share the cores. */
export const longWaitMs = 4 * maxWaitMs;
