import type { Browser, BrowserContextOptions, LaunchOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { launchBrowser } from '../tools/chromium.ts';
import { fillForm, heading, waitForApp } from './page-driver.ts';
import { errorTitle, screens, type HeaderRoute, type Route } from '../shared/routes.ts';
import { credentialsOf } from './credentials.ts';
import { newProject } from './projects.ts';
import { longWaitMs } from './time-limits.ts';
import { startTemporaryServer, type Environment } from './server-process.ts';
import { operationTable } from '../generated/operations.ts';
import { valuesOf } from '../model/calls.ts';

/** Launches one browser for the tests of a file. Each page has its own cookies. */
export function useBrowser(launchOptions?: LaunchOptions) {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(launchOptions);
  });
  afterAll(() => browser.close());

  return {
    /** Opens an empty page. `problems` receives errors and warnings of its console. */
    async open(options?: BrowserContextOptions) {
      const context = await browser.newContext(options);
      onTestFinished(() => context.close());
      const page = await context.newPage();
      page.setDefaultTimeout(longWaitMs);
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning')
          problems.push(message.text());
      });
      return { page, context, problems };
    },
  };
}

/** Starts one server for the tests of a file. */
export function useServer(settings?: Environment, script?: string) {
  let server: Awaited<ReturnType<typeof startTemporaryServer>>;
  beforeAll(async () => {
    server = await startTemporaryServer(settings, script);
  });
  afterAll(() => server.stop());
  return {
    get address() {
      return server.address;
    },
  };
}

/** Loads a screen and waits until the app shows it. `/nowhere` shows the error screen. */
export async function openScreen(page: Page, address: string, path: Route | '/nowhere') {
  await page.goto(`${address}/#${path}`);
  await waitForApp(page);
  const name = path === '/nowhere' ? errorTitle : screens[path].heading;
  await heading(page, name).waitFor();
}

export const headerLink = (page: Page, route: HeaderRoute) =>
  page.getByRole('banner').getByRole('link', { name: screens[route].title, exact: true });

export const projectList = (page: Page) => page.getByRole('region', { name: 'List of Projects' });

export const rowTitles = (page: Page) => projectList(page).getByRole('heading', { level: 3 });

/** Answers requests for the list with `projects`, and creates with `created`. */
export const mockProjects = (
  page: Page,
  projects: object[],
  created: { status: number; json: object } = { status: 500, json: {} },
) =>
  page.route(`**${operationTable.listProjects.path}`, (route) =>
    route.fulfill(route.request().method() === 'GET' ? { json: projects } : created),
  );

export const fillCredentials = (page: Page, email: string, password = credentialsOf().password) =>
  fillForm(page, 'login', valuesOf('login', { email, password }));

export const fillProject = (page: Page, project = newProject()) =>
  fillForm(page, 'createProject', valuesOf('createProject', project));

/** Returns the name of the focused form field, or the text of another focused element. */
export const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    return element?.getAttribute('name') ?? element?.textContent;
  });
