import { expect } from 'vitest';
import { screens, type Route } from '../../../shared/routes.ts';
import type { BrowserPage } from './page.ts';
import { newProject } from '../../../testing/projects.ts';
import { credentialsOf } from '../../../testing/credentials.ts';

export const accountPassword = credentialsOf().password;

export const fieldSelector = (name: string) => `form [name=${name}]`;

export const rowSelector = (position: number) => `main li[aria-posinset="${position}"]`;

declare global {
  interface Window {
    markedElements?: Element[];
  }
}

/** Adds what the stories do and read on the pages of the app. */
export function createAppPage(page: BrowserPage) {
  const { evaluate } = page;

  const texts = (selector: string) =>
    evaluate(
      (css) => [...document.querySelectorAll(css)].map(({ textContent }) => textContent ?? ''),
      selector,
    );

  const count = (selector: string) =>
    evaluate((css) => document.querySelectorAll(css).length, selector);

  async function waitForText(selector: string, text: string) {
    await expect.poll(async () => (await texts(selector)).join('\n')).toContain(text);
  }

  const waitForScreen = (route: Route) => waitForText('h1', screens[route].heading);

  /** Waits until the app has taken over the prerendered screen. */
  async function waitForApp() {
    await expect.poll(() => count('template')).toBe(0);
  }

  /** Types over the present text of a field. */
  async function replaceText(field: string, text: string) {
    await page.click(fieldSelector(field));
    await evaluate(
      (name) => document.querySelector<HTMLInputElement>(`form [name=${name}]`)?.select(),
      field,
    );
    await page.type(text);
  }

  return {
    ...page,
    texts,
    count,
    waitForText,
    waitForScreen,
    waitForApp,
    replaceText,
    async openScreen(address: string, path: Route) {
      await page.goto(`${address}/#${path}`);
      await waitForScreen(path);
      await waitForApp();
    },
    async createProject(project = newProject()) {
      for (const [field, text] of Object.entries(project)) await replaceText(field, text);
      await page.click('form [type=submit]');
    },
    async fillCredentials(email: string, secret = accountPassword) {
      await replaceText('email', email);
      await replaceText('password', secret);
    },
    /** Remembers all elements of the screen but the progress of the list. Returns their number. */
    markElements: () =>
      evaluate(() => {
        window.markedElements = [...document.querySelectorAll('#root *:not(section > span)')];
        return window.markedElements.length;
      }),
    /** Returns how many of the remembered elements are still on the screen. */
    keptElements: () =>
      evaluate(() => window.markedElements!.filter(({ isConnected }) => isConnected).length),
    isInViewport: (selector: string) =>
      evaluate((css) => {
        const box = document.querySelector(css)?.getBoundingClientRect();
        return box !== undefined && box.bottom > 0 && box.top < innerHeight;
      }, selector),
    hash: () => evaluate(() => location.hash),
    value: (field: string) =>
      evaluate(
        (name) => document.querySelector<HTMLInputElement>(`form [name=${name}]`)?.value,
        field,
      ),
    /** Returns the name of the focused field, or the text of another focused element. */
    focused: () =>
      evaluate(() => {
        const element = document.activeElement;
        return element?.getAttribute('name') ?? element?.textContent;
      }),
  };
}
