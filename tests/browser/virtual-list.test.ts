import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillProject, show, submit, titles, useBrowser } from '../support/browser.ts';
import { startTemporaryServer } from '../support/server-process.ts';

const browser = useBrowser();
let server: Awaited<ReturnType<typeof startTemporaryServer>>;
beforeAll(async () => {
  server = await startTemporaryServer();
});
afterAll(() => server.stop());

/** The screen of projects with so many of them, of which every seventh is long. */
async function listOf(count: number, options?: BrowserContextOptions) {
  const viewport = { width: 1000, height: 700 };
  const { page, problems } = await browser.open({ viewport, ...options });
  const projects = Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    title: `Project ${i + 1}`,
    description: 'One of many lines.\n'.repeat(i % 7 === 0 ? 9 : 1),
  }));
  await page.route('**/api/v1/projects', (route) =>
    route.request().method() === 'GET'
      ? route.fulfill({ json: projects })
      : route.fulfill({
          status: 201,
          json: { id: count + 1, title: 'The new one', description: 'At the end.' },
        }),
  );
  await show(page, server.address, '/projects');
  await row(page, 1).waitFor();
  return { page, problems };
}

const row = (page: Page, place: number) => page.locator(`li[aria-posinset="${place}"]`);
const drawn = (page: Page) => page.getByRole('listitem').count();
const toEnd = (page: Page) =>
  page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));

test('[CHOICE-52, CHOICE-58] of a long list only a screenful is in the page, and the number of all of them is told', async () => {
  const { page, problems } = await listOf(5_000);
  const before = await drawn(page);
  expect(before).toBeLessThan(50);
  expect(await row(page, 1).getAttribute('aria-setsize')).toBe('5000');
  await toEnd(page);
  await row(page, 5_000).waitFor();
  expect(await titles(page).last().textContent()).toBe('Project 5000');
  expect(await drawn(page)).toBeLessThan(50);
  expect(problems).toEqual([]);
});

test('[CHOICE-52] wherever the list is scrolled to, the window is full of rows, in their order', async () => {
  const { page } = await listOf(5_000);
  for (const share of [0.1, 0.5, 0.9, 0.3, 0.31, 0]) {
    await page.evaluate((part) => scrollTo(0, part * document.documentElement.scrollHeight), share);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    const { places, gaps } = await page.evaluate(() => {
      const rows = [...document.querySelectorAll('main li')];
      const boxes = rows.map((one) => one.getBoundingClientRect());
      return {
        places: rows.map((one) => Number(one.getAttribute('aria-posinset'))),
        gaps: boxes.slice(1).map((box, i) => Math.round(box.top - (boxes[i]?.bottom ?? 0))),
      };
    });
    expect(places).toEqual(places.map((_, i) => (places[0] ?? 0) + i));
    expect(new Set(gaps).size).toBe(1);
    const edges = await page.evaluate(() => {
      const all = document.querySelectorAll('main li');
      const above = document.querySelector('main ul')?.getBoundingClientRect().top ?? 0;
      return { above, below: all[all.length - 1]?.getBoundingClientRect().bottom ?? 0 };
    });
    // At the very top, the form stands above the list.
    expect(share === 0 || edges.above <= 0).toBe(true);
    expect(edges.below).toBeGreaterThanOrEqual(700);
  }
});

test('[CHOICE-52] a long list is read by keyboard alone, and stays where it is when the window changes its width', async () => {
  const { page } = await listOf(1_000);
  // Rows may turn out higher while the page is on its way, which ends its way there: then one presses once more.
  const goTo = async (key: 'Home' | 'End', index: number) => {
    const arrived = async () => {
      await page.keyboard.press(key);
      return row(page, index).isVisible();
    };
    await expect.poll(arrived).toBe(true);
  };
  await page.getByRole('heading', { name: 'List of Projects' }).click();
  await goTo('End', 1_000);
  await goTo('Home', 1);
  await goTo('End', 1_000);
  await page.setViewportSize({ width: 320, height: 700 });
  await goTo('End', 1_000);
  expect(await drawn(page)).toBeLessThan(50);
});

test('[CHOICE-59] a project that was just created is brought into view, and read out', async () => {
  const { page, problems } = await listOf(3_000);
  expect(await page.getByRole('button', { name: 'Show the new project' }).count()).toBe(0);
  await fillProject(page, 'The new one', 'At the end.');
  await submit(page, 'Create Project').click();
  await page.getByText('The project was created.').waitFor();
  await page.getByRole('button', { name: 'Show the new project' }).click();
  const title = row(page, 3_001).locator('h3');
  await title.waitFor();
  const { top, bottom } = await title.evaluate((element) => element.getBoundingClientRect());
  expect(top).toBeGreaterThanOrEqual(0);
  expect(bottom).toBeLessThanOrEqual(700);
  expect(await title.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await title.textContent()).toBe('The new one');
  expect(problems).toEqual([]);
});

/** Scrolls by one pixel after the other. */
const scrollThrough = (page: Page, pixels: number) =>
  page.evaluate((end) => {
    for (let y = 0; y < end; y += 1) {
      scrollTo(0, y);
      dispatchEvent(new Event('scroll'));
    }
  }, pixels);

test('[CHOICE-27] whoever has scrolled to the list while a project is being created stays there, and the first key brings the form back', async () => {
  const { page } = await listOf(1_000);
  await fillProject(page, 'The new one', 'At the end.');
  const create = page.waitForRequest((request) => request.method() === 'POST');
  await page.evaluate(() => {
    const button = document.querySelector<HTMLElement>('form button')!;
    scrollTo(0, 5_000);
    button.click();
  });
  await create;
  await page.getByText('The project was created.').waitFor();
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('name')))
    .toBe('title');
  expect(await page.evaluate(() => scrollY)).toBeGreaterThan(4_500);
  await page.keyboard.type('N');
  await expect.poll(() => page.evaluate(() => scrollY)).toBeLessThan(300);
});

test('whoever creates a project in a low window sees the field that has the focus then', async () => {
  const { page } = await listOf(60, { viewport: { width: 400, height: 180 } });
  await fillProject(page, 'The new one', 'At the end.');
  await submit(page, 'Create Project').click();
  await page.getByText('The project was created.').waitFor();
  const focused = page.locator('input:focus');
  await focused.waitFor();
  expect(await focused.getAttribute('name')).toBe('title');
  const { y = -1 } = (await focused.boundingBox()) ?? {};
  expect(y).toBeGreaterThanOrEqual(0);
});

test('[CHOICE-52] a long list can be scrolled at a zoom of 125 %, where rows are no whole pixels high', async () => {
  const { page, problems } = await listOf(3_000, { deviceScaleFactor: 1.25 });
  for (const size of [15.7, 16.3, 17.3]) {
    await page.evaluate((px) => (document.documentElement.style.fontSize = `${px}px`), size);
    await scrollThrough(page, 5_000);
    expect(await titles(page).count()).toBeGreaterThan(5);
  }
  expect(problems).toEqual([]);
});

test('[CHOICE-52] a long list can be scrolled where a person has styles of their own', async () => {
  const { page, problems } = await listOf(3_000, { bypassCSP: true });
  await page.addStyleTag({
    content:
      'main li { display: block !important; padding: 0 !important } h3, p { margin: 20px 0 !important }',
  });
  await scrollThrough(page, 5_000);
  expect(await titles(page).count()).toBeGreaterThan(5);
  expect(problems).toEqual([]);
});

test('[CHOICE-52] a window that gets another width draws a long list no less sparingly', async () => {
  const { page } = await listOf(5_000);
  const added = await page.evaluateHandle(() => {
    const count = { rows: 0 };
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) count.rows += addedNodes.length;
    }).observe(document.querySelector('main ul')!, { childList: true });
    return count;
  });
  await page.setViewportSize({ width: 400, height: 900 });
  await page.waitForFunction(
    () => innerWidth === 400 && document.querySelectorAll('main li').length > 5,
  );
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
  expect(await added.evaluate(({ rows }) => rows)).toBeLessThan(100);
});

test('[CHOICE-59] whoever scrolls away from the project that was just shown stays in the list with the keyboard', async () => {
  const { page, problems } = await listOf(3_000);
  await fillProject(page, 'The new one', 'At the end.');
  await submit(page, 'Create Project').click();
  await page.getByRole('button', { name: 'Show the new project' }).focus();
  await page.keyboard.press('Enter');
  await row(page, 3_001).waitFor();
  await page.keyboard.press('Home');
  await row(page, 1).waitFor();
  await row(page, 3_001).waitFor({ state: 'detached' });
  const list = page.getByRole('region', { name: 'List of Projects' }).getByRole('list');
  expect(await list.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await page.keyboard.press('Shift+Tab');
  const button = page.getByRole('button', { name: 'Show the new project' });
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(problems).toEqual([]);
});

test('[CHOICE-57] a list of 50 projects is in the page as a whole, for the search of the browser to find', async () => {
  const { page } = await listOf(50);
  expect(await drawn(page)).toBe(50);
});
