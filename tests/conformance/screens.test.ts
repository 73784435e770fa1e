import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../../conformance/run.ts';
import { prepareUi } from '../../conformance/ui/prepare.ts';
import { temporaryFolder } from '../server/support.ts';
import { hangLimitMs } from '../support/hang-limit.ts';
import { startReferenceServer } from '../support/reference-server.ts';
import { errorResponse, interceptResponses } from './selftest/fault-builders.ts';
import { startFaultProxy, type Middleware } from './selftest/fault-proxy.ts';
import { TestClock } from './selftest/test-clock.ts';

const noFault: Middleware = (request, next) => next(request);

/** Inverts each response to the browser, but not to the requests that create preconditions. */
const invertedResponses = interceptResponses(
  ({ status }, { headers }) =>
    !String(headers['user-agent']).includes('tracker-conformance') &&
    errorResponse(status < 400 ? 503 : 200, 'Inverted.'),
);

async function runInBrowser(middleware: Middleware) {
  const reference = await startReferenceServer({ trustedProxies: ['127.0.0.1'] });
  onTestFinished(reference.stop);
  const { origin, stop } = await startFaultProxy(reference.origin, middleware, '10.4.0.1');
  onTestFinished(stop);
  const folder = temporaryFolder();
  const ui = await prepareUi(folder);
  if ('missing' in ui) throw new Error(ui.missing);
  const { results, context } = await run({
    origin,
    only: ['UI-1'],
    ui: { ...ui, screenTimeoutMs: hangLimitMs },
    clock: new TestClock(),
  });
  return { result: results[0]!, screenshots: context.screenshots, folder };
}

test('the app completes every journey with the reference server', async () => {
  const { result, screenshots } = await runInBrowser(noFault);
  expect(result).toMatchObject({ status: 'passed', problems: [] });
  expect(result.exchanges.length).toBeGreaterThan(0);
  expect(screenshots).toEqual([]);
});

test('the kit saves a screenshot of each screen that differs from the model', async () => {
  const { result, screenshots, folder } = await runInBrowser(invertedResponses);
  expect(result.status).toBe('failed');
  expect(result.problems[0]!.description).toMatch(
    /In the browser, on the journey .* signing in should be refused, but the response is 200/,
  );
  // After five failed journeys, the last problem says that the rest was left out.
  expect([screenshots.length, result.problems.length]).toEqual([5, 6]);
  expect(result.problems.at(-1)?.description).toMatch(/were not executed/);
  const png = readFileSync(join(folder, screenshots[0]!.file));
  expect(png.subarray(1, 4).toString()).toBe('PNG');
});
