import type { Page } from 'playwright-core';
import { forms, screens, type Driver, type Observation } from './driver.ts';

/** What a person does on the page itself. `settled` waits until the app has taken note. */
export function createPageActions(
  page: Page,
  settled: () => Promise<void>,
): Pick<Driver, 'go' | 'submit'> {
  return {
    async go(route) {
      if (new URL(page.url()).hash === `#${route}`) return;
      await page.getByRole('link', { name: screens[route].link, exact: true }).click();
      await settled();
    },
    async submit(form, values) {
      const { button, fields } = forms[form];
      for (const [index, value] of (values ?? []).entries()) {
        await page.getByLabel(fields[index]!, { exact: true }).fill(value);
      }
      // A busy button can be pressed as well.
      const press = page.locator('form').getByRole('button', { name: button, exact: true });
      await press.click({ force: true });
      await settled();
    },
  };
}

/**
 * What the page did just now is known here some of its turns later. Gives nothing where it does not
 * come in many of them.
 */
export async function pollFor<Found>(
  find: () => Found | undefined,
  turn: () => Promise<void>,
): Promise<Found | undefined> {
  for (let turns = 500; turns > 0 && !find(); turns -= 1) {
    // oxlint-disable-next-line no-await-in-loop
    await turn();
  }
  return find();
}

/**
 * Until the app has taken the place of the first view, whose elements go away and take nothing in.
 */
export async function waitForApp(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    return document.querySelector('h1') && !document.querySelector('template');
  });
}

/** What is on the screen. Runs in the page. */
export function observeScreen(
  all: { button: string; fields: readonly string[] }[],
): Omit<Observation, 'calls' | 'logged'> {
  const textOf = (selector: string) => document.querySelector(selector)?.textContent ?? undefined;
  const button = document.querySelector('form button');
  const known = all.find((form) => form.button === button?.textContent);
  const labels = [...document.querySelectorAll('label')];
  const section = document.querySelector('main section');
  const isBusy = (element: Element) => element.getAttribute('aria-busy') === 'true';
  return {
    path: location.hash.slice(1) || '/',
    banner: textOf('[role=alert]'),
    announced: textOf('[role=status]')?.trim() ?? '',
    form:
      known && button
        ? {
            button: known.button,
            busy: isBusy(button),
            values: known.fields.map((name) => {
              const label = labels.find(({ textContent }) => textContent === name);
              return label?.control instanceof HTMLInputElement ||
                label?.control instanceof HTMLTextAreaElement
                ? label.control.value
                : `no ${name}`;
            }),
          }
        : undefined,
    list: section
      ? {
          busy: isBusy(section),
          rows: [...section.querySelectorAll('li')].map(
            (row) => [...row.children].map(({ textContent }) => textContent) as [string, string],
          ),
          note: section.querySelector(':scope > p')?.textContent ?? undefined,
        }
      : undefined,
  };
}
