/** Executes a path on a driver and compares each observation with the oracle. */
import type { Driver } from './driver.ts';
import { createOracle } from './oracle.ts';
import type { ModelEvent, Path } from './paths.ts';
import { compare, type Pair } from './steps.ts';

/**
 * Executes a path on an app that was started on `/`. `retry` repeats a comparison that throws,
 * because an app needs time. Throws the differences. Returns the number of comparisons: one at the
 * start, and one after each event.
 */
export async function walk(
  path: Path,
  app: Driver,
  retry: (compare: () => Promise<void>) => Promise<void>,
): Promise<number> {
  let comparisons = 0;
  const pair = { app, oracle: createOracle('/'), length: 0 };
  await path.test({
    perform: (event) => performEvent(event, pair),
    check: () =>
      retry(async () => {
        const differences = await compare(pair);
        if (differences.length > 0) throw new Error(differences.join('\n'));
        comparisons++;
      }),
  });
  return comparisons;
}

/** Performs the steps that cause an event of a machine. */
export async function performEvent({ steps }: ModelEvent, pair: Pair): Promise<void> {
  for (const step of steps(pair.oracle.state())) {
    // oxlint-disable-next-line no-await-in-loop
    await step.perform(pair, ++pair.length);
  }
}
