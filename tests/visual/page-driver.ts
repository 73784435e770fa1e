import { existsSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { createPageDriver, heading, waitForApp } from '../../model/browser-driver.ts';
import type { Driver, UserActions } from '../../model/driver.ts';
import { differencesOf, type Screen } from '../../model/observation.ts';
import { routeOf, screens } from '../../src/screens/routes.ts';
import { respond } from '../model/chromium/browser-driver.ts';
import { longWaitMs } from '../support/time-limits.ts';

const origin = 'http://app.test';

export type VisualDriver = UserActions &
  Pick<Driver, 'answer'> & {
    page: Page;
    /** Loads the app on a path, known or not. */
    load: (path: string) => Promise<void>;
    /** Comes to a path from another screen, without loading the app. */
    navigate: (path: string) => Promise<void>;
    /** Waits until the page shows this. Throws what is different if it never does. */
    waitFor: (expected: Screen) => Promise<void>;
  };

/** Drives the built app of `dist/` without a server. The driver answers its API requests. */
export async function createVisualDriver(page: Page): Promise<VisualDriver> {
  let loads = 0;
  await page.route(`${origin}/**`, async (route, request) => {
    const { pathname } = new URL(request.url());
    const path = `dist${pathname === '/' ? '/index.html' : pathname}`;
    await route.fulfill(existsSync(path) ? { path } : { status: 404 });
  });
  const settle = () => page.evaluate(() => new Promise<void>((resolve) => setTimeout(resolve)));
  const driver = await createPageDriver(page, origin, settle);

  return {
    ...driver,
    page,
    async load(path) {
      driver.forgetRequests();
      // A new query makes the browser load the page. A new fragment alone does not.
      await page.goto(`${origin}/?${++loads}#${path}`);
      await waitForApp(page);
    },
    async navigate(path) {
      await page.evaluate(() => (location.hash = '#/about'));
      await heading(page, 'About Page').waitFor();
      driver.forgetRequests();
      await page.evaluate((to) => (location.hash = `#${to}`), path);
      await heading(page, 'About Page').waitFor({ state: 'detached' });
    },
    async waitFor(expected) {
      await heading(page, screens[routeOf(expected.path)!.route].heading).waitFor();
      const deadline = Date.now() + longWaitMs;
      for (;;) {
        const differences = differencesOf(await driver.observe(), expected);
        if (differences.length === 0) return;
        if (Date.now() > deadline) throw new Error(differences.join('\n'));
        await settle();
      }
    },
    async answer(call, response) {
      const { route } = await driver.takePending(call);
      await respond(page, route, response);
    },
  };
}
