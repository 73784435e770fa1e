import { waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { authExpectations, projectsExpectations } from '../../../model/expectations.ts';
import { authPaths, projectsPaths } from '../../../model/moves.ts';
import { createOracle } from '../../../model/oracle.ts';
import { unreachableForUsers } from '../../../model/unreachable.ts';
import { walk } from '../../../model/walk.ts';
import { createCoverage } from './coverage.ts';
import { createScreensDriver } from './screens-driver.tsx';

const paths = { auth: authPaths(), projects: projectsPaths() };
const pathCount = paths.auth.length + paths.projects.length;
const coverage = createCoverage('screens', pathCount, unreachableForUsers);
const options = {
  onStep: coverage.onStep,
  // Without the document, which Testing Library appends to the message.
  retry: (compare: () => Promise<void>) => waitFor(compare, { onTimeout: (error) => error }),
};

test.each(paths.auth)('auth agrees with the rendered screens: $name', async (path) => {
  const expectations = authExpectations;
  const driver = await createScreensDriver(expectations.start);
  const oracle = createOracle(expectations.start);
  expect(await walk({ path, driver, oracle, expectations, ...options })).toBe(path.steps.length);
  coverage.completePath();
});

test.each(paths.projects)('projects agrees with the rendered screens: $name', async (path) => {
  const expectations = projectsExpectations;
  const driver = await createScreensDriver(expectations.start);
  const oracle = createOracle(expectations.start);
  expect(await walk({ path, driver, oracle, expectations, ...options })).toBe(path.steps.length);
  coverage.completePath();
});
