import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { checkJourney, checkWalk } from '../journeys/journey.ts';
import { accountSteps, arrival, projectSteps } from '../journeys/steps.ts';
import type { RunContext } from '../run-context.ts';
import { Blocked, CheckFailed } from '../verdict.ts';
import { launchBrowser } from '../../model/chromium.ts';
import { createPageBrowser } from './page-browser.ts';

const defaultScreenTimeoutMs = 5_000;
/** Fewer than without screens, which are slow. */
const maxAttempts = 6;

/** Lets people use the screens of the built app. Takes a screenshot of a failure. */
export async function walkScreens(
  context: RunContext,
  {
    appFolder,
    screenshotFolder,
    screenTimeoutMs: timeoutMs = defaultScreenTimeoutMs,
  }: NonNullable<RunContext['ui']>,
) {
  const browser = await launchBrowser();
  let lastPage: Page | undefined;
  const onLook = (page: Page) => (lastPage = page);
  let isThrottled = false;
  const onStatus = (status: number) => (isThrottled ||= status === 429);
  const { origin } = context;
  const options = { browser, origin, appFolder, timeoutMs, onLook, onStatus };
  const createBrowser = () => createPageBrowser(options);
  try {
    const journey = await checkJourney(context, Object.keys(arrival), {}, createBrowser);
    const projects = { steps: projectSteps, maxSteps: 24, maxAttempts };
    await checkWalk(context, journey, projects, createBrowser);
    const accounts = { steps: accountSteps, maxSteps: 30, maxHashes: 10, maxAttempts };
    await checkWalk(context, journey, accounts, createBrowser);
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
