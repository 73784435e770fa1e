import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { launchBrowser } from '../../../../model/chromium.ts';
import { authExpectations, projectsExpectations } from '../../../../model/expectations.ts';
import { authPaths, coarseCoverageItems, projectsPaths } from '../../../../model/moves.ts';
import { createOracle } from '../../../../model/oracle.ts';
import { unreachableForUsers } from '../../../../model/unreachable.ts';
import { walk } from '../../../../model/walk.ts';
import { longWaitMs } from '../../../support/time-limits.ts';
import { createCoverage } from '../coverage.ts';
import { createBrowserDriver } from './browser-driver.ts';

// One page for all paths: the app restarts on it for each.
let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = await launchBrowser();
  page = await browser.newPage();
});
afterAll(() => browser.close());

const paths = {
  auth: authPaths(coarseCoverageItems),
  projects: projectsPaths(coarseCoverageItems),
};
const pathCount = paths.auth.length + paths.projects.length;
const coverage = createCoverage('browser', pathCount, unreachableForUsers);
const options = {
  onStep: coverage.onStep,
  retry: (compare: () => Promise<void>) =>
    vi.waitFor(compare, { timeout: longWaitMs, interval: 20 }),
};

test.each(paths.auth)('auth agrees with the built app: $name', async (path) => {
  const expectations = authExpectations;
  const driver = await createBrowserDriver(page, expectations.start);
  const oracle = createOracle(expectations.start);
  expect(await walk({ path, driver, oracle, expectations, ...options })).toBe(path.steps.length);
  coverage.completePath();
});

test.each(paths.projects)('projects agrees with the built app: $name', async (path) => {
  const expectations = projectsExpectations;
  const driver = await createBrowserDriver(page, expectations.start);
  const oracle = createOracle(expectations.start);
  expect(await walk({ path, driver, oracle, expectations, ...options })).toBe(path.steps.length);
  coverage.completePath();
});
