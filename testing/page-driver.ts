/** What a user does on a page in a browser, and the built app without a server, with Playwright. */
import { existsSync } from 'node:fs';
import type { Page, Route as PlaywrightRoute } from 'playwright-core';
import { buttonOf, labelsOf, type Call, type FormName } from '../model/calls.ts';
import { forms } from '../shared/forms.ts';
import { parseRequest } from '../model/requests.ts';
import type { UserActions } from '../model/driver.ts';
import { differencesOf, readScreen, type Screen } from '../model/observation.ts';
import type { BackendResponse } from '../model/results.ts';
import { routeOf, screens } from '../shared/routes.ts';
import { longWaitMs } from './time-limits.ts';

/** Of the built app without a server. */
export const origin = 'http://app.test';

const labels = { ...forms.login.fields, ...forms.createProject.fields };

export const field = (page: Page, name: keyof typeof labels) =>
  page.getByLabel(labels[name], { exact: true });

export const submitButton = (page: Page, form: FormName) =>
  page.locator('form').getByRole('button', { name: forms[form].button, exact: true });

export async function fillForm(page: Page, form: FormName, values: string[]) {
  for (const [index, value] of values.entries()) {
    await page.getByLabel(labelsOf(form)[index]!, { exact: true }).fill(value);
  }
}

export const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true });

/** Returns what a user does on a page. `settle` waits until the app has processed it. */
function userActionsOn(page: Page, settle: () => Promise<void>): UserActions {
  return {
    fill: (form, values) => fillForm(page, form, values),
    async go(address) {
      const link = page.locator(`a[href$="#${address}"]`).first();
      if ((await link.count()) > 0) await link.click();
      else await page.evaluate((to) => void (location.hash = `#${to}`), address);
      await heading(page, screens[routeOf(address)!].heading).waitFor();
      await settle();
    },
    async press(call) {
      // Forced, because a user can also press a busy button.
      await page.getByRole('button', { name: buttonOf(call), exact: true }).click({ force: true });
      await settle();
    },
  };
}

/** Waits until the app has replaced the prerendered screen, whose elements ignore user actions. */
export async function waitForApp(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    return document.querySelector('h1') && !document.querySelector('template');
  });
}

export type VisualDriver = UserActions & {
  page: Page;
  /** Waits for the last request of a call, and answers it. */
  answer: (call: Call, response: BackendResponse) => Promise<void>;
  /** Loads the app on a path, known or not. */
  load: (path: string) => Promise<void>;
  /** Comes to a path from another screen, without loading the app. */
  navigate: (path: string) => Promise<void>;
  /** Waits until the page shows this. Throws what is different if it never does. */
  waitFor: (expected: Screen) => Promise<void>;
};

/** Answers requests as a plain web server does that has the built app in a folder. */
export const serveFiles = (page: Page, folder = '/') =>
  page.route(`${origin}/**`, async (route, request) => {
    const { pathname } = new URL(request.url());
    const path = `dist${pathname === folder ? '/index.html' : pathname.slice(folder.length - 1)}`;
    await route.fulfill(existsSync(path) ? { path } : { status: 404 });
  });

/** Drives the built app of `dist/` without a server. The driver answers its API requests. */
export async function createVisualDriver(page: Page): Promise<VisualDriver> {
  let loads = 0;
  // Each load starts without the text of the form before.
  await page.addInitScript(() => sessionStorage.clear());
  await serveFiles(page);
  const settle = () => page.evaluate(() => new Promise<void>((resolve) => setTimeout(resolve)));
  /** The API requests that wait for a response, by call. */
  const requests = new Map<Call, PlaywrightRoute>();
  await page.route(`${origin}/api/**`, (route, request) => {
    const { call } = parseRequest(request.method(), request.url(), request.postDataJSON());
    requests.set(call, route);
  });
  // The app aborts a request that another replaces.
  page.on('requestfailed', (request) => {
    for (const [call, route] of requests) if (route.request() === request) requests.delete(call);
  });

  return {
    ...userActionsOn(page, settle),
    page,
    async load(path) {
      requests.clear();
      // A new query makes the browser load the page. A new fragment alone does not.
      await page.goto(`${origin}/?${++loads}#${path}`);
      await waitForApp(page);
    },
    async navigate(path) {
      await page.evaluate(() => (location.hash = '#/about'));
      await heading(page, screens['/about'].heading).waitFor();
      requests.clear();
      await page.evaluate((to) => (location.hash = `#${to}`), path);
      await heading(page, screens['/about'].heading).waitFor({ state: 'detached' });
    },
    async waitFor(expected) {
      await heading(page, screens[routeOf(expected.path)!].heading).waitFor();
      const deadline = Date.now() + longWaitMs;
      for (;;) {
        const shown = await page.evaluate(readScreen, Object.values(forms));
        const differences = differencesOf(shown, expected);
        if (differences.length === 0) return;
        if (Date.now() > deadline) throw new Error(differences.join('\n'));
        await settle();
      }
    },
    async answer(call, response) {
      for (let turn = 0; turn < 2_000 && !requests.has(call); turn += 1) await settle();
      const route = requests.get(call);
      if (!route) throw new Error(`No ${call} is waiting for a response.`);
      requests.delete(call);
      await respond(page, route, response);
    },
  };
}

async function respond(page: Page, route: PlaywrightRoute, response: BackendResponse) {
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
