/** What a user does on a page in a browser, with Playwright. */
import type { Page } from 'playwright-core';
import { forms, labelsOf, type FormName } from './calls.ts';
import type { UserActions } from './driver.ts';
import { readScreen, type Screen } from './observation.ts';
import { routeOf, screens } from '../shared/routes.ts';

export const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });

export const submitButton = (page: Page, name: string) =>
  page.locator('form').getByRole('button', { name, exact: true });

export async function fillForm(page: Page, form: FormName, values: string[]) {
  for (const [index, value] of values.entries()) {
    await field(page, labelsOf(form)[index]!).fill(value);
  }
}

export const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true });

/** Acts on the screen. `settle` waits until the app has processed a user action. */
export function createScreenDriver(
  page: Page,
  settle: () => Promise<void>,
): UserActions & { observe: () => Promise<Screen> } {
  return {
    fill: (form, values) => fillForm(page, form, values),
    async go(address) {
      const link = page.locator(`a[href$="#${address}"]`).first();
      if ((await link.count()) > 0) await link.click();
      else await page.evaluate((to) => void (location.hash = `#${to}`), address);
      await heading(page, screens[routeOf(address)!].heading).waitFor();
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

/** Waits until the app has replaced the prerendered screen, whose elements ignore user actions. */
export async function waitForApp(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    return document.querySelector('h1') && !document.querySelector('template');
  });
}
