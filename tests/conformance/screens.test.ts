import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../../conformance/run.ts';
import { prepareUi } from '../../conformance/ui/prepare.ts';
import { temporaryFolder } from '../server/support.ts';
import { longWaitMs } from '../support/time-limits.ts';
import { startReferenceServer } from '../support/reference-server.ts';
import {
  errorResponse,
  interceptRequests,
  interceptResponses,
  isOperation,
  withBody,
} from './selftest/fault-builders.ts';
import { startFaultProxy, type Middleware } from './selftest/fault-proxy.ts';
import { TestClock } from './selftest/test-clock.ts';

const noFault: Middleware = (request, next) => next(request);

/** Changes titles for the browser, and not for the requests of the kit itself. */
const changedTitles = interceptResponses(
  (response, request) =>
    !String(request.headers['user-agent']).includes('tracker-conformance') &&
    isOperation(request, 'listProjects') &&
    response.status === 200 &&
    withBody(response, String(response.body).replaceAll('"title":"', '"title":"Not ')),
);

async function runInBrowser(middleware: Middleware) {
  const reference = await startReferenceServer({ trustedProxies: ['127.0.0.1'] });
  onTestFinished(reference.stop);
  const { origin, stop } = await startFaultProxy(reference.origin, middleware, '10.4.0.1');
  onTestFinished(stop);
  const folder = temporaryFolder();
  const ui = await prepareUi(folder);
  const { results, context } = await run({
    origin,
    only: ['UI-1'],
    ui: { ...ui, screenTimeoutMs: longWaitMs },
    clock: new TestClock(),
  });
  return { result: results[0]!, screenshots: context.screenshots, folder };
}

test('the app completes every journey with the reference server', async () => {
  const { result, screenshots } = await runInBrowser(noFault);
  expect(result).toMatchObject({ status: 'passed', problems: [] });
  expect(screenshots).toEqual([]);
});

test('the kit saves a screenshot of the screen that fails twice', async () => {
  const { result, screenshots, folder } = await runInBrowser(changedTitles);
  expect(result.status).toBe('failed');
  expect(result.problems.map(({ description }) => description)).toEqual([
    expect.stringMatching(
      /^On the second visit, the list lacks the project created on the first visit\. Steps of the person: registers; signs in; creates a project; /,
    ),
  ]);
  const png = readFileSync(join(folder, screenshots[0]!.file));
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  expect(result.problems[0]!.userSees).toBe(`see ${join(folder, screenshots[0]!.file)}`);
});

test('a backend that throttles the browser is no failure', async () => {
  const { result } = await runInBrowser(
    interceptRequests(
      (request) =>
        isOperation(request, 'login') && errorResponse(429, 'Too many attempts. Please wait.'),
    ),
  );
  expect(result).toMatchObject({ status: 'blocked', problems: [] });
  expect(result.note).toBe('the backend throttles what the app sends: lift the limit for this run');
});
