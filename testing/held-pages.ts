import type { BrowserContextOptions, Page, Request, Route } from 'playwright-core';
import { waitForApp } from './page-driver.ts';
import type { useBrowser } from './browser.ts';

export const alerts = (page: Page) => page.getByRole('alert');

type Options = BrowserContextOptions & {
  /** Runs before the page loads. */
  prepare?: (page: Page) => Promise<unknown>;
};

/**
 * Returns a function that opens a page whose scripts and API requests are pending. `requests` are
 * those to the API.
 */
export const prerenderedPages =
  (browser: ReturnType<typeof useBrowser>, server: { address: string }) =>
  async (path: string, { prepare, ...options }: Options = {}) => {
    const { page, problems } = await browser.open(options);
    const scripts: Route[] = [];
    let answer: ((route: Route) => Promise<void>) | undefined;
    await page.route('**/assets/**', async (route) => {
      if (answer) await answer(route);
      else scripts.push(route);
    });
    /** Answers the scripts that are pending, and those whose requests arrive later. */
    const answerScripts = async (answerOne: (route: Route) => Promise<void>) => {
      answer = answerOne;
      await Promise.all(scripts.map(answerOne));
    };
    await page.route('**/api/**', () => {});
    const requests: Request[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/')) requests.push(request);
    });
    await prepare?.(page);
    await page.goto(`${server.address}/#${path}`, { waitUntil: 'commit' });
    const loadScripts = () => answerScripts((route) => route.continue());
    return {
      page,
      problems,
      requests,
      loadScripts,
      /** Waits until the app has hydrated the prerendered screen. */
      hydrate: async () => {
        await loadScripts();
        await waitForApp(page);
      },
      failScripts: async () => {
        await answerScripts((route) => route.abort());
        await alerts(page).waitFor();
      },
    };
  };
