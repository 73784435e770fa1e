import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { checkJourney, checkWalk } from '../journeys/journey.ts';
import { accountSteps, arrival, projectSteps } from '../journeys/steps.ts';
import type { RunContext } from '../run-context.ts';
import { Blocked, CheckFailed } from '../verdict.ts';
import { launchBrowser } from '../../model/chromium.ts';
import { createPageBrowser } from './page-browser.ts';

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
  const createBrowser = () => createPageBrowser(newContext, screenTimeoutMs, onLook);
  try {
    const journey = await checkJourney(context, Object.keys(arrival), createBrowser);
    const projects = { steps: projectSteps, maxSteps: 24, maxAttempts };
    await checkWalk(context, journey, projects);
    const accounts = { steps: accountSteps, maxSteps: 30, maxHashes: 10, maxAttempts };
    await checkWalk(context, journey, accounts);
  } catch (error) {
    if (isThrottled)
      throw new Blocked('the backend throttles what the app sends: lift the limit for this run');
    if (!(error instanceof CheckFailed) || !lastPage) throw error;
    mkdirSync(screenshotFolder, { recursive: true });
    const file = 'screen-1.png';
    const path = join(screenshotFolder, file);
    await lastPage.screenshot({ path });
    context.screenshots.push({ id: 'UI-1', file });
    for (const problem of error.problems) problem.userSees = `see ${path}`;
    throw error;
  } finally {
    await browser.close();
  }
}
