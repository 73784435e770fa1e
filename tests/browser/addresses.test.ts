// @module-tag chromium
import axe from 'axe-core';
import { expect, test } from 'vitest';
import { heading, origin, serveFiles, waitForApp } from '../../testing/page-driver.ts';
import { routes, screens } from '../../shared/routes.ts';
import { useBrowser, useServer } from '../../testing/browser.ts';

const browser = useBrowser();
const server = useServer();

test('each address shows its screen, on any web server in any folder [ROUTE-1, ROUTE-7, ERROR-9]', async () => {
  const headings = {
    '': 'Home',
    '#': 'Home',
    '#/': 'Home',
    '#/about': 'About Page',
    '#/register': 'Create an account',
    '#/login?next=1': 'Sign in',
    '?utm_source=letter#/login': 'Sign in',
    '#/projects': 'New Project',
    '#/nowhere/1': 'Unexpected Application Error!',
    '#/%': 'Unexpected Application Error!',
  };
  for (const [path, name] of Object.entries(headings)) {
    const { page } = await browser.open();
    await serveFiles(page, '/some/folder/');
    await page.goto(`${origin}/some/folder/${path}`);
    const shown = page.getByRole('heading', { level: 1 });
    expect([path, await shown.textContent()]).toEqual([path, name]);
  }
});

test.each([
  ['/%23/login', '/#/login'],
  ['//REGISTER/),', '/#/register'],
  ['/index.html%23/about?utm=1', '/?utm=1#/about'],
  ['/projects%E2%80%9D', '/#/projects'],
  ['/#/login.', '/#/login.'],
  ['/index.html#/login', '/index.html#/login'],
])(
  'the address %s, as mails and people write it, leads to its screen [CHOICE-104]',
  async (path, expected) => {
    const { page } = await browser.open();
    await page.goto(server.address + path);
    await waitForApp(page);
    const route = routes.find((each) => each !== '/' && expected.includes(each))!;
    await heading(page, screens[route].heading).waitFor();
    expect(page.url()).toBe(server.address + expected);
  },
);

test.each(['light', 'dark'] as const)(
  'an unknown address shows an accessible page, %s like the app, that leads to the app',
  async (colorScheme) => {
    const { page, problems } = await browser.open({ colorScheme });
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const response = await page.goto(`${server.address}/a/deeper/address`);
    expect(response?.status()).toBe(404);
    await heading(page, 'Page not found').waitFor();
    expect(await page.title()).toBe('Page not found · Tracker App');
    const { violations } = await page.evaluate<axe.AxeResults>(`${axe.source}; axe.run()`);
    expect(violations.map(({ id }) => id)).toEqual([]);
    const backgroundOfPage = await background();
    await page.getByRole('link', { name: 'Go to the start page' }).click();
    await heading(page, screens['/'].heading).waitFor();
    expect(page.url()).toBe(`${server.address}/`);
    expect(backgroundOfPage).toBe(await background());
    // Chromium logs the status of the page.
    expect(problems).toEqual([expect.stringContaining('404')]);
  },
);
