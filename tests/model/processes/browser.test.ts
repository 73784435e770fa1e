import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { launchBrowser } from '../../../conformance/ui/chromium.ts';
import { unreachableForUsers } from '../../../model/unreachable.ts';
import { coverage } from '../coverage.ts';
import { authPaths, fewCoverageItems, projectsPaths } from '../../../model/moves.ts';
import { createOracle } from '../../../model/oracle.ts';
import { showingAuth, showingProjects } from '../../../model/expectations.ts';
import { walk } from '../walk.ts';
import { browserHands, builtApp } from './browser-driver.ts';

// One page for all paths: the app starts anew on it for each.
let browser: Browser;
let page: Page;
let files: Awaited<ReturnType<typeof builtApp>>;
beforeAll(async () => {
  [files, browser] = await Promise.all([builtApp(), launchBrowser()]);
  page = await browser.newPage();
});
afterAll(() => browser.close());

const ofAuth = authPaths(fewCoverageItems);
const ofProjects = projectsPaths(fewCoverageItems);
const walked = coverage('browser', ofAuth.length + ofProjects.length, unreachableForUsers);
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 30_000, interval: 20 });

test.each(ofAuth)('auth in the browser: $name', async (path) => {
  const { start } = showingAuth;
  const [hands, oracle] = [await browserHands(page, files, start), createOracle(start)];
  const held = await walk({ path, hands, showing: showingAuth, oracle, coverage: walked, until });
  expect(held).toBe(path.steps.length);
});

test.each(ofProjects)('projects in the browser: $name', async (path) => {
  const { start } = showingProjects;
  const [hands, oracle] = [await browserHands(page, files, start), createOracle(start)];
  const showing = showingProjects;
  const held = await walk({ path, hands, showing, oracle, coverage: walked, until });
  expect(held).toBe(path.steps.length);
});
