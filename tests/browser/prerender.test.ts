// @module-tag chromium
import { readdirSync } from 'node:fs';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { field, submitButton, waitForApp } from '../../testing/page-driver.ts';
import { focused, headerLink, useBrowser, useServer } from '../../testing/browser.ts';
import { prerenderedPages } from '../../testing/held-pages.ts';
import { rowTexts } from '../../src/ui/row-texts.ts';
import { listOf } from '../../testing/projects.ts';
import { operationTable } from '../../generated/operations.ts';

const browser = useBrowser();
const server = useServer();

const listPath = operationTable.listProjects.path;
const openPrerendered = prerenderedPages(browser, server);
const requiredErrors = (page: Page) => page.getByText('is required');

test('no key is lost while the app takes over [CHOICE-62]', async () => {
  const { page, hydrate } = await openPrerendered('/login');
  await field(page, 'password').focus();
  const app = { isInPlace: false };
  const takingOver = hydrate().then(() => (app.isInPlace = true));
  let typed = '';
  while (!app.isInPlace) {
    await page.keyboard.press('a');
    typed += 'a';
  }
  await takingOver;
  expect(await field(page, 'password').inputValue()).toBe(typed);
  expect(await requiredErrors(page).count()).toBe(0);
});

test('a touched empty field has an error until it is filled, then its other error when the app takes over [CHOICE-63, CHOICE-74, FIELD-1]', async () => {
  const { page, problems, hydrate } = await openPrerendered('/login');
  const errors = () => requiredErrors(page).allTextContents();
  await headerLink(page, '/about').focus();
  await field(page, 'email').focus();
  // It is not touched yet.
  await page.keyboard.type('a');
  await page.keyboard.press('Backspace');
  expect(await errors()).toEqual([]);
  await page.keyboard.press('Tab');
  await expect.poll(errors).toEqual(['Email is required']);
  expect(await field(page, 'email').getAttribute('aria-invalid')).toBe('true');
  await page.keyboard.press('Shift+Tab');
  await expect.poll(errors).toEqual(['Email is required', 'Password is required']);
  await page.keyboard.type('ada');
  await expect.poll(errors).toEqual(['Password is required']);
  expect(await field(page, 'email').getAttribute('aria-invalid')).toBe('false');
  await hydrate();
  await page.getByText('Invalid email address').waitFor();
  expect(await errors()).toEqual(['Password is required']);
  await page.keyboard.press('Tab');
  await page.keyboard.type('c');
  await expect.poll(errors).toEqual([]);
  expect(problems).toEqual([]);
});

test('half a date is an error and is kept, before and after the app takes over [CHOICE-63, CHOICE-113]', async () => {
  const { page, requests, hydrate } = await openPrerendered('/login');
  const isHalf = () =>
    field(page, 'email').evaluate((input) => (input as HTMLInputElement).validity.badInput);
  await field(page, 'email').evaluate((input) => {
    Object.assign(input, { type: 'date' });
    // React sets the type that it has rendered.
    Object.defineProperty(input, 'type', { get: () => 'date', set: () => {} });
  });
  await field(page, 'email').press('1');
  await submitButton(page, 'login').click();
  await page.getByText('Email is not valid').waitFor();
  expect([await focused(page), await isHalf()]).toEqual(['email', true]);
  await hydrate();
  await submitButton(page, 'login').click();
  await page.getByText('Password is required').waitFor();
  await page.getByText('Email is not valid').waitFor();
  expect([await isHalf(), requests]).toEqual([true, []]);
});

/** Returns the texts of each row. */
const rowsOf = (rows: Locator) =>
  rows.evaluateAll((all) =>
    all.map((row) => [...row.querySelectorAll('[data-field]')].map((text) => text.textContent)),
  );

const textsOf = (count: number) =>
  listOf(count).map((project) => Object.values(rowTexts).map((textOf) => textOf(project)));

/** Opens the prerendered projects with a list that the test streams. */
async function openStreaming(options?: BrowserContextOptions) {
  const prerendered = await openPrerendered('/projects', {
    ...options,
    prepare: (newPage) =>
      newPage.addInitScript(() => {
        const encoder = new TextEncoder();
        window.fetch = async (input) => {
          const { fetched = '' } = document.body.dataset;
          const url = input instanceof Request ? input.url : String(input);
          document.body.dataset['fetched'] = fetched + url;
          const body = new ReadableStream({
            start(stream) {
              addEventListener('chunk', (event) =>
                stream.enqueue(encoder.encode((event as CustomEvent<string>).detail)),
              );
              addEventListener('end', () => stream.close());
            },
          });
          return new Response(body);
        };
      }),
  });
  const { page } = prerendered;
  await page.locator('section').waitFor();
  return {
    ...prerendered,
    send: (chunk: string) =>
      page.evaluate((detail) => dispatchEvent(new CustomEvent('chunk', { detail })), chunk),
    end: () => page.evaluate(() => dispatchEvent(new CustomEvent('end'))),
  };
}

test('projects are shown as they arrive, and stay when the app takes over [CHOICE-69]', async () => {
  const { page, problems, hydrate, send, end } = await openStreaming();
  const list = page.getByRole('list', { name: 'List of Projects' });
  const rows = list.getByRole('listitem');
  const section = page.locator('section');
  const json = JSON.stringify(listOf(7));
  const secondProject = json.indexOf(',{"id":2');
  const fourthProject = json.indexOf(',{"id":4');
  await send(json.slice(0, secondProject));
  await expect.poll(() => rowsOf(rows)).toEqual(textsOf(1));
  await send(json.slice(secondProject, fourthProject));
  await expect.poll(() => rowsOf(rows)).toEqual(textsOf(3));
  await send(json.slice(fourthProject, -20));
  await expect.poll(() => rowsOf(rows)).toEqual(textsOf(6));
  const positions = () =>
    rows.evaluateAll((all) => all.map((row) => `${row.ariaPosInSet} of ${row.ariaSetSize}`));
  const ofUnknown = ['1 of -1', '2 of -1', '3 of -1', '4 of -1', '5 of -1', '6 of -1'];
  expect(await positions()).toEqual(ofUnknown);
  expect(await section.getAttribute('aria-busy')).toBe('true');
  expect(await page.getByText('Loading projects…').count()).toBe(0);
  const screenshot = () => page.screenshot({ fullPage: true });
  const before = await section.ariaSnapshot();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const prerendered = await screenshot();

  // Records the fewest rows that the browser could paint between two tasks.
  await page.evaluate(() => {
    new MutationObserver(() => {
      const { fewest = '9' } = document.body.dataset;
      const count = document.querySelectorAll('#root li[aria-posinset]').length;
      document.body.dataset['fewest'] = String(Math.min(Number(fewest), count));
    }).observe(document.body, { childList: true, subtree: true });
  });
  await hydrate();
  expect(await page.locator('body').getAttribute('data-fewest')).toBe('6');
  expect(Buffer.compare(prerendered, await screenshot())).toBe(0);
  expect(await rowsOf(rows)).toEqual(textsOf(6));
  expect(await positions()).toEqual(ofUnknown);
  expect(await section.ariaSnapshot()).toBe(before);

  await send(json.slice(-20));
  await end();
  await expect.poll(() => section.getAttribute('aria-busy')).toBe('false');
  expect(await rowsOf(rows)).toEqual(textsOf(7));
  expect(await page.locator('body').getAttribute('data-fetched')).toBe(
    `${new URL(page.url()).origin}${listPath}`,
  );
  expect(problems).toEqual([]);
});

test.each([200, 400])(
  'the same rows of a list of %i are in view when the app takes over [CHOICE-66]',
  async (count) => {
    const { page, hydrate, send, end } = await openStreaming({
      viewport: { width: 800, height: 300 },
    });
    // All rows have different heights, so that no height can be estimated from the others.
    await send(JSON.stringify(listOf(count, (index) => 'A line.\n'.repeat(index + 1))));
    const rows = page.locator('section li');
    await rows.nth(14).waitFor();
    await rows.last().evaluate((row) => row.scrollIntoView());
    const position = () =>
      page.evaluate(() => {
        const title = document.elementFromPoint(innerWidth / 2, 10)?.closest('li')?.firstChild;
        return [title?.textContent, scrollY];
      });
    const before = await position();
    expect(before[0]).toMatch(/^Project \d+$/m);
    await hydrate();
    expect(await position()).toEqual(before);
    await end();
    await page.locator('section[aria-busy=false]').waitFor();
    expect(await position()).toEqual(before);
  },
);

test('the app runs when the first rows are painted, if they arrive at once [CHOICE-69]', async () => {
  const { page } = await browser.open();
  await page.addInitScript(() => {
    // However slow the machine is, "at once" has not passed.
    const delay = window.setTimeout.bind(window);
    window.setTimeout = ((run: () => void, ms?: number) =>
      ms === 100 ? 0 : delay(run, ms)) as typeof setTimeout;
    const observer = new MutationObserver(() => {
      if (!document.querySelector('li')) return;
      observer.disconnect();
      requestAnimationFrame(() => performance.mark('painting'));
    });
    observer.observe(document, { childList: true, subtree: true });
  });
  const chunks: string[] = [];
  await page.route('**/assets/*', async (route) => {
    const response = await route.fetch();
    const body = `performance.mark('running');${await response.text()}`;
    await route.fulfill({ response, body });
    chunks.push(route.request().url());
  });
  await page.route(`**${listPath}`, async (route) => {
    await expect.poll(() => chunks.length).toBe(2);
    await route.fulfill({ json: listOf(3) });
  });
  await page.goto(`${server.address}/#/projects`);
  await waitForApp(page);
  const marks = await page.evaluate(() =>
    performance.getEntriesByType('mark').map(({ name }) => name),
  );
  expect(marks.slice(0, 3)).toEqual(['painting', 'running', 'running']);
});

test('no content blocker matches the names of the two chunks, with any hashes', () => {
  const chunks = readdirSync('dist/assets').filter((name) => name.endsWith('.js'));
  expect(chunks.toSorted()).toEqual([
    expect.stringMatching(/^index-h[0-9a-f]{8}\.js$/),
    expect.stringMatching(/^lazy-chunk-h[0-9a-f]{8}\.js$/),
  ]);
});
