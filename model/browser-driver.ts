/** The Playwright half of a driver: what a user does on the page, and the API requests it sends. */
import type { Page, Request, Route as PlaywrightRoute } from 'playwright-core';
import { countRequests } from './controlled-backend.ts';
import { forms, parseRequest, type Call, type FormName } from './calls.ts';
import type { UserActions } from './driver.ts';
import { readScreen, type Observation, type Screen } from './observation.ts';
import { routeOf, screens } from '../src/screens/routes.ts';

/** An API request of the page that waits until the driver answers it. */
export type HeldRequest = {
  call: Call;
  sent: unknown;
  /** Absent if the page aborted the request before the browser held it. */
  route?: PlaywrightRoute;
  request: Request;
  isAnswered: boolean;
  isAborted: boolean;
};

type ScreenDriver = UserActions & { observe: () => Promise<Screen> };

type PageDriver = ScreenDriver & {
  calls: () => Observation['calls'];
  /** Waits for the pending request of a call and marks it as answered. */
  takePending: (call: Call) => Promise<Required<HeldRequest>>;
  forgetRequests: () => void;
};

export const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });

export const submitButton = (page: Page, name: string) =>
  page.locator('form').getByRole('button', { name, exact: true });

export async function fillForm(page: Page, form: FormName, values: string[]) {
  for (const [index, value] of values.entries()) {
    await field(page, forms[form].fields[index]!).fill(value);
  }
}

export const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true });

/** Acts on the screen. `settle` waits until the app has processed a user action. */
export function createScreenDriver(page: Page, settle: () => Promise<void>): ScreenDriver {
  return {
    fill: (form, values) => fillForm(page, form, values),
    async go(address) {
      const link = page.locator(`a[href$="#${address}"]`).first();
      if ((await link.count()) > 0) await link.click();
      else await page.evaluate((to) => void (location.hash = `#${to}`), address);
      await heading(page, screens[routeOf(address)!.route].heading).waitFor();
      await settle();
    },
    async submit(form, values = []) {
      await fillForm(page, form, values);
      // Forced, because a user can also press a busy button.
      await submitButton(page, forms[form].button).click({ force: true });
      await settle();
    },
    observe: () => page.evaluate(readScreen, Object.values(forms)),
  };
}

/**
 * Acts on the screen, and holds the API requests of the page until they are taken. `settle` waits
 * until the app has processed a user action or a response.
 */
export async function createPageDriver(
  page: Page,
  origin: string,
  settle: () => Promise<void>,
): Promise<PageDriver> {
  const requests: HeldRequest[] = [];
  const pendingOf = (call: Call) =>
    requests.filter((held) => held.call === call && !held.isAnswered && !held.isAborted);

  page.removeAllListeners('request');
  page.removeAllListeners('requestfailed');
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/api/`)) return;
    const { call, sent } = parseRequest(request.method(), request.url(), request.postDataJSON());
    requests.push({ call, sent, request, isAnswered: false, isAborted: false });
  });
  // The routes of earlier drivers stay: removing them would send the requests that they hold.
  await page.route(`${origin}/api/**`, (route, request) => {
    const held = requests.find((one) => one.request === request);
    if (held) held.route = route;
  });
  page.on('requestfailed', (failed) => {
    const held = requests.find(({ request }) => request === failed);
    if (held && !held.isAnswered) held.isAborted = true;
  });

  return {
    ...createScreenDriver(page, settle),
    calls: () => countRequests(requests, pendingOf),
    async takePending(call) {
      // The newest, because the page may report late that it aborted the others.
      const newest = () => pendingOf(call).at(-1);
      for (let turn = 0; turn < 2_000 && !newest()?.route; turn += 1) await settle();
      const held = newest();
      if (!held?.route) throw new Error(`No ${call} is waiting for a response.`);
      held.isAnswered = true;
      return { ...held, route: held.route };
    },
    forgetRequests: () => void requests.splice(0),
  };
}

/** Waits until the app has replaced the prerendered screen, whose elements ignore user actions. */
export async function waitForApp(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    return document.querySelector('h1') && !document.querySelector('template');
  });
}
