import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createJourneyLog, walkJourney } from '../journeys/coverage.ts';
import { authJourneys, projectsJourneys, sharedPasswords } from '../journeys/paths.ts';
import type { Preconditions } from '../journeys/preconditions.ts';
import type { RunContext, Screenshot } from '../run-context.ts';
import { createProblem, type Problem } from '../verdict.ts';
import { createBrowserDriver } from './browser-driver.ts';
import { launchBrowser } from './chromium.ts';
import { startProxy } from './proxy.ts';

/** The walk stops after these, because more failures take minutes and add nothing. */
const maxFailures = 5;
const defaultScreenTimeoutMs = 3_000;
const minPageTimeoutMs = 10_000;

/** Executes all journeys on the screens of the built app. Takes a screenshot of each failure. */
export async function walkScreens(
  context: RunContext,
  preconditions: Preconditions,
  isPossible: (move: string) => boolean,
  {
    appFolder,
    screenshotFolder,
    screenTimeoutMs = defaultScreenTimeoutMs,
  }: NonNullable<RunContext['ui']>,
): Promise<{ problems: Problem[]; screenshots: Screenshot[] }> {
  const proxy = await startProxy(appFolder, context.origin);
  const browser = await launchBrowser();
  const problems: Problem[] = [];
  const screenshots: Screenshot[] = [];
  try {
    const browserContext = await browser.newContext();
    const page = await browserContext.newPage();
    page.setDefaultTimeout(Math.max(screenTimeoutMs, minPageTimeoutMs));
    await page.clock.install();
    const log = createJourneyLog();
    const paths = [
      ...authJourneys(context.fixtures, isPossible, 'screen'),
      ...projectsJourneys(context.fixtures, isPossible),
      // The clock of a page is not exact to the millisecond, as these moves require.
    ].filter(({ moves }) => !moves.some((move) => move.startsWith('elapse')));
    for (const path of paths) {
      if (problems.length === maxFailures) {
        problems.push(createProblem('The remaining journeys were not executed. Fix these first.'));
        break;
      }
      const { name, failure } = await walkJourney(
        path as never,
        () => createBrowserDriver(preconditions, browserContext, page, proxy),
        log,
        sharedPasswords(context.fixtures),
        (compare) => retryUntilTimeout(compare, screenTimeoutMs),
      );
      if (!failure) continue;
      mkdirSync(screenshotFolder, { recursive: true });
      const file = `screen-${screenshots.length + 1}.png`;
      const screenshotPath = join(screenshotFolder, file);
      await page.screenshot({ path: screenshotPath }).catch(() => undefined);
      screenshots.push({ id: 'UI-1', file });
      problems.push(
        createProblem(
          `In the browser, on the journey "${name}", at "${failure.move}": ${failure.message}.`,
          [],
          `see ${screenshotPath}`,
        ),
      );
    }
  } finally {
    await browser.close();
    proxy.stop();
  }
  return { problems, screenshots };
}

/** Repeats a comparison that throws, because the screen updates asynchronously. */
async function retryUntilTimeout(compare: () => Promise<void>, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, 200)) {
    try {
      return await compare();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(pauseMs);
    }
  }
}
