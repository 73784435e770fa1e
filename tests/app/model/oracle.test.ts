import { expect, test, vi } from 'vitest';
import { authExpectations, projectsExpectations } from '../../../model/expectations.ts';
import { authPaths, projectsModel, projectsPaths } from '../../../model/moves.ts';
import { createOracle } from '../../../model/oracle.ts';
import { createPath } from '../../../model/paths.ts';
import { walk } from '../../../model/walk.ts';
import { longTestMs } from '../../support/time-limits.ts';

vi.setConfig({ testTimeout: longTestMs });

test('auth agrees with the oracle on every path', async () => {
  const expectations = authExpectations;
  for (const path of authPaths()) {
    const driver = createOracle(expectations.start);
    expect(await walk({ path, driver, expectations })).toBe(path.steps.length);
  }
});

test('projects agrees with the oracle on every path', async () => {
  const expectations = projectsExpectations;
  for (const path of projectsPaths()) {
    const driver = createOracle(expectations.start);
    expect(await walk({ path, driver, expectations })).toBe(path.steps.length);
  }
});

test('a path signs in while the list is in view [CHOICE-47]', () => {
  const taken = projectsPaths().flatMap(({ steps }) =>
    steps.flatMap(({ inspection }) => inspection.transitions),
  );
  expect(taken).toContain('projects · list: user.changed [isSubscribed] → list.loading');
});

test('a closed screen ignores that it is closed', () => {
  const { steps } = createPath(projectsModel, [
    'projects.closed',
    'projects.opened',
    'projects.closed',
    'projects.closed',
    'subscriptionBatching over',
    'projects.closed',
  ]);
  expect(steps.flatMap(({ inspection }) => inspection.ignored)).toEqual(
    ['inactive', 'releasing', 'cached'].map(
      (state) => `projects · subscription.${state}: projects.closed changes nothing`,
    ),
  );
});
