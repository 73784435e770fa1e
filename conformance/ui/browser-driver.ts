import { randomUUID } from 'node:crypto';
import type { BrowserContext, Page, Request } from 'playwright-core';
import type { Credentials } from '../../machines/types.ts';
import { callNames, type BackendResponse, type Call } from '../../model/outcomes.ts';
import type { Driver, Route } from '../../model/driver.ts';
import type { SimulatedBrowser } from '../http/simulated-browser.ts';
import { endingOf, type Preconditions } from '../journeys/preconditions.ts';
import { assertExpectedResponse } from '../journeys/unexpected-response.ts';
import type { Proxy } from './proxy.ts';
import { createPageDriver, waitForApp } from '../../model/browser-driver.ts';

/** The built app on a page, freshly started, with the backend behind it. */
export async function createBrowserDriver(
  stage: Preconditions,
  context: BrowserContext,
  page: Page,
  { origin, bodies }: Proxy,
  start: Route,
): Promise<Driver> {
  const logged: string[] = [];
  const own = stage.newBrowser();

  page.removeAllListeners('console');
  await context.clearCookies();
  page.on('console', (message) => {
    const name = message.text().split(' ')[0]!;
    if (message.type() === 'error' && callNames.includes(name as Call)) logged.push(name);
  });
  const settle = () => page.evaluate(() => new Promise<void>((resolve) => queueMicrotask(resolve)));
  const driver = await createPageDriver(page, origin, settle);
  // A query that is new makes it a page that is new: a fragment alone does not.
  await page.goto(`${origin}/?${randomUUID()}#${start}`);
  await waitForApp(page);

  return {
    ...driver,
    async answer(call, wanted) {
      const { route, request } = await driver.takePending(call);
      const ending = endingOf(wanted);
      const body = request.postDataJSON() as Credentials;
      const browser = await stage.arrange[call](ending, body, own);
      if (ending === 'unreachable') {
        await route.abort('internetdisconnected');
        return 'none';
      }
      await lend(browser);
      const headers = await withCookies(request, browser);
      const key = `${request.method()} ${new URL(request.url()).pathname}`;
      bodies.delete(key);
      const arriving = page.waitForResponse((response) => response.request() === request, {
        timeout: 10_000,
      });
      await route.continue({ headers });
      const response = await arriving;
      await until(() => bodies.has(key));
      const text = bodies.get(key) ?? '';
      const answer: BackendResponse = answerOf(response.status(), text);
      assertExpectedResponse(call, ending, answer);
      await settle();
      return answer;
    },
    async answerLate(call) {
      const { route } = driver.takeAborted(call);
      // Playwright rejects responses to aborted requests.
      await route.abort().catch(() => {});
    },
    elapse: (milliseconds) => page.clock.runFor(milliseconds),
    observe: async () => ({ ...(await driver.observe()), logged: [...logged] }),
  };

  /** Gives the page the cookies of somebody of the stage. */
  async function lend(browser: SimulatedBrowser) {
    await context.clearCookies();
    const cookies = browser.allCookies().map(({ key, value, httpOnly }) => ({
      name: key,
      value,
      httpOnly,
      url: origin,
    }));
    if (cookies.length > 0) await context.addCookies(cookies);
  }

  /** The call was made before the cookies were lent. */
  async function withCookies(
    request: Request,
    browser: SimulatedBrowser,
  ): Promise<Record<string, string>> {
    const { cookie: _cookie, 'x-xsrf-token': _token, ...rest } = await request.allHeaders();
    const cookies = browser
      .cookiesFor('/api/v1/projects')
      .map(({ key, value }) => `${key}=${value}`);
    const token = browser.xsrfToken();
    return {
      ...rest,
      ...(cookies.length > 0 && { cookie: cookies.join('; ') }),
      ...(token !== undefined && { 'x-xsrf-token': token }),
    };
  }
}

/** The proxy is in this very process, and has the body a moment after the browser has the head. */
async function until(isSo: () => boolean) {
  for (let turn = 0; turn < 1000 && !isSo(); turn++)
    await new Promise((resolve) => setTimeout(resolve, 5));
}

function answerOf(status: number, text: string): BackendResponse {
  try {
    return { status, body: JSON.parse(text) as unknown };
  } catch {
    return { status, text };
  }
}
