import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { screens, type Route } from '../../model/driver.ts';
import { waitForApp } from '../../model/browser-driver.ts';
import { launchBrowser } from '../../conformance/ui/chromium.ts';

/**
 * One browser for the tests of a file; every page that it opens has a context, and so a cookie jar,
 * of its own.
 */
export function useBrowser() {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  return {
    /** An empty page. What the console or an uncaught exception says is in `problems`. */
    async open(options?: BrowserContextOptions): Promise<{
      page: Page;
      context: BrowserContext;
      problems: string[];
    }> {
      const context = await browser.newContext(options);
      onTestFinished(() => context.close());
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
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

/**
 * Goes to a screen by its address, as far as it is shown by the app itself. An unknown path shows
 * the error screen.
 */
export async function show(page: Page, address: string, path: Route | '/nowhere'): Promise<void> {
  await page.goto(`${address}/#${path}`);
  await waitForApp(page);
  const name = path === '/nowhere' ? 'Unexpected Application Error!' : screens[path].heading;
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
}

export const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });

export const submit = (page: Page, name: string) =>
  page.locator('form').getByRole('button', { name, exact: true });

export async function fillCredentials(page: Page, email: string, password = 'correct horse') {
  await field(page, 'Email').fill(email);
  await field(page, 'Password').fill(password);
}

export async function fillProject(page: Page, title: string, description: string) {
  await field(page, 'Title').fill(title);
  await field(page, 'Description').fill(description);
}

/** Titles of the rows in view, in their order. */
export const titles = (page: Page) =>
  page.getByRole('region', { name: 'List of Projects' }).getByRole('heading', { level: 3 });

let people = 0;

/** An email that no other test of this run uses. */
export const newEmail = () => `person-${process.pid}-${++people}@example.org`;

/** Registers and signs in by the screens; ends on /projects. */
export async function signUpAndIn(page: Page, address: string, email = newEmail()) {
  await show(page, address, '/register');
  await fillCredentials(page, email);
  await submit(page, 'Register').click();
  await page.getByText('Enter your email and password to sign in').waitFor();
  await fillCredentials(page, email);
  await submit(page, 'Sign in').click();
  await page.getByText('No projects to show.').waitFor();
}
