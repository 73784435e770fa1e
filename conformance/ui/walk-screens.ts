import { type Problem, problem } from '../verdict.ts';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchBrowser } from './chromium.ts';
import { accountPaths, projectPaths } from '../journeys/paths.ts';
import type { Preconditions } from '../journeys/preconditions.ts';
import { walkJourney } from '../journeys/walked.ts';
import type { RunContext } from '../run-context.ts';
import { createBrowserDriver } from './browser-driver.ts';
import { startProxy } from './proxy.ts';

export type Picture = { id: string; file: string };

/** Journeys that may fail before the others are left out: they would take minutes to say the same. */
const enough = 5;

/** Walks all journeys on the screens of the built app. Gives what was not as the model says, and a picture of each. */
export async function walkScreens(
  context: RunContext,
  stage: Preconditions,
  possible: (move: string) => boolean,
  { appFolder, screenshotFolder }: NonNullable<RunContext['ui']>,
): Promise<{ problems: Problem[]; pictures: Picture[]; steps: number }> {
  const proxy = await startProxy(appFolder, context.origin);
  const browser = await launchBrowser();
  const problems: Problem[] = [];
  const taken: Picture[] = [];
  let steps = 0;
  try {
    const browserContext = await browser.newContext();
    const page = await browserContext.newPage();
    page.setDefaultTimeout(10_000);
    await page.clock.install();
    const visitor = {
      email: context.fixtures.email('ada'),
      password: context.fixtures.password('ada'),
    };
    const tally = { journeys: [], seen: new Set<string>(), impossible: new Map<string, string>() };
    const paths = [
      ...accountPaths(context.fixtures, possible, 'screen'),
      ...projectPaths(context.fixtures, possible),
      // To the millisecond, time can be told only where it stands still.
    ].filter(({ moves }) => !moves.some((move) => move.startsWith('elapse')));
    for (const path of paths) {
      if (problems.length === enough) {
        problems.push(problem('The journeys after these were not walked: mend these first.'));
        break;
      }
      const open = () => createBrowserDriver(stage, browserContext, page, proxy, '/');
      const done = await walkJourney(path as never, '/', open, tally, visitor, eventually);
      steps += done.steps;
      if (!done.trouble) continue;
      mkdirSync(screenshotFolder, { recursive: true });
      const file = `screen-${taken.length + 1}.png`;
      await page.screenshot({ path: join(screenshotFolder, file) }).catch(() => undefined);
      taken.push({ id: 'UI-1', file });
      const what = `In the browser, on the journey "${done.name}", at "${done.trouble.move}": ${done.trouble.what}.`;
      problems.push(problem(what, [], `see ${join(screenshotFolder, file)}`));
    }
  } finally {
    await browser.close();
    proxy.stop();
  }
  return { problems, pictures: taken, steps };
}

/** A screen takes its time. */
async function eventually(check: () => Promise<void>): Promise<void> {
  const until = performance.now() + 3_000;
  for (let pause = 10; ; pause = Math.min(pause * 2, 200)) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
