import { expect, test } from 'vitest';
import { exampleServers } from '../backends/examples.ts';
import { runKit, unmetChecks } from '../backends/run-kit.ts';

/** Tests the examples that need the runtime. Without one: those that need none. */
export function testExamples(runtime?: (typeof exampleServers)[number]['runtime']) {
  const named = exampleServers
    .filter((example) => example.runtime === runtime)
    .map(({ name, start }) => [name, start] as const);

  test.each(named)('the example in %s meets every MUST and SHOULD', async (_name, start) => {
    expect(unmetChecks(await runKit(start))).toEqual([]);
  });
}
