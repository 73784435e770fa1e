import { expect, test } from 'vitest';
import { createReport } from '../report/create-report.ts';
import { minMustMs } from '../http/client.ts';
import { viewOf } from '../report/summary.ts';
import { run } from '../run.ts';
import { exemplary, startBackend, type Change } from './backends/backend.ts';
import { requests, respond } from './backends/changes.ts';
import { unmetChecks } from './backends/run-kit.ts';
import { TestClock, untilQuiet } from './backends/test-clock.ts';

/** Creates a backend that takes so long for each request. */
type SlowBackend = (clock: TestClock, responseMs: number) => Change;

const oneAtATime: SlowBackend = (clock, responseMs) =>
  requests(() => {
    clock.increment(responseMs);
    return undefined;
  });

const allAtOnce: SlowBackend = (clock, responseMs) => {
  let turn: Promise<void> | undefined;
  return respond(async (request, next) => {
    turn ??= untilQuiet().then(() => {
      turn = undefined;
      clock.increment(responseMs);
    });
    await turn;
    return next(request);
  });
};

/** Runs the kit, by default with its default budget. */
async function runAgainst(slow: SlowBackend, responseMs: number, budgetMs = 60_000) {
  const clock = new TestClock();
  const { origin, stop } = await startBackend(clock, exemplary, slow(clock, responseMs));
  const result = await run({ origin, clock, budgetMs }).finally(stop);
  expect(clock.now()).toBeLessThanOrEqual(Math.max(minMustMs, budgetMs) + responseMs);
  return result;
}

test('on a backend that is slow, journeys are shorter and everything is judged', async () => {
  const { results, timeAdvice } = await runAgainst(oneAtATime, 60);
  expect(timeAdvice).toBeUndefined();
  const journeys = results.filter(({ check }) => ['JOURNEY-5', 'JOURNEY-6'].includes(check.id));
  for (const { status, durationMs } of journeys) {
    expect(status).toBe('passed');
    expect(durationMs).toBeLessThan(6_000);
  }
});

test('checks run at once on a slow backend that responds to several requests at once', async () => {
  const result = await runAgainst(allAtOnce, 200);
  expect(result.timeAdvice).toBeUndefined();
  expect(unmetChecks(result)).toEqual([]);
});

test.each([200, 300])(
  'on a backend that takes %i ms for each request in turn, every MUST check is judged, and the advised budget judges the others',
  async (responseMs) => {
    const result = await runAgainst(oneAtATime, responseMs);
    expect(viewOf(createReport(result)).isOk).toBe(true);
    const budgetSeconds = Number(/--budget (\d+)/.exec(result.timeAdvice!)![1]);
    const longer = await runAgainst(oneAtATime, responseMs, budgetSeconds * 1000);
    expect(longer.timeAdvice).toBeUndefined();
  },
);

test('a run against a very slow backend ends with its budget, and has judged MUST checks first', async () => {
  const result = await runAgainst(oneAtATime, 1_500);
  const late = result.results.filter(({ note }) => note?.startsWith('lack of time; --budget'));
  expect(late.length).toBeGreaterThan(100);
  const levels = result.results.slice(-100).map(({ check }) => check.level);
  expect(levels.lastIndexOf('MUST')).toBe(levels.findIndex((level) => level !== 'MUST') - 1);
  const { isOk, notJudged, causes } = viewOf(createReport(result));
  expect(isOk).toBe(false);
  expect(notJudged).toEqual([
    [
      expect.stringMatching(/^Not judged for lack of time: \d+ checks; --budget \d+ judges them$/),
      expect.stringMatching(/^.+ and \d+ more$/),
    ],
  ]);
  expect(causes.map(({ id }) => id)).toEqual(['REACH-10']);
});
