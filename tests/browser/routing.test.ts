import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useBrowser } from '../support/browser.ts';

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.png': 'image/png',
};

/** Any web server, which knows nothing of the app: files below /some/folder/, and 404 for the rest. */
let server: Server;
let address: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://x').pathname.replace(/^\/some\/folder\//, '');
    const file = join('dist', path === '' ? 'index.html' : path);
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream');
    return createReadStream(file).pipe(response);
  }).listen(0, '127.0.0.1');
  await new Promise((ready) => server.once('listening', ready));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/some/folder/`;
});
afterAll(() => server.close());

const browser = useBrowser();

test('[ROUTE-1, ROUTE-7, ERROR-9] on any web server, in any folder, the fragment says which screen is shown', async () => {
  const { page } = await browser.open();
  for (const [path, heading] of [
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
  ] as const) {
    await page.goto('about:blank');
    await page.goto(address + path);
    const title = page.getByRole('heading', { level: 1 });
    await title.waitFor();
    expect([path, await title.textContent()]).toEqual([path, heading]);
  }
});

test('[HEADER-2, HEADER-3, HEADER-4, HEADER-5, HEADER-6] the links of the header lead to their screens, and back and forward follow', async () => {
  const { page } = await browser.open();
  await page.goto(`${address}?utm_source=letter`);
  const heading = (name: string) =>
    page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  for (const [link, name, hash] of [
    ['About', 'About Page', '#/about'],
    ['Projects', 'New Project', '#/projects'],
    ['Sign up', 'Create an account', '#/register'],
    ['Sign in', 'Sign in', '#/login'],
    ['Home', 'Home', '#/'],
  ] as const) {
    await page.getByRole('banner').getByRole('link', { name: link, exact: true }).click();
    await heading(name);
    expect(new URL(page.url()).hash.replace(/\?.*/, '')).toBe(hash);
  }
  await page.goBack();
  await heading('Sign in');
  await page.goBack();
  await heading('Create an account');
  await page.goForward();
  await heading('Sign in');
});
