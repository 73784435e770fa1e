import type { Level } from '../../checks/check.ts';
import { run, type RunResult } from '../../run.ts';
import type { RunningServer } from '../../../tests/support/reference-server.ts';
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

/** Lists the checks that failed or could not run, with the reason. */
export const unmetChecks = (
  { results }: RunResult,
  levels: Level[] = ['MUST', 'SHOULD', 'PROFILE'],
): string[] =>
  results
    .filter(({ status }) => status === 'failed' || status === 'blocked')
    .filter(({ check }) => levels.includes(check.level))
    .map(({ check, problems, note }) => `${check.id}: ${problems[0]?.description ?? note}`);
