/** Runs checks alone, which takes milliseconds. `faults.test.ts` runs all of them together. */
import { expect, test } from 'vitest';
import { checks } from '../checks/all.ts';
import { exemplary, startBackend } from './backends/backend.ts';
import { faults } from './backends/faults/all.ts';
import { firstFinding } from './backends/first-finding.ts';
import type { TestClock } from './backends/test-clock.ts';
import { oddities, validVariants } from './backends/variants.ts';

/** Checks with large bodies or many projects. */
const slowChecks = /^(ERR-16|PROJECT-(5|9)|TEXT-16)$/;

/** Faults that show only in the requests of several checks. */
const sharedFaults = /^(ACCOUNT-2: after four sign-ins|PROJECT-1: a list of more than 10)/;

/** Of the checks that inspect all requests, those that find a problem alone. */
const inspecting = /^(COOKIE-1|LEAK-2|PROJECT-22)$/;

const quickChecks = checks.filter(
  ({ id, inspects }) => inspecting.test(id) || (!inspects && !slowChecks.test(id)),
);
const quickFaults = faults.filter(
  ({ id, name }) => quickChecks.some((check) => check.id === id) && !sharedFaults.test(name),
);

test('users may have projects with the same ids', async () => {
  const numbered = oddities['the projects of each user are numbered from 1']!;
  const start = (clock: TestClock) => startBackend(clock, exemplary, numbered);
  expect(await firstFinding(start, { only: ['PROJECT-22'] })).toEqual([]);
});

test('an app of another origin needs no token where its origin is known', async () => {
  const name = 'a token is required of its own origin only';
  const { start, appOrigin } = validVariants.find((variant) => variant.name === name)!;
  expect(await firstFinding(start, { appOrigin, only: ['XSRF-5'] })).toEqual([]);
});

test.each(quickFaults.map((fault) => [fault.name, fault] as const))(
  'a check finds alone: %s',
  async (_name, { id, change }) => {
    const start = (clock: TestClock) => startBackend(clock, exemplary, change);
    expect((await firstFinding(start, { only: [id] }))[0]).toBe(id);
  },
);
