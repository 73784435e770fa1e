import axe from 'axe-core';
import { expect, test } from 'vitest';
import { heading } from '../../../model/browser-driver.ts';
import { screens } from '../../../model/screens.ts';
import { useBrowser, useServer } from '../../support/browser.ts';

const browser = useBrowser();
const server = useServer();

test.each(Object.entries(screens))(
  '%s without the # leads to its screen',
  async (path, { heading: name }) => {
    const { page } = await browser.open();
    await page.goto(server.address + path);
    await heading(page, name).waitFor();
    expect(new URL(page.url()).hash).toBe(path === '/' ? '' : `#${path}`);
  },
);

test.each([
  ['/nothing', 'light'],
  ['/a/deeper/address', 'dark'],
] as const)('%s shows an accessible page, %s, that leads to the app', async (path, colorScheme) => {
  const { page, problems } = await browser.open({ colorScheme, bypassCSP: true });
  const response = await page.goto(server.address + path);
  expect(response?.status()).toBe(404);
  await heading(page, 'Page not found').waitFor();
  expect(await page.title()).toBe('Page not found · Tracker App');
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (window as unknown as { axe: typeof axe }).axe.run(),
  );
  expect(violations.map(({ id }) => id)).toEqual([]);
  await page.getByRole('link', { name: 'Go to the start page' }).click();
  await heading(page, 'Home').waitFor();
  expect(page.url()).toBe(`${server.address}/`);
  // Chromium logs the status of the page.
  expect(problems).toEqual([expect.stringContaining('404')]);
});

test('the page of an unknown address has its styles under the content security policy', async () => {
  const backgroundOf = async (path: string, colorScheme: 'light' | 'dark') => {
    const { page } = await browser.open({ colorScheme });
    await page.goto(server.address + path);
    return page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  };
  const transparent = 'rgba(0, 0, 0, 0)';
  for (const colorScheme of ['light', 'dark'] as const) {
    const background = await backgroundOf('/nothing', colorScheme);
    expect(background).not.toBe(transparent);
    expect(background).toBe(await backgroundOf('/', colorScheme));
  }
});
