import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, Route as PlaywrightRoute } from 'playwright-core';
import { createPageDriver, waitForApp } from '../../../model/browser-driver.ts';
import type { InspectedDriver } from '../../../model/driver.ts';
import type { BackendResponse } from '../../../model/results.ts';
import { modelAppFolder } from '../../../tools/built-app.ts';

const origin = 'http://app.test';

/** Starts the built app on a page. Its backend answers when the driver says so. */
export async function createBrowserDriver(page: Page, start: string): Promise<InspectedDriver> {
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
      const { route, request } = await driver.takePending(call);
      await respond(page, route, response);
      // A response may change nothing on the screen, so that no comparison would wait for it.
      await (await request.response())?.finished();
      for (let turn = 0; turn < 3; turn += 1) await settle();
    },
    signInElsewhere: (email) =>
      page.evaluate((address) => window.testApp.signInElsewhere(address), email),
    elapse: (milliseconds) => page.evaluate((ms) => window.testApp.elapse(ms), milliseconds),
    inspection: () => page.evaluate(() => window.testApp.inspection()),
    observe: async () => ({
      ...(await driver.observe()),
      calls: driver.calls(),
      ...(await page.evaluate(() => window.testApp.observe())),
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
