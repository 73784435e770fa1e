import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { launchBrowser } from '../../../conformance/ui/chromium.ts';
import { allPaths } from '../../../model/models.ts';
import { coverageForSlowDrivers } from '../../../model/paths.ts';
import { walk } from '../../../model/walk.ts';
import { longWaitMs } from '../../support/time-limits.ts';
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

const paths = allPaths(coverageForSlowDrivers);
const coverage = createCoverage(paths);

const retry = (compare: () => Promise<void>) =>
  vi.waitFor(compare, { timeout: longWaitMs, interval: 20 });

test.each(paths.map((path) => [path.name, path] as const))(
  'the built app agrees with the oracle: %s',
  async (_, path) => {
    const driver = await createBrowserDriver(page, '/');
    expect(await walk(path, driver, retry)).toBe(path.events.length + 1);
    coverage.completePath(await driver.inspection());
  },
);
