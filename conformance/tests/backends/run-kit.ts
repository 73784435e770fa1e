import type { Level } from '../../checks/check.ts';
import { findCall } from '../../../model/requests.ts';
import { run, type RunResult } from '../../checks/run.ts';
import type { RunningServer } from '../../../testing/reference-server.ts';
import { TestClock } from './test-clock.ts';

/** Starts a backend, runs the kit against it, and stops the backend. */
export async function runKit(
  start: (clock: TestClock) => Promise<RunningServer>,
  settings: Omit<Parameters<typeof run>[0], 'origin' | 'clock'> = {},
): Promise<RunResult> {
  const clock = new TestClock();
  const { origin, stop } = await start(clock);
  try {
    return await run({ origin, clock, ...settings });
  } finally {
    await stop();
  }
}

/** Returns the requests of each check by its id, without what differs from run to run. */
export function requestsOf({ results, runId, context }: RunResult): Record<string, string[]> {
  const entries = results.map(({ check, exchanges }): [string, string[]] => {
    const requests = exchanges.map(({ browserName, request: { method, path, body } }) =>
      // Parameters of the path may be ids, which the backend chooses.
      `${browserName} ${findCall(method, path)?.call ?? method + path} ${String(body ?? '')}`
        .replaceAll(new RegExp(runId, 'gi'), '(run id)')
        .replace(String(context.fixtures.number), '(number)')
        .replace(/"id":"[^"]+"/, '"id":"(of the backend)"'),
    );
    // Concurrent requests may arrive in any order.
    return [check.id, requests.toSorted()];
  });
  return Object.fromEntries(entries);
}

/** Lists the checks that failed or could not run, with the reason. */
export const unmetChecks = (
  { results }: RunResult,
  levels: Level[] = ['MUST', 'SHOULD'],
): string[] =>
  results
    .filter(({ status }) => status === 'failed' || status === 'blocked')
    .filter(({ check }) => levels.includes(check.level))
    .map(
      ({ check, problems, reason }) => `${check.id}: ${problems[0]?.description ?? reason?.words}`,
    );
