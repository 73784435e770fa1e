import { setTimeout as delay } from 'node:timers/promises';
import { knownNetworkMs } from '../store/accounts.ts';
import { backgroundBatchSize } from '../store/expiry.ts';
import type { Store } from '../store/store.ts';
import { sessionLifetimeSeconds } from './sessions.ts';
import { bucketLifetimeMs, maxClockSkewMs } from './throttle.ts';

export const cleanupIntervalMs = 60_000;
/** Six hours, counted in runs because the clock itself may be wrong. */
const readingsOfSixHours = 360;
const pauseMs = 10;

/**
 * Returns a function that deletes what has expired, in batches. A session or a known network is
 * deleted only if it had expired at all readings of the store's clock in the last six hours, so
 * that a clock that jumps and comes back ends no session.
 */
export function createCleanup(
  store: Store,
  trustedReadings = readingsOfSixHours,
): () => Promise<void> {
  const readings: number[] = [];

  return async () => {
    const now = await store.now();
    await repeat(() => store.deleteBefore('attempt_buckets', now - bucketLifetimeMs));
    await repeat(() => store.deleteAfter('attempt_buckets', now + maxClockSkewMs));
    readings.push(now);
    if (readings.length <= trustedReadings) return;
    readings.shift();
    const [earliest, latest] = [Math.min(...readings), Math.max(...readings)];
    await repeat(() => store.deleteBefore('known_networks', earliest - knownNetworkMs));
    await repeat(() => store.deleteAfter('known_networks', latest));
    await repeat(() => store.deleteBefore('sessions', earliest));
    // A session that started under a clock that was ahead would last too long.
    await repeat(() => store.shortenSessions(latest + sessionLifetimeSeconds * 1000));
  };
}

/** Repeats a batch until nothing is left, with pauses for the requests of users. */
async function repeat(runBatch: () => Promise<number>) {
  while ((await runBatch()) === backgroundBatchSize)
    await delay(pauseMs, undefined, { ref: false });
}
