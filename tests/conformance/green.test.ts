import { expect, onTestFinished, test } from 'vitest';
import { createReport } from '../../conformance/report/create-report.ts';
import { run } from '../../conformance/run.ts';
import { callNames } from '../../model/calls.ts';
import { freshDatabase, startServer, storeNames } from '../server/support.ts';
import { unmetChecks } from './selftest/run-fault.ts';
import { validVariants } from './selftest/valid-variants.ts';
import { exampleServers } from './selftest/wrong-servers.ts';
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
  expect(totals.transitions.missing).toEqual([]);
  expect(totals.states.covered).toBe(totals.states.total);
});

const namedExamples = exampleServers.map(({ name, start }) => [name, start] as const);

test.each(namedExamples)('the example in %s meets every MUST and SHOULD', async (_name, start) => {
  const { origin, stop } = await start();
  onTestFinished(stop);
  expect(unmetChecks(await run({ origin, clock: new TestClock() }))).toEqual([]);
});

const namedVariants = validVariants.map((variant) => [variant.name, variant] as const);

test.each(namedVariants)('the kit passes a correct backend: %s', async (_name, variant) => {
  const { origin, stop } = await variant.start();
  onTestFinished(stop);
  const result = await run({
    origin,
    appOrigin: variant.appOrigin,
    clock: new TestClock(),
  });
  expect(unmetChecks(result, ['MUST'])).toEqual([]);
  const cors = result.results.filter(({ check }) => ['CORS-1', 'CORS-2'].includes(check.id));
  expect(cors.map(({ status }) => status)).toEqual(
    variant.appOrigin ? ['passed', 'passed'] : ['skipped', 'skipped'],
  );
});
