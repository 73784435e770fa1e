import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { createScreenDriver, waitForApp } from '../../model/browser-driver.ts';
import type { AppBrowser } from '../journeys/app.ts';

type PageOptions = {
  browser: Browser;
  /** The origin of the backend, from which the app seems to come. */
  origin: string;
  appFolder: string;
  /** How long a screen may differ from what is expected. */
  timeoutMs: number;
  /** Called with each page that is looked at. */
  onLook: (page: Page) => void;
  /** Called with the status of each response. */
  onStatus: (status: number) => void;
};

/** Opens the built app with cookies of its own. */
export function createPageBrowser({
  browser,
  origin,
  appFolder,
  timeoutMs,
  onLook,
  onStatus,
}: PageOptions): AppBrowser {
  let context: Promise<BrowserContext> | undefined;
  return {
    async open() {
      context ??= newContext(browser, appFolder);
      const page = await (await context).newPage();
      page.setDefaultTimeout(Math.max(timeoutMs, 10_000));
      page.on('response', (response) => onStatus(response.status()));
      const pending = trackRequests(page);
      await page.goto(`${origin}/`);
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
            const isIdle = pending.size === 0 && !screen.form?.busy && !screen.list?.busy;
            const isFinal = !path || screen.path === path || screen.banners.form !== undefined;
            idleCount = isIdle && isFinal ? idleCount + 1 : 0;
            if (idleCount === 2 || performance.now() > deadline) return screen;
          }
        },
        close: () => page.close(),
      };
    },
  };
}

/** Returns cookies and pages of their own. The backend gets the requests to `/api` only. */
async function newContext(browser: Browser, appFolder: string) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const isOfApp = ({ pathname }: URL) => !pathname.startsWith('/api');
  await context.route(isOfApp, (route) => {
    const path = join(appFolder, new URL(route.request().url()).pathname);
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile();
    return route.fulfill({ path: isFile ? path : join(appFolder, 'index.html') });
  });
  return context;
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
