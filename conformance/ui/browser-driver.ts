import { randomUUID } from 'node:crypto';
import type { BrowserContext, Page, Request } from 'playwright-core';
import type { Credentials } from '../../machines/types.ts';
import { createPageDriver, waitForApp } from '../../model/browser-driver.ts';
import type { Driver } from '../../model/driver.ts';
import { callNames, type Call } from '../../model/calls.ts';
import type { SimulatedBrowser } from '../http/simulated-browser.ts';
import {
  assertExpectedResponse,
  outcomeOf,
  toBackendResponse,
} from '../journeys/backend-response.ts';
import type { Preconditions } from '../journeys/preconditions.ts';
import type { Proxy } from './proxy.ts';

/** Loads the built app on a page and drives it with a running backend behind the proxy. */
export async function createBrowserDriver(
  preconditions: Preconditions,
  context: BrowserContext,
  page: Page,
  { origin, nextBody }: Proxy,
): Promise<Driver> {
  const logged: string[] = [];
  const ownBrowser = preconditions.newBrowser();

  page.removeAllListeners('console');
  await context.clearCookies();
  const settle = () => page.evaluate(() => new Promise<void>((resolve) => queueMicrotask(resolve)));
  const driver = await createPageDriver(page, origin, settle);
  // A new query makes the browser load the page. A new fragment alone does not.
  await page.goto(`${origin}/?${randomUUID()}#/`);
  // Not before: the app of the previous journey logs that the navigation aborts its requests.
  page.on('console', (message) => {
    const name = message.text().split(' ')[0]!;
    if (message.type() === 'error' && callNames.includes(name as Call)) logged.push(name);
  });
  await waitForApp(page);

  return {
    ...driver,
    async answer(call, wanted) {
      const { route, request } = await driver.takePending(call);
      const outcome = outcomeOf(wanted);
      const credentials = request.postDataJSON() as Credentials;
      const browser = await preconditions.arrange(call, outcome, credentials, ownBrowser);
      if (outcome === 'unreachable') {
        await route.abort('internetdisconnected');
        return 'none';
      }
      await copyCookies(browser);
      const headers = await headersWithCookies(request, browser);
      const body = nextBody(`${request.method()} ${new URL(request.url()).pathname}`);
      const head = page.waitForResponse((response) => response.request() === request);
      await route.continue({ headers });
      const status = (await head).status();
      const response = toBackendResponse(status, await body);
      assertExpectedResponse(call, outcome, response);
      await settle();
      return response;
    },
    async answerLate(call) {
      const { route } = driver.takeAborted(call);
      // Playwright rejects responses to aborted requests.
      await route.abort().catch(() => {});
    },
    elapse: (milliseconds) => page.clock.runFor(milliseconds),
    observe: async () => ({ ...(await driver.observe()), logged: [...logged] }),
  };

  /** Copies the cookies of a simulated browser to the page. */
  async function copyCookies(browser: SimulatedBrowser) {
    await context.clearCookies();
    await context.addCookies(
      browser
        .allCookies()
        .map(({ key, value, httpOnly }) => ({ name: key, value, httpOnly, url: origin })),
    );
  }

  /** Returns the headers with the current cookies. The request started before they were copied. */
  async function headersWithCookies(
    request: Request,
    browser: SimulatedBrowser,
  ): Promise<Record<string, string>> {
    const { cookie: _cookie, 'x-xsrf-token': _token, ...headers } = await request.allHeaders();
    const cookies = browser
      .cookiesFor('/api/v1/projects')
      .map(({ key, value }) => `${key}=${value}`);
    const token = browser.xsrfToken();
    return {
      ...headers,
      ...(cookies.length > 0 && { cookie: cookies.join('; ') }),
      ...(token !== undefined && { 'x-xsrf-token': token }),
    };
  }
}
