import { expect, onTestFinished, test } from 'vitest';
import { createReport } from '../../conformance/report/create-report.ts';
import { run } from '../../conformance/run.ts';
import { validVariants } from './selftest/valid-variants.ts';
import { troubleIn } from './selftest/run-fault.ts';
import { examples } from './selftest/wrong-servers.ts';
import { freshDatabase, startServer, storeNames } from '../server/support.ts';

test.each(storeNames)('our own backend on %s meets every MUST and every SHOULD', async (name) => {
  const open = await freshDatabase(name);
  const origin = await startServer({ database: open() });
  const done = await run({ origin });
  expect(notMet(done)).toEqual([]);
  const { totals } = createReport(done);
  expect(totals.operations).toEqual({ covered: 4, total: 4 });
  expect(totals.transitions.missing).toEqual([]);
  expect(totals.states.covered).toBe(totals.states.total);
});

test.each(examples)('the example in $name meets every MUST and every SHOULD', async ({ start }) => {
  const backend = await start();
  onTestFinished(backend.stop);
  expect(notMet(await run({ origin: backend.address }))).toEqual([]);
});

test.each(validVariants)('a correct backend is not failed: $name', async ({ start, origin }) => {
  const backend = await start();
  onTestFinished(backend.stop);
  const done = await run({ origin: backend.address, appOrigin: origin });
  expect(troubleIn(done)).toEqual([]);
  const cors = done.results.filter(({ check }) => ['CORS-1', 'CORS-2'].includes(check.id));
  expect(cors.map(({ status }) => status)).toEqual(
    origin ? ['passed', 'passed'] : ['skipped', 'skipped'],
  );
});

function notMet({ results }: Awaited<ReturnType<typeof run>>): string[] {
  return results
    .filter(({ status }) => status === 'failed' || status === 'blocked')
    .map(({ check, problems, note }) => `${check.id}: ${problems[0]?.description ?? note}`);
}
