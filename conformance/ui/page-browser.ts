import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { createScreenDriver, waitForApp } from '../../model/browser-driver.ts';
import type { AppBrowser } from '../journeys/app.ts';

/** Opens the built app with cookies of its own. Calls `onLook` with each page that is looked at. */
export function createPageBrowser(
  newContext: () => Promise<BrowserContext>,
  timeoutMs: number,
  onLook: (page: Page) => void,
): AppBrowser {
  let context: Promise<BrowserContext> | undefined;
  return {
    async open() {
      context ??= newContext();
      const page = await (await context).newPage();
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
