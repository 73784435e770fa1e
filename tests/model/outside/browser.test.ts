import { beforeAll, expect, test, vi } from 'vitest';
import { useBrowser } from '../../support/browser.ts';
import { notByAPerson } from '../beyond.ts';
import { coverage } from '../coverage.ts';
import { authPaths, fewPartsOf, projectsPaths } from '../models.ts';
import { oracleHands } from '../oracle.ts';
import { showingAuth, showingProjects } from '../seen.ts';
import { walk } from '../walk.ts';
import { browserHands, builtApp } from './browser-hands.ts';

const browser = useBrowser();
let files: Awaited<ReturnType<typeof builtApp>>;
beforeAll(async () => {
  files = await builtApp();
});

const ofAuth = authPaths(fewPartsOf);
const ofProjects = projectsPaths(fewPartsOf);
const walked = coverage('browser', ofAuth.length + ofProjects.length, notByAPerson);
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 10_000, interval: 20 });

test.each(ofAuth)('auth in the browser: $name', async (path) => {
  const { start } = showingAuth;
  const { page } = await browser.open();
  const [hands, oracle] = [await browserHands(page, files, start), oracleHands(start)];
  const held = await walk({ path, hands, showing: showingAuth, oracle, coverage: walked, until });
  expect(held).toBe(path.steps.length);
});

test.each(ofProjects)('projects in the browser: $name', async (path) => {
  const { start } = showingProjects;
  const { page } = await browser.open();
  const [hands, oracle] = [await browserHands(page, files, start), oracleHands(start)];
  const showing = showingProjects;
  const held = await walk({ path, hands, showing, oracle, coverage: walked, until });
  expect(held).toBe(path.steps.length);
});
