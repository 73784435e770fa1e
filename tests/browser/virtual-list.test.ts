import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { submitButton } from '../../model/browser-driver.ts';
import {
  fillProject,
  focusedField,
  mockProjects,
  openScreen,
  projectList,
  rowTitles,
  useBrowser,
  useServer,
} from '../support/browser.ts';

const browser = useBrowser();
const server = useServer();

/** Opens the projects screen with a list in which every seventh project is long. */
async function openList(count: number, options?: BrowserContextOptions) {
  const viewport = { width: 1000, height: 700 };
  const { page, problems } = await browser.open({ viewport, ...options });
  const projects = Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    title: `Project ${i + 1}`,
    description: 'One of many lines.\n'.repeat(i % 7 === 0 ? 9 : 1),
  }));
  const created = { id: count + 1, title: 'The new one', description: 'At the end.' };
  await mockProjects(page, projects, { status: 201, json: created });
  await openScreen(page, server.address, '/projects');
  await row(page, 1).waitFor();
  return { page, problems };
}

async function createProject(page: Page) {
  await fillProject(page, 'The new one', 'At the end.');
  await submitButton(page, 'Create Project').click();
  await page.getByText('The project was created.').waitFor();
}

const row = (page: Page, position: number) => page.locator(`li[aria-posinset="${position}"]`);
const renderedRows = (page: Page) => page.getByRole('listitem').count();
const showButton = (page: Page) => page.getByRole('button', { name: 'Show the new project' });

test('only the rows around the viewport are in the page, with the total number of rows [CHOICE-52, CHOICE-58]', async () => {
  const { page, problems } = await openList(5_000);
  expect(await renderedRows(page)).toBeLessThan(50);
  expect(await row(page, 1).getAttribute('aria-setsize')).toBe('5000');
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await row(page, 5_000).waitFor();
  expect(await rowTitles(page).last().textContent()).toBe('Project 5000');
  expect(await renderedRows(page)).toBeLessThan(50);
  expect(problems).toEqual([]);
});

test('the viewport is full of rows in order, at any scroll position [CHOICE-52]', async () => {
  const { page } = await openList(5_000);
  for (const share of [0.1, 0.5, 0.9, 0.3, 0.31, 0]) {
    await page.evaluate((part) => scrollTo(0, part * document.documentElement.scrollHeight), share);
    await page.evaluate(() => new Promise((painted) => requestAnimationFrame(painted)));
    const { positions, gaps, listTop, lastBottom } = await page.evaluate(() => {
      const rows = [...document.querySelectorAll('main li')];
      const boxes = rows.map((element) => element.getBoundingClientRect());
      return {
        positions: rows.map((element) => Number(element.getAttribute('aria-posinset'))),
        gaps: boxes.slice(1).map((box, i) => Math.round(box.top - (boxes[i]?.bottom ?? 0))),
        listTop: document.querySelector('main ul')?.getBoundingClientRect().top ?? 0,
        lastBottom: boxes.at(-1)?.bottom ?? 0,
      };
    });
    expect(positions).toEqual(positions.map((_, i) => (positions[0] ?? 0) + i));
    expect(new Set(gaps).size).toBe(1);
    // At the very top, the form is above the list.
    expect(share === 0 || listTop <= 0).toBe(true);
    expect(lastBottom).toBeGreaterThanOrEqual(700);
  }
});

test('Home and End work in a long list, also after the window changed its width [CHOICE-52]', async () => {
  const { page } = await openList(1_000);
  // Row heights are measured while scrolling, so a user may have to press the key again.
  const pressUntilVisible = async (key: 'Home' | 'End', position: number) => {
    const press = async () => {
      await page.keyboard.press(key);
      return row(page, position).isVisible();
    };
    await expect.poll(press).toBe(true);
  };
  await page.getByRole('heading', { name: 'List of Projects' }).click();
  await pressUntilVisible('End', 1_000);
  await pressUntilVisible('Home', 1);
  await pressUntilVisible('End', 1_000);
  await page.setViewportSize({ width: 320, height: 700 });
  await pressUntilVisible('End', 1_000);
  expect(await renderedRows(page)).toBeLessThan(50);
});

test('"Show the new project" scrolls to a new project and focuses its title [CHOICE-59]', async () => {
  const { page, problems } = await openList(3_000);
  expect(await showButton(page).count()).toBe(0);
  await createProject(page);
  await showButton(page).click();
  const title = row(page, 3_001).locator('h3');
  await title.waitFor();
  const { top, bottom } = await title.evaluate((element) => element.getBoundingClientRect());
  expect(top).toBeGreaterThanOrEqual(0);
  expect(bottom).toBeLessThanOrEqual(700);
  expect(await title.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await title.textContent()).toBe('The new one');
  expect(problems).toEqual([]);
});

/** Scrolls pixel by pixel. */
const scrollThrough = (page: Page, pixels: number) =>
  page.evaluate((end) => {
    for (let y = 0; y < end; y += 1) {
      scrollTo(0, y);
      dispatchEvent(new Event('scroll'));
    }
  }, pixels);

test('a user who scrolled during a create keeps the scroll position, and the next key shows the form [CHOICE-27]', async () => {
  const { page } = await openList(1_000);
  await fillProject(page, 'The new one', 'At the end.');
  const create = page.waitForRequest((request) => request.method() === 'POST');
  await page.evaluate(() => {
    const button = document.querySelector<HTMLElement>('form button')!;
    scrollTo(0, 5_000);
    button.click();
  });
  await create;
  await page.getByText('The project was created.').waitFor();
  await expect.poll(() => focusedField(page)).toBe('title');
  expect(await page.evaluate(() => scrollY)).toBeGreaterThan(4_500);
  await page.keyboard.type('N');
  await expect.poll(() => page.evaluate(() => scrollY)).toBeLessThan(300);
});

test('the focused field is visible after a create in a low window', async () => {
  const { page } = await openList(60, { viewport: { width: 400, height: 180 } });
  await createProject(page);
  const focused = page.locator('input:focus');
  await focused.waitFor();
  expect(await focused.getAttribute('name')).toBe('title');
  const { y = -1 } = (await focused.boundingBox()) ?? {};
  expect(y).toBeGreaterThanOrEqual(0);
});

test('a long list scrolls at a zoom of 125 %, with fractional row heights [CHOICE-52]', async () => {
  const { page, problems } = await openList(3_000, { deviceScaleFactor: 1.25 });
  for (const fontSize of [15.7, 16.3, 17.3]) {
    await page.evaluate((px) => (document.documentElement.style.fontSize = `${px}px`), fontSize);
    await scrollThrough(page, 5_000);
    expect(await rowTitles(page).count()).toBeGreaterThan(5);
  }
  expect(problems).toEqual([]);
});

test('a long list scrolls with user styles [CHOICE-52]', async () => {
  const { page, problems } = await openList(3_000, { bypassCSP: true });
  await page.addStyleTag({
    content:
      'main li { display: block !important; padding: 0 !important } h3, p { margin: 20px 0 !important }',
  });
  await scrollThrough(page, 5_000);
  expect(await rowTitles(page).count()).toBeGreaterThan(5);
  expect(problems).toEqual([]);
});

test('a long list renders few rows when the window changes its width [CHOICE-52]', async () => {
  const { page } = await openList(5_000);
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
    () => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))),
  );
  expect(await added.evaluate(({ rows }) => rows)).toBeLessThan(100);
});

test('the list keeps the focus when the user scrolls away from the new project [CHOICE-59]', async () => {
  const { page, problems } = await openList(3_000);
  const isFocused = (element: Element) => element === document.activeElement;
  await createProject(page);
  await showButton(page).focus();
  await page.keyboard.press('Enter');
  await row(page, 3_001).waitFor();
  await page.keyboard.press('Home');
  await row(page, 1).waitFor();
  await row(page, 3_001).waitFor({ state: 'detached' });
  expect(await projectList(page).getByRole('list').evaluate(isFocused)).toBe(true);
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await page.keyboard.press('Shift+Tab');
  expect(await showButton(page).evaluate(isFocused)).toBe(true);
  expect(problems).toEqual([]);
});

test('all 50 projects of a list are in the page, so that the browser can search them [CHOICE-57]', async () => {
  const { page } = await openList(50);
  expect(await renderedRows(page)).toBe(50);
});
