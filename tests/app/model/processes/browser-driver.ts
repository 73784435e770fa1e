import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, Route as PlaywrightRoute } from 'playwright-core';
import { createPageDriver, waitForApp } from '../../../../model/browser-driver.ts';
import type { Driver } from '../../../../model/driver.ts';
import type { BackendResponse } from '../../../../model/outcomes.ts';
import type { Route } from '../../../../model/screens.ts';
import { modelAppFolder } from '../../../../tools/built-app.ts';

const origin = 'http://app.test';

/** Starts the built app on a page. Its backend answers when the driver says so. */
export async function createBrowserDriver(page: Page, start: Route): Promise<Driver> {
  const isOpen = page.url().startsWith(origin);
  if (!isOpen) {
    await page.route(`${origin}/**`, async (route) => {
      const { pathname } = new URL(route.request().url());
      const path = join(modelAppFolder, pathname === '/' ? 'index.html' : pathname);
      await route.fulfill(existsSync(path) ? { path } : { status: 404 });
    });
  }
  const settle = () => page.evaluate(() => new Promise<void>((resolve) => setTimeout(resolve)));
  const driver = await createPageDriver(page, origin, settle);
  await (isOpen
    ? page.evaluate((route) => window.testApp.restart(route), start)
    : page.goto(`${origin}/#${start}`));
  await waitForApp(page);

  return {
    ...driver,
    async answer(call, response) {
      const { route } = await driver.takePending(call);
      await respond(page, route, response);
      await settle();
      return response;
    },
    async answerLate(call, response) {
      const { route } = driver.takeAborted(call);
      // Playwright rejects responses to aborted requests.
      await respond(page, route, response).catch(() => {});
      await settle();
    },
    elapse: (milliseconds) => page.evaluate((ms) => window.testApp.elapse(ms), milliseconds),
    internals: () => page.evaluate(() => window.testApp.internals()),
    inspection: () => page.evaluate(() => window.testApp.inspection()),
    observe: async () => ({
      ...(await driver.observe()),
      logged: await page.evaluate(() => window.testApp.logged()),
    }),
  };
}

/** Answers a request of the page. */
export async function respond(
  page: Page,
  route: PlaywrightRoute,
  response: BackendResponse,
): Promise<void> {
  if (response === 'none') return route.abort('internetdisconnected');
  if (response === 'fault') {
    await page.evaluate(() => {
      // The client reads `body` of every success, whether the call uses it or not.
      const body = Object.getOwnPropertyDescriptor(Response.prototype, 'body')!;
      Object.defineProperty(Response.prototype, 'body', {
        configurable: true,
        get() {
          Object.defineProperty(Response.prototype, 'body', body);
          throw new Error('a fault');
        },
      });
    });
    return route.fulfill({ status: 200, json: {} });
  }
  const { status, text, body } = response;
  return text === undefined
    ? route.fulfill({ status, json: body })
    : route.fulfill({ status, contentType: 'text/html', body: text });
}
