import { fileURLToPath } from 'node:url';
import type { Page, Route as PlaywrightRoute } from 'playwright-core';
import { build } from 'vite';
import { contentTypeOf } from '../../../conformance/ui/static-files.ts';
import { createPageDriver, waitForApp } from '../../../model/browser-driver.ts';
import type { Driver } from '../../../model/driver.ts';
import type { BackendResponse } from '../../../model/outcomes.ts';
import type { Route } from '../../../model/screens.ts';

const origin = 'http://app.test';

/** Builds the app in memory, as for production but with `./page`. Returns its files by path. */
export async function buildApp(): Promise<Map<string, string | Uint8Array>> {
  const built = await build({
    configFile: fileURLToPath(new URL('../../../vite.config.ts', import.meta.url)),
    root: fileURLToPath(new URL('./page', import.meta.url)),
    logLevel: 'error',
    build: { write: false },
  });
  if (!('output' in built)) throw new Error('Vite returned more than one build.');
  return new Map(
    built.output.map((file) => [
      `/${file.fileName}`,
      file.type === 'chunk' ? file.code : file.source,
    ]),
  );
}

/** Starts the built app on a page. Its backend answers when the driver says so. */
export async function createBrowserDriver(
  page: Page,
  files: Map<string, string | Uint8Array>,
  start: Route,
): Promise<Driver> {
  const isOpen = page.url().startsWith(origin);
  if (!isOpen) {
    await page.route(`${origin}/**`, async (route) => {
      const { pathname } = new URL(route.request().url());
      const path = pathname === '/' ? '/index.html' : pathname;
      const body = files.get(path);
      await (body === undefined
        ? route.fulfill({ status: 404 })
        : route.fulfill({ contentType: contentTypeOf(path), body: Buffer.from(body) }));
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
      const { prototype } = Response;
      const text = Object.getOwnPropertyDescriptor(prototype, 'text')!;
      prototype.text = () => {
        Object.defineProperty(prototype, 'text', text);
        throw new Error('a fault');
      };
    });
    return route.fulfill({ status: 200, json: {} });
  }
  const { status, text, body } = response;
  return text === undefined
    ? route.fulfill({ status, json: body })
    : route.fulfill({ status, contentType: 'text/html', body: text });
}
