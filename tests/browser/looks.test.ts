import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { field, submit, useBrowser } from '../support/browser.ts';
import { startServerProcess } from '../support/server-process.ts';

const browser = useBrowser();
let server: Awaited<ReturnType<typeof startServerProcess>>;
beforeAll(async () => {
  server = await startServerProcess();
});
afterAll(() => server.stop());

/** A colour as [red, green, blue], each 0 to 255. */
async function rgb(it: Locator, property: string): Promise<[number, number, number]> {
  const text = await it.evaluate(
    (element, name) => getComputedStyle(element).getPropertyValue(name),
    property,
  );
  const [red = -1, green = -1, blue = -1] = (text.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}

const isRed = ([red, green, blue]: number[]) =>
  red! > 150 && red! > green! * 1.5 && red! > blue! * 1.5;

describe.each(['light', 'dark'] as const)('in the %s theme', (colorScheme) => {
  test('the page takes the theme of the system', async () => {
    const { page } = await browser.open({ colorScheme });
    await page.goto(server.address);
    const [red, green, blue] = await rgb(page.locator('body'), 'background-color');
    const brightness = (red + green + blue) / 3;
    expect(colorScheme === 'light' ? brightness > 200 : brightness < 60).toBe(true);
  });

  test('[FIELD-2] the border of a field turns red with its error', async () => {
    const { page } = await browser.open({ colorScheme });
    for (const [route, label] of [
      ['login', 'Email'],
      ['register', 'Password'],
      ['projects', 'Title'],
      ['projects', 'Description'],
    ] as const) {
      await page.goto(`${server.address}/#/${route}`);
      expect(isRed(await rgb(field(page, label), 'border-top-color'))).toBe(false);
      await field(page, label).focus();
      await field(page, label).blur();
      await page.getByText(`${label} is required`).waitFor();
      expect(isRed(await rgb(field(page, label), 'border-top-color'))).toBe(true);
      await page.reload();
    }
  });

  test('[LOGIN-5, PROJECTS-5] the banners are red', async () => {
    const { page } = await browser.open({ colorScheme });
    await page.route('**/api/v1/**', (route) =>
      route.fulfill({ status: 500, json: { message: 'No.' } }),
    );
    for (const [route, button, values] of [
      ['login', 'Sign in', { Email: 'ada@example.org', Password: 'correct horse' }],
      ['projects', 'Create Project', { Title: 'T', Description: 'D' }],
    ] as const) {
      await page.goto(`${server.address}/#/${route}`);
      for (const [label, value] of Object.entries(values)) await field(page, label).fill(value);
      await submit(page, button).click();
      await page.getByRole('alert').waitFor();
      expect(isRed(await rgb(page.getByRole('alert'), 'background-color'))).toBe(true);
    }
  });
});

test('[HEADER-5, HEADER-6, HEADER-7] "Sign up" and "Sign in" look like buttons, are links, and are on every screen', async () => {
  const { page } = await browser.open();
  for (const route of ['', 'about', 'register', 'login', 'projects']) {
    await page.goto(`${server.address}/#/${route}`);
    for (const name of ['Sign up', 'Sign in']) {
      const link = page.getByRole('banner').getByRole('link', { name, exact: true });
      await link.waitFor();
      const border = await link.evaluate((element) => getComputedStyle(element).borderTopWidth);
      expect(border).toBe('1px');
    }
  }
});

test.each([320, 2560])('at %i px nothing scrolls sideways', async (width) => {
  const { page } = await browser.open({ viewport: { width, height: 800 } });
  const text = 'w'.repeat(10_000);
  await page.route('**/api/v1/projects', (route) =>
    route.fulfill({ json: [{ id: 1, title: text, description: text }] }),
  );
  for (const route of ['', 'about', 'register', 'login', 'projects', 'nowhere']) {
    await page.goto(`${server.address}/#/${route}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (route === 'projects') await page.getByRole('listitem').waitFor();
    const scrolls = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(`${route}: ${scrolls}`).toBe(`${route}: false`);
  }
});

test('an error that appears does not move the button away from under the click that made it appear', async () => {
  const { page } = await browser.open();
  await page.goto(`${server.address}/#/projects`);
  await field(page, 'Title').focus();
  await submit(page, 'Create Project').click();
  await page.getByText('Description is required').waitFor();
  expect(await page.getByText('Title is required').isVisible()).toBe(true);
});
