import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { createScreenDriver, waitForApp } from '../../model/browser-driver.ts';
import { isScreenBusy } from '../../model/observation.ts';
import { checkJourney, checkWalk } from '../journeys/journey.ts';
import { accountSteps, arrival, hashesOf, projectSteps, type App } from '../journeys/steps.ts';
import type { RunContext } from '../people/run-context.ts';
import { Blocked, CheckFailed } from '../problems/problem.ts';
import { launchBrowser } from './chromium.ts';

/** Fewer than without screens, which are slow. */
const maxAttempts = 6;

/** Lets people use the screens of the built app. Takes a screenshot of a failure. */
export async function walkScreens(context: RunContext, ui: NonNullable<RunContext['ui']>) {
  const { appFolder, screenshotFolder, screenTimeoutMs = 5_000 } = ui;
  const browser = await launchBrowser();
  let lastPage: Page | undefined;
  const onLook = (page: Page) => (lastPage = page);
  let isThrottled = false;

  /** The pages come from the origin of the backend, which gets the requests to `/api` only. */
  async function newContext() {
    const pages = await browser.newContext({ baseURL: context.origin, ignoreHTTPSErrors: true });
    const isOfApp = ({ pathname }: URL) => !pathname.startsWith('/api');
    await pages.route(isOfApp, (route) => {
      const path = join(appFolder, new URL(route.request().url()).pathname);
      const isFile = statSync(path, { throwIfNoEntry: false })?.isFile();
      return route.fulfill({ path: isFile ? path : join(appFolder, 'index.html') });
    });
    pages.on('response', (response) => (isThrottled ||= response.status() === 429));
    return pages;
  }
  function createBrowser() {
    const pages = newContext();
    return async () => openPage(await pages, screenTimeoutMs, onLook);
  }
  try {
    const journey = await checkJourney(context, Object.keys(arrival), createBrowser);
    const projects = { steps: projectSteps, maxSteps: 24, maxAttempts };
    await checkWalk(context, journey, projects);
    const accounts = {
      steps: accountSteps,
      maxSteps: 30,
      maxHashes: hashesOf(accountSteps),
      maxAttempts,
    };
    await checkWalk(context, journey, accounts);
  } catch (error) {
    if (isThrottled)
      throw new Blocked('the backend throttles what the app sends: lift the limit for this run');
    if (!(error instanceof CheckFailed) || !lastPage) throw error;
    mkdirSync(screenshotFolder, { recursive: true });
    const file = 'screen-1.png';
    const path = join(screenshotFolder, file);
    await lastPage.screenshot({ path });
    for (const problem of error.problems)
      Object.assign(problem, { userSees: `see ${path}`, screenshot: file });
    throw error;
  } finally {
    await browser.close();
  }
}

/** Opens the built app on a new page. Calls `onLook` whenever the page is looked at. */
async function openPage(
  context: BrowserContext,
  timeoutMs: number,
  onLook: (page: Page) => void,
): Promise<App> {
  const page = await context.newPage();
  page.setDefaultTimeout(Math.max(timeoutMs, 10_000));
  const pending = trackRequests(page);
  await page.goto('/');
  await waitForApp(page);
  const driver = createScreenDriver(page, async () => {});
  return {
    ...driver,
    async settle(path) {
      onLook(page);
      const deadline = performance.now() + timeoutMs;
      // Twice in a row, because the page renders a little later than it receives a response.
      for (let idleCount = 0; ; await delay(5)) {
        const screen = await driver.observe();
        const isIdle = pending.size === 0 && !isScreenBusy(screen);
        const isFinal = !path || screen.path === path || screen.banner !== undefined;
        idleCount = isIdle && isFinal ? idleCount + 1 : 0;
        if (idleCount === 2 || performance.now() > deadline) return screen;
      }
    },
    close: () => page.close(),
  };
}

/** Returns the API requests of the page that have no response yet. */
function trackRequests(page: Page): Set<Request> {
  const pending = new Set<Request>();
  const remove = (request: Request) => void pending.delete(request);
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.startsWith('/api/')) pending.add(request);
  });
  page.on('requestfinished', remove);
  page.on('requestfailed', remove);
  return pending;
}
