import { expect, test } from 'vitest';
import { createReport } from '../report/create-report.ts';
import { minMustMs } from '../http/client.ts';
import { viewOf } from '../report/summary.ts';
import { run } from '../run.ts';
import { exemplary, startBackend, type Change } from './backends/backend.ts';
import { isOperation, requests, respond } from './backends/changes.ts';
import { unmetChecks } from './backends/run-kit.ts';
import { TestClock, untilQuiet } from './backends/test-clock.ts';

/** Creates a backend that takes so long for each request. */
type SlowBackend = (clock: TestClock, responseMs: number) => Change;

const oneAtATime: SlowBackend = (clock, responseMs) => {
  let last: Promise<unknown> = Promise.resolve();
  return respond(async (request, next) => {
    // The response before has arrived by then.
    const turn = last.then(() => untilQuiet());
    last = turn;
    await turn;
    clock.increment(responseMs);
    return next(request);
  });
};

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

const slowHashes: SlowBackend = (clock, hashMs) =>
  requests((request) => {
    clock.increment(isOperation(request, 'login', 'registerUser') ? hashMs : 10);
    return undefined;
  });

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

test.each([
  ['200 ms for each request in turn', oneAtATime, 200],
  ['300 ms for each request in turn', oneAtATime, 300],
  ['1 s for each request in turn', oneAtATime, 1000],
  ['1.5 s for each request in turn', oneAtATime, 1500],
  ['300 ms for requests at once', allAtOnce, 300],
  ['1 s for requests at once', allAtOnce, 1000],
  ['1.5 s for requests at once', allAtOnce, 1500],
  ['3 s for each password in turn', slowHashes, 3000],
])(
  'on a backend that takes %s, every MUST check is judged, and the advised budget judges the others',
  async (_case, slow, responseMs) => {
    const result = await runAgainst(slow, responseMs);
    const report = createReport(result);
    expect(viewOf(report).isOk).toBe(true);
    expect(report.verdict).toMatch(
      /^The app works .*, but \d+ SHOULD checks could not be judged: /,
    );
    const budgetSeconds = Number(/--budget (\d+)/.exec(result.timeAdvice!)![1]);
    const longer = await runAgainst(slow, responseMs, budgetSeconds * 1000);
    expect(longer.timeAdvice).toBeUndefined();
  },
);

test('a run against a very slow backend ends with its budget, and has judged MUST checks first', async () => {
  const result = await runAgainst(oneAtATime, 2_500);
  const late = result.results.filter(({ note }) => note?.startsWith('lack of time; --budget'));
  expect(late.length).toBeGreaterThan(80);
  const levels = result.results.slice(-100).map(({ check }) => check.level);
  expect(levels.lastIndexOf('MUST')).toBe(levels.findIndex((level) => level !== 'MUST') - 1);
  const report = createReport(result);
  expect(report.verdict).toMatch(
    /^The result is incomplete: \d+ MUST checks could not run for lack of time; --budget \d+ judges them\./,
  );
  const { isOk, notJudged, causes } = viewOf(report);
  expect(isOk).toBe(false);
  expect(notJudged).toEqual([
    [
      expect.stringMatching(/^Not judged for lack of time: \d+ checks; --budget \d+ judges them$/),
      expect.stringMatching(/^.+ and \d+ more$/),
    ],
  ]);
  expect(causes.map(({ id }) => id)).toEqual(['REACH-10']);
});
