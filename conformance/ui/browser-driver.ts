import { randomUUID } from 'node:crypto';
import type { BrowserContext, Page, Request, Route as Held } from 'playwright-core';
import type { Credentials } from '../../machines/types.ts';
import { countRequests } from '../../model/controlled-backend.ts';
import { callNames, callOf, type BackendResponse, type Call } from '../../model/outcomes.ts';
import { forms, type Driver, type Route } from '../../model/driver.ts';
import type { SimulatedBrowser } from '../http/simulated-browser.ts';
import { endingOf, type Preconditions } from '../journeys/preconditions.ts';
import { assertExpectedResponse } from '../journeys/unexpected-response.ts';
import type { Proxy } from './proxy.ts';
import {
  pollFor,
  createPageActions,
  waitForApp,
  observeScreen,
} from '../../model/browser-driver.ts';

/** Something that the app asked for, held back until the circumstances are right. */
type Arrived = { call: Call; held: Held; request: Request; givenUp: boolean; answered: boolean };

/** The built app on a page, freshly started, with the backend behind it. */
export async function createBrowserDriver(
  stage: Preconditions,
  context: BrowserContext,
  page: Page,
  { origin, bodies }: Proxy,
  start: Route,
): Promise<Driver> {
  const arrived: Arrived[] = [];
  const logged: string[] = [];
  const own = stage.newBrowser();

  page.removeAllListeners('console');
  page.removeAllListeners('requestfailed');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.clearCookies();
  page.on('console', (message) => {
    const name = message.text().split(' ')[0]!;
    if (message.type() === 'error' && callNames.includes(name as Call)) logged.push(name);
  });
  page.on('requestfailed', (request) => {
    const each = arrived.find((one) => one.request === request);
    if (each && !each.answered) each.givenUp = true;
  });
  await page.route(`${origin}/api/**`, (held) => {
    const request = held.request();
    const call = callOf(request.method(), request.url());
    arrived.push({ call, held, request, givenUp: false, answered: false });
  });
  // A query that is new makes it a page that is new: a fragment alone does not.
  await page.goto(`${origin}/?${randomUUID()}#${start}`);
  await waitForApp(page);

  const settled = () => page.evaluate(() => new Promise<void>((done) => queueMicrotask(done)));
  const pending = (call: Call) =>
    arrived.filter((each) => each.call === call && !each.answered && !each.givenUp);
  const sentIn = (request: Request | undefined): unknown => {
    const text = request?.postData();
    return text ? JSON.parse(text) : undefined;
  };

  return {
    ...createPageActions(page, settled),
    async answer(call, wanted) {
      const each = await pollFor(() => pending(call)[0], settled);
      if (!each) throw new Error(`No ${call} is waiting for an answer.`);
      each.answered = true;
      const ending = endingOf(wanted);
      const body = sentIn(each.request) as Credentials;
      const browser = await stage.arrange[call](ending, body, own);
      if (ending === 'unreachable') {
        await each.held.abort('internetdisconnected');
        return 'none';
      }
      await lend(browser);
      const headers = await withCookies(each.request, browser);
      const key = `${each.request.method()} ${new URL(each.request.url()).pathname}`;
      bodies.delete(key);
      const arriving = page.waitForResponse((response) => response.request() === each.request, {
        timeout: 10_000,
      });
      await each.held.continue({ headers });
      const response = await arriving;
      await until(() => bodies.has(key));
      const text = bodies.get(key) ?? '';
      const answer: BackendResponse = answerOf(response.status(), text);
      assertExpectedResponse(call, ending, answer);
      await settled();
      return answer;
    },
    async answerLate(call) {
      const each = arrived.find((one) => one.call === call && one.givenUp && !one.answered);
      if (!each) throw new Error(`No ${call} was given up.`);
      each.answered = true;
      // The browser has stopped listening, and says so.
      await each.held.abort().catch(() => {});
    },
    elapse: (milliseconds) => page.clock.runFor(milliseconds),
    async observe() {
      const onScreen = await page.evaluate(observeScreen, Object.values(forms));
      return {
        ...onScreen,
        logged: [...logged],
        calls: countRequests(arrived, pending, (last) => sentIn(last.request)),
      };
    },
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
