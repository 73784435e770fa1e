import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { headings, useBrowser } from '../support/browser.ts';
import { startServerProcess } from '../support/server-process.ts';

const browser = useBrowser();
let server: Awaited<ReturnType<typeof startServerProcess>>;
beforeAll(async () => {
  server = await startServerProcess();
});
afterAll(() => server.stop());

/** A page whose scripts never come. */
async function withoutScripts() {
  const { page } = await browser.open();
  await page.route('**/assets/**', () => {});
  await page.route('**/api/**', () => {});
  return page;
}

test.each(Object.entries(headings))(
  '[READ-53] %s is seen before a script has come: header, "%s", footer with this year',
  async (path, heading) => {
    const page = await withoutScripts();
    await page.goto(`${server.address}/#${path}`, { waitUntil: 'commit' });
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
    expect(await page.locator('h1:visible').count()).toBe(1);
    expect(await page.locator('header a:visible').allTextContents()).toEqual([
      'Home',
      'About',
      'Projects',
      'Sign up',
      'Sign in',
    ]);
    const footer = `© ${new Date().getFullYear()} Tracker App. All rights reserved.`;
    expect(await page.locator('footer:visible').textContent()).toBe(footer);
    expect(await page.locator('header a[aria-current="page"]:visible').count()).toBe(1);
    expect(await page.evaluate(() => scrollY)).toBe(0);
  },
);

test('[READ-53] links work before a script has come', async () => {
  const page = await withoutScripts();
  await page.goto(server.address, { waitUntil: 'commit' });
  await page.locator('header a:visible', { hasText: 'Sign up' }).click();
  await page.getByRole('heading', { name: 'Create an account' }).waitFor();
  expect(new URL(page.url()).hash).toBe('#/register');
});

/** A page whose scripts come when they are let through. */
async function withLateScripts() {
  const { page } = await browser.open();
  const held: (() => void)[] = [];
  await page.route('**/assets/**', async (route) => {
    await new Promise<void>((go) => held.push(go));
    await route.continue();
  });
  await page.route('**/api/**', () => {});
  return {
    page,
    /** Lets them through until the app has taken the place of the first view. */
    arrive: async () => {
      const going = setInterval(() => held.splice(0).forEach((go) => go()), 1);
      await page.waitForFunction(() => !document.querySelector('[data-year], template'));
      clearInterval(going);
    },
  };
}

test('[READ-53] the first view looks as the app does that takes its place, to the pixel', async () => {
  const { page, arrive } = await withLateScripts();
  // Nothing moves, and the list is still on its way in both.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const path of Object.keys(headings)) {
    await page.goto('about:blank');
    await page.goto(`${server.address}/#${path}`, { waitUntil: 'commit' });
    await page.locator('h1:visible').waitFor();
    const early = await page.screenshot();
    await arrive();
    const late = await page.screenshot();
    expect(Buffer.compare(early, late), `${path} changes when the app takes over`).toBe(0);
  }
});

test('[READ-53] whoever is on a link of the first view stays on it when the app takes its place', async () => {
  const { page, arrive } = await withLateScripts();
  await page.goto(`${server.address}/#/about`, { waitUntil: 'commit' });
  await page.getByRole('link', { name: 'Projects' }).focus();
  await arrive();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Projects');
});

test('[READ-53] whoever follows a link of the first view is there when the app takes its place', async () => {
  const { page, arrive } = await withLateScripts();
  await page.goto(server.address, { waitUntil: 'commit' });
  await page.getByRole('link', { name: 'Sign up' }).click();
  await page.getByRole('heading', { name: 'Create an account' }).waitFor();
  expect(await page.getByLabel('Email').isDisabled()).toBe(true);
  await arrive();
  await page.getByLabel('Email').fill('ada@example.org');
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Create an account');
});

test('[READ-53] whoever follows a link of the first view by keyboard is on the heading of that screen, before and after the app takes its place', async () => {
  const { page, arrive } = await withLateScripts();
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  await page.goto(`${server.address}/#/about`, { waitUntil: 'commit' });
  await page.getByRole('link', { name: 'Sign up' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Create an account' }).waitFor();
  expect(await focused()).toBe('Create an account');
  await arrive();
  expect(await focused()).toBe('Create an account');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('email');
});

test('the built page has no script or style in it that the policy of the server does not name', async () => {
  const { page, problems } = await browser.open();
  await page.goto(`${server.address}/#/login`);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(problems).toEqual([]);
  const policy = (await fetch(server.address)).headers.get('content-security-policy') ?? '';
  expect(policy).not.toContain('unsafe');
  expect(readFileSync('dist/index.html', 'utf8')).toMatch(/<style>.+<\/style>/s);
});
