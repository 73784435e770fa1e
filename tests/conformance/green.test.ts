import { expect, onTestFinished, test } from 'vitest';
import { createReport } from '../../conformance/report/create-report.ts';
import { viewOf } from '../../conformance/report/summary.ts';
import { renderTerminal } from '../../conformance/report/terminal.ts';
import { run } from '../../conformance/run.ts';
import { callNames } from '../../model/calls.ts';
import { freshDatabase, startServer, storeNames } from '../server/support.ts';
import { unmetChecks } from './selftest/run-fault.ts';
import { validVariants } from './selftest/valid-variants.ts';
import { TestClock } from './selftest/test-clock.ts';

test.each(storeNames)('the reference server on %s meets every MUST and SHOULD', async (name) => {
  const openDatabase = await freshDatabase(name);
  const result = await run({
    origin: await startServer({ database: openDatabase() }),
    clock: new TestClock(),
  });
  expect(unmetChecks(result)).toEqual([]);
  const { totals } = createReport(result);
  expect(totals.operations.covered).toBe(callNames.length);
});

const namedVariants = validVariants.map((variant) => [variant.name, variant] as const);

test.each(namedVariants)('the kit passes a correct backend: %s', async (_name, variant) => {
  const clock = new TestClock();
  const { origin, stop } = await variant.start(clock);
  onTestFinished(stop);
  const { appOrigin, isPatient } = variant;
  const result = await run({ origin, appOrigin, isPatient, clock });
  expect(unmetChecks(result, ['MUST'])).toEqual([]);
  const cors = result.results.filter(({ check }) => ['CORS-1', 'CORS-2'].includes(check.id));
  expect(cors.map(({ status }) => status)).toEqual(
    variant.appOrigin ? ['passed', 'passed'] : ['skipped', 'skipped'],
  );
});

const limited = validVariants.filter(({ isPatient }) => isPatient);

test.each(limited.map((variant) => [variant.name, variant] as const))(
  'without --wait, nothing of a throttling backend counts as a failure: %s',
  async (_name, variant) => {
    const clock = new TestClock();
    const { origin, stop } = await variant.start(clock);
    onTestFinished(stop);
    const result = await run({ origin, clock });
    const failed = result.results.filter(({ status }) => status === 'failed');
    expect(failed.filter(({ check }) => check.level === 'MUST')).toEqual([]);
    expect(result.context.http.throttling.advice).toMatch(
      /^The backend throttles: (GET|POST) \S+ responds with \d+ and .*Lift the limit .*--wait/,
    );
    expect(renderTerminal(createReport(result))).toMatch(
      /^\nNot judged: [A-Z].*\n {2}because the backend throttles/,
    );
    expect(createReport(result).verdict).toContain('incomplete');
    expect(viewOf(createReport(result)).isOk).toBe(false);
  },
);
