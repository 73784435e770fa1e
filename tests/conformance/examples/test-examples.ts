import { expect, onTestFinished, test } from 'vitest';
import { run } from '../../../conformance/run.ts';
import { exampleServers } from '../selftest/examples.ts';
import { unmetChecks } from '../selftest/run-fault.ts';
import { TestClock } from '../selftest/test-clock.ts';

/** Tests the examples that need the runtime. Without one: those that need none. */
export function testExamples(runtime?: (typeof exampleServers)[number]['runtime']) {
  const named = exampleServers
    .filter((example) => example.runtime === runtime)
    .map(({ name, start }) => [name, start] as const);

  test.each(named)('the example in %s meets every MUST and SHOULD', async (_name, start) => {
    const { origin, stop } = await start();
    onTestFinished(stop);
    expect(unmetChecks(await run({ origin, clock: new TestClock() }))).toEqual([]);
  });
}
