import { expect, test } from 'vitest';
import { maxRunMs } from '../http/client.ts';
import { nameOf } from '../http/project-texts.ts';
import { outOfTime } from '../http/record.ts';
import { createReport } from '../report/create-report.ts';
import { viewOf } from '../report/summary.ts';
import { renderTerminal } from '../report/terminal.ts';
import { run, type CheckResult } from '../checks/run.ts';
import { exemplary, startBackend, type Change } from './backends/backend.ts';
import { error, jsonOf, requestsTo, respond } from './backends/changes.ts';
import { faults } from './backends/faults/all.ts';
import { requestsOf } from './backends/run-kit.ts';
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

/** Runs the kit, by default for fifteen minutes. */
async function runAgainst(slow: SlowBackend, responseMs: number, limitMs = maxRunMs) {
  const clock = new TestClock();
  const { origin, stop } = await startBackend(clock, exemplary, slow(clock, responseMs));
  const result = await run({ origin, clock, limitMs }).finally(stop);
  expect(clock.now()).toBeLessThanOrEqual(limitMs + responseMs);
  return result;
}

const isLate = ({ reason }: CheckResult) => reason?.limit === 'time';

/** Faults in lists, connections and times. */
const sample = [
  'PROJECT-4: the list lacks the newest project',
  'SIGNIN-17: two processes with a database each take turns',
  'SIGNIN-5: an unknown email is refused much faster than a wrong password',
];

const sampleFaults = faults.filter(({ name }) => sample.includes(name));

test.each([{ name: 'none', id: undefined, change: () => ({}), only: [] }, ...sampleFaults])(
  'requests and report are the same, however long a response takes, with the fault $name',
  async ({ id, change, only }) => {
    const judge = async (slow: SlowBackend, responseMs: number) => {
      const clock = new TestClock();
      const { origin, stop } = await startBackend(
        clock,
        exemplary,
        change,
        slow(clock, responseMs),
      );
      const settings = { limitMs: 3_600_000, only, runId: 'abcdefghijk' };
      const ran = await run({ origin, clock, ...settings }).finally(stop);
      const { findings, notJudged } = createReport(ran);
      // REACH-10 judges the speed itself.
      const others = findings.filter((finding) => finding.id !== 'REACH-10');
      const text = JSON.stringify({ others, notJudged, requests: requestsOf(ran) }, undefined, 1);
      return text.replaceAll(new RegExp(`${origin}|[\\da-f]{21,}`, 'g'), '(random)').split('\n');
    };
    const fast = await judge(oneAtATime, 0);
    expect(fast.join('')).toContain(id ? `"id": "${id}"` : '"others": []');
    expect(await judge(oneAtATime, 250)).toEqual(fast);
    expect(await judge(oneAtATime, 1000)).toEqual(fast);
    expect(await judge(allAtOnce, 1000)).toEqual(fast);
  },
);

test.each([
  ['250 ms for each request in turn', oneAtATime, 250, maxRunMs / 3],
  ['1 s for each request in turn', oneAtATime, 1000, maxRunMs],
  ['1.5 s for requests at once', allAtOnce, 1500, maxRunMs],
])(
  'on a backend that takes %s, MUST checks are judged to the end, and late others are not judged',
  async (_case, slow, responseMs, limitMs) => {
    const { results, ...result } = await runAgainst(slow, responseMs, limitMs);
    const report = createReport({ results, ...result });
    expect(viewOf(report).isOk).toBe(true);
    expect(report.totals.must).toMatchObject({ blocked: 0, notJudged: 0 });
    const late = results.filter(isLate);
    const optional = results.filter(({ check }) => check.level !== 'MUST' && !check.inspects);
    expect(late).toEqual(optional.slice(-late.length));
    for (const { status, exchanges } of late)
      expect({ status, exchanges }).toEqual({ status: 'blocked', exchanges: [] });
    const ids = late.filter(({ check }) => check.level === 'SHOULD').map(({ check }) => check.id);
    expect(ids.length).toBeGreaterThan(50);
    expect(report.totals.should).toMatchObject({ blocked: 0, notJudged: ids.length });
    expect(report.notJudged).toEqual([{ reason: outOfTime.words, limit: 'time', ids }]);
    expect(report.verdict).toContain(`, but ${ids.length} SHOULD checks could not be judged: `);
  },
);

test('a run against a very slow backend ends, and no check passes after that', async () => {
  const result = await runAgainst(oneAtATime, 2_500);
  const ends = result.results.slice(result.results.findIndex(isLate));
  expect(ends.filter(({ status }) => status === 'passed')).toEqual([]);
  const report = createReport(result);
  expect(report.verdict).toMatch(
    /^The result is incomplete: \d+ MUST checks could not run for lack of time; --wait judges them\./,
  );
  expect(renderTerminal(report)).toMatch(
    /^\nNot judged: \d+ checks, for lack of time; --wait judges them\n {2}.+ and \d+ more\n/,
  );
  const { isOk, causes } = viewOf(report);
  expect(isOk).toBe(false);
  expect(causes.map(({ id }) => id)).toEqual(['REACH-10']);
});

test('a run against a backend whose sign-in takes six seconds ends within minutes', async () => {
  const slowSignIns: SlowBackend = (clock, responseMs) =>
    requestsTo('login', () => clock.increment(responseMs));
  const result = await runAgainst(slowSignIns, 6_000, 3_600_000);
  expect(result.context.http.clock.now()).toBeLessThan(5 * 60_000);
  expect(createReport(result).findings.map(({ id }) => id)).toEqual(['REACH-10']);
});

test('requests in flight at the failure of a check belong to that check', async () => {
  const clock = new TestClock();
  const refusesFirst = respond(async (request, next) => {
    const name = nameOf(jsonOf(request)) ?? '';
    if (name.startsWith('Project number 1 ')) return error(422, 'The name is taken.');
    if (name.startsWith('Project number ')) await untilQuiet();
    return next(request);
  });
  const { origin, stop } = await startBackend(clock, exemplary, refusesFirst);
  const result = await run({ origin, clock, only: ['PROJECT-9', 'PROJECT-5'] }).finally(stop);
  const sent = requestsOf(result)['PROJECT-9']!.filter((each) => each.includes('Project number '));
  expect(sent).toHaveLength(6);
});
