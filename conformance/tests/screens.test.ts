import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepareUi } from '../ui/prepare.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { longWaitMs } from '../../testing/time-limits.ts';
import { exemplary, startBackend, type Change } from './backends/backend.ts';
import * as change from './backends/changes.ts';
import { runKit } from './backends/run-kit.ts';
import type { TestClock } from './backends/test-clock.ts';

/** Changes titles for the browser, and not for the requests of the kit itself. */
const changedTitles = change.responsesTo(
  'listProjects',
  200,
  (response, request) =>
    !String(request.headers['user-agent']).includes('tracker-conformance') && {
      ...response,
      body: String(response.body).replaceAll('"title":"', '"title":"Not '),
    },
);

async function runInBrowser(...changes: Change[]) {
  const folder = temporaryFolder();
  const ui = { ...(await prepareUi(folder)), screenTimeoutMs: longWaitMs };
  const start = (clock: TestClock) => startBackend(clock, exemplary, ...changes);
  const { results } = await runKit(start, { only: ['UI-1'], ui });
  return { result: results[0]!, folder };
}

test('the app completes every journey with a correct backend', async () => {
  const { result } = await runInBrowser();
  expect(result).toMatchObject({ status: 'passed', problems: [] });
});

test('the kit saves a screenshot of the screen that fails twice', async () => {
  const { result, folder } = await runInBrowser(changedTitles);
  expect(result.status).toBe('failed');
  expect(result.problems).toMatchObject([
    {
      description: 'On the second visit, the list lacks the project of the first visit.',
      detail: expect.stringContaining('person: registers; signs in; creates a project; '),
    },
  ]);
  const { screenshot, userSees } = result.problems[0]!;
  const png = readFileSync(join(folder, screenshot!));
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  expect(userSees).toBe(`see ${join(folder, screenshot!)}`);
});

test('a backend that throttles the browser is no failure', async () => {
  const { result } = await runInBrowser(
    change.requestsTo('login', () => change.error(429, 'Too many attempts. Please wait.')),
  );
  expect(result).toMatchObject({ status: 'blocked', problems: [] });
  expect(result.note).toBe('the backend throttles what the app sends: lift the limit for this run');
});
