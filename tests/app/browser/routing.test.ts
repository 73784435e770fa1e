import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendFile } from '../../support/static-files.ts';
import { heading } from '../../../model/browser-driver.ts';
import { screens } from '../../../model/screens.ts';
import { headerLink, useBrowser } from '../../support/browser.ts';

const folder = '/some/folder/';
let server: Server;
let address: string;
beforeAll(async () => {
  // A plain web server: the files of the app in a folder, and 404 for everything else.
  server = createServer(({ url = '' }, response) => {
    const isBelow = url.startsWith(folder);
    if (isBelow && sendFile('dist', url.slice(folder.length - 1), response)) return;
    response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${folder}`;
});
afterAll(() => server.close());

const browser = useBrowser();

test.each([
  ['', 'Home'],
  ['#', 'Home'],
  ['#/', 'Home'],
  ['#/about', 'About Page'],
  ['#/about/', 'About Page'],
  ['#/register', 'Create an account'],
  ['#/login', 'Sign in'],
  ['#/login?next=1', 'Sign in'],
  ['?utm_source=letter#/login', 'Sign in'],
  ['#/projects', 'New Project'],
  ['#/nowhere', 'Unexpected Application Error!'],
  ['#/projects/1', 'Unexpected Application Error!'],
  ['#/%', 'Unexpected Application Error!'],
])(
  '"%s" shows the screen "%s", on any web server in any folder [ROUTE-1, ROUTE-7, ERROR-9]',
  async (path, name) => {
    const { page } = await browser.open();
    await page.goto(address + path);
    const shown = page.getByRole('heading', { level: 1 });
    await shown.waitFor();
    expect(await shown.textContent()).toBe(name);
  },
);

test('the links of the header, back and forward lead to their screens [HEADER-2, HEADER-3, HEADER-4, HEADER-5, HEADER-6]', async () => {
  const { page } = await browser.open();
  await page.goto(`${address}?utm_source=letter`);
  for (const path of ['/about', '/projects', '/register', '/login', '/'] as const) {
    await headerLink(page, screens[path].link).click();
    await heading(page, screens[path].heading).waitFor();
    expect(new URL(page.url()).hash.replace(/\?.*/, '')).toBe(`#${path}`);
  }
  await page.goBack();
  await heading(page, 'Sign in').waitFor();
  await page.goBack();
  await heading(page, 'Create an account').waitFor();
  await page.goForward();
  await heading(page, 'Sign in').waitFor();
});
