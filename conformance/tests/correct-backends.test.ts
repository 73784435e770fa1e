import { expect, test } from 'vitest';
import { createReport } from '../report/create-report.ts';
import { viewOf } from '../report/summary.ts';
import { renderTerminal } from '../report/terminal.ts';
import { run } from '../checks/run.ts';
import { callNames } from '../../model/calls.ts';
import { freshDatabase, storeNames } from '../../testing/server-fixtures.ts';
import { startReferenceServer } from '../../testing/reference-server.ts';
import { exemplary, startBackend } from './backends/backend.ts';
import { runKit, unmetChecks } from './backends/run-kit.ts';
import { TestClock } from './backends/test-clock.ts';
import { oddities, validVariants } from './backends/variants.ts';

/** The MUST checks that need not apply to the reference server, and why. */
const optional: Record<string, string> = {
  'CORS-1': 'the app has the same origin',
  'CORS-2': 'the app has the same origin',
  'ERR-4': 'the contract allows a blank text',
};

test.each(storeNames)('the reference server on %s meets every MUST and SHOULD', async (name) => {
  const openDatabase = await freshDatabase(name);
  const result = await runKit(() => startReferenceServer({ database: openDatabase() }));
  expect(unmetChecks(result)).toEqual([]);
  const skipped = result.results.filter(
    ({ status, check }) => status === 'skipped' && check.level === 'MUST' && !optional[check.id],
  );
  expect(skipped.map(({ check, note }) => `${check.id}: ${note}`)).toEqual([]);
  expect(callNames.filter((call) => result.successes[call] === 0)).toEqual([]);
});

test('the backend to which faults are added meets every MUST and SHOULD', async () => {
  expect(unmetChecks(await runKit((clock) => startBackend(clock, exemplary)))).toEqual([]);
});

test.each(Object.entries(oddities))(
  'a backend with an oddity meets every MUST and SHOULD: %s',
  async (_name, change) => {
    expect(unmetChecks(await runKit((clock) => startBackend(clock, exemplary, change)))).toEqual(
      [],
    );
  },
);

test('an app of the same origin needs no CORS', async () => {
  const { origin, stop } = await startBackend(new TestClock(), exemplary);
  const result = await run({ origin, appOrigin: origin, only: ['CORS'] }).finally(stop);
  expect(unmetChecks(result)).toEqual([]);
});

const namedVariants = validVariants.map((variant) => [variant.name, variant] as const);

test.each(namedVariants)('the kit passes a correct backend: %s', async (_name, variant) => {
  const { appOrigin, isPatient, start } = variant;
  const result = await runKit(start, { appOrigin, isPatient });
  expect(unmetChecks(result, ['MUST'])).toEqual([]);
  const cors = result.results.filter(({ check }) => ['CORS-1', 'CORS-2'].includes(check.id));
  const status = appOrigin ? 'passed' : 'skipped';
  expect(cors.map((each) => each.status)).toEqual([status, status]);
});

test.each(namedVariants.filter(([, { isPatient }]) => isPatient))(
  'without --wait, nothing of a throttling backend counts as a failure: %s',
  async (_name, { start }) => {
    const result = await runKit(start);
    const failed = result.results.filter(({ status }) => status === 'failed');
    expect(failed.filter(({ check }) => check.level === 'MUST')).toEqual([]);
    expect(createReport(result).notJudged[0]!.reason).toMatch(
      /^The backend asks to wait: (GET|POST) \S+ responds with \d+ and .*Lift the limit .*--wait/,
    );
    const report = createReport(result);
    expect(renderTerminal(report)).toMatch(
      /^\nNot judged: [A-Z].*\n {2}because the backend asks to wait/,
    );
    const blocked = result.results.filter(({ status }) => status === 'blocked');
    const listed = report.notJudged.flatMap(({ ids }) => ids);
    expect(listed.toSorted()).toEqual(blocked.map(({ check }) => check.id).toSorted());
    expect(report.verdict).toContain('incomplete');
    expect(viewOf(report).isOk).toBe(false);
  },
);
