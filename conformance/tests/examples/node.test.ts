import { expect, test } from 'vitest';
import { startExample } from '../backends/examples.ts';
import { runKit, unmetChecks } from '../backends/run-kit.ts';

test('the example of plain node:http meets every MUST and SHOULD', async () => {
  const start = () => startExample(process.execPath, 'node-http/server.mjs');
  expect(unmetChecks(await runKit(start))).toEqual([]);
});
