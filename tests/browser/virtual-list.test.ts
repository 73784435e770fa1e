// @module-tag chromium
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { heading, submitButton, waitForApp, field } from '../../testing/page-driver.ts';
import {
  fillProject,
  focused,
  mockProjects,
  openScreen,
  projectList,
  rowTitles,
  useBrowser,
  useServer,
} from '../../testing/browser.ts';
import { operationTable } from '../../generated/operations.ts';
import { screens } from '../../shared/routes.ts';
import { storedProject, listOf } from '../../testing/projects.ts';

const browser = useBrowser();
const server = useServer();

/** Lines of the projects of a list, by index. In the first one, every seventh is long. */
const linesOf: Record<string, (index: number, count: number) => string> = {
  'of different heights': (i) => 'One of many lines.\n'.repeat(i % 7 === 0 ? 9 : 1),
  'of one height': () => 'One line, which a narrow window breaks, so that all rows are higher.',
  'higher further down': (i, count) => 'Line.\n'.repeat(1 + (30 * i) / count),
};

type ListOptions = BrowserContextOptions & { rows?: string };

async function openList(count: number, { rows, ...options }: ListOptions = {}) {
  const viewport = { width: 1000, height: 700 };
  const { page, problems } = await browser.open({ viewport, ...options });
  const projects = listOf(count, (i) => linesOf[rows ?? 'of different heights']!(i, count));
  const created = storedProject({}, count + 1);
  await mockProjects(page, projects, { status: 201, json: created });
  await openScreen(page, server.address, '/projects');
  await row(page, 1).waitFor();
  return { page, problems, projects };
}

async function createProject(page: Page) {
  await fillProject(page);
  await submitButton(page, 'createProject').click();
  await page.getByText('The project was created.').waitFor();
}

const row = (page: Page, position: number) => page.locator(`li[aria-posinset="${position}"]`);
const renderedRows = (page: Page) => page.getByRole('listitem').count();
const isFocused = (element: Element) => element === document.activeElement;
const isInViewport = (element: Element) => {
  const { top, bottom } = element.getBoundingClientRect();
  return top < innerHeight && bottom > 0;
};
const showButton = (page: Page) => page.getByRole('button', { name: 'Show the new project' });

/** Returns the title of the first row that starts in the viewport. */
const titleAtTop = (page: Page) =>
  page.evaluate(() => {
    const titles = [...document.querySelectorAll('main [data-field=title]')];
    return titles.find((title) => title.getBoundingClientRect().top > 0)?.textContent;
  });

/** Records each change of the rows and of their attributes. */
const watchRows = (page: Page) =>
  projectList(page).evaluateHandle((section) => {
    const records: MutationRecord[] = [];
    const observer = new MutationObserver((added) => records.push(...added));
    observer.observe(section.querySelector('ul')!, {
      subtree: true,
      childList: true,
      attributeFilter: ['aria-setsize', 'aria-posinset', 'class'],
    });
    return records;
  });

/** Searches as the find bar does. Returns whether the text was found. */
const find = (page: Page, text: string) =>
  page.evaluate(
    (words) => (window as unknown as { find(words: string): boolean }).find(words),
    text,
  );

/** Returns the titles in a print. Its outline has them as plain text. */
async function printedTitles(page: Page) {
  const pdf = (await page.pdf({ tagged: true, outline: true })).toString('latin1');
  return new Set(pdf.match(/(?<=\/Title \()Project \d+/g));
}

test('only the rows around the viewport are in the page, with the total number of rows [CHOICE-52, CHOICE-58]', async () => {
  const { page, problems } = await openList(301, { rows: 'higher further down' });
  expect(await renderedRows(page)).toBeLessThan(50);
  expect(await row(page, 1).getAttribute('aria-setsize')).toBe('301');
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight / 2));
  await row(page, 1).waitFor({ state: 'detached' });
  expect(await titleAtTop(page)).toMatch(/^Project \d\d+$/m);
  expect(await renderedRows(page)).toBeLessThan(50);
  expect(problems).toEqual([]);
});

test('the page of a long list is as high as its rows after the window changed its width, and few rows were rendered [CHOICE-52]', async () => {
  const { page } = await openList(1_000, { rows: 'of one height' });
  const added = await page.evaluateHandle(() => {
    const count = { rows: 0 };
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) count.rows += addedNodes.length;
    }).observe(document.querySelector('main ul')!, { childList: true });
    return count;
  });
  const heightInRows = () =>
    page.evaluate(() => {
      const rows = [...document.querySelectorAll('main li')];
      const [first = 0, second = 0] = rows.map((element) => element.getBoundingClientRect().top);
      return document.querySelector('main section')!.scrollHeight / (second - first);
    });
  for (const width of [1000, 320]) {
    await page.setViewportSize({ width, height: 700 });
    await expect.poll(async () => Math.round((await heightInRows()) / 100)).toBe(10);
  }
  expect(await added.evaluate(({ rows }) => rows)).toBeLessThan(100);
});

test.each([200, 290, 400])(
  'the row at the top of a list of %i stays there when 20 projects were added above it while the user was on another screen [CHOICE-110]',
  async (count) => {
    const { page, projects } = await openList(count);
    // Up to the event: users stay for longer than a frame.
    await page.evaluate(async () => {
      const scrolled = new Promise((resolve) => {
        addEventListener('scroll', resolve, { once: true });
      });
      scrollTo(0, 5_000);
      await scrolled;
    });
    await row(page, 40).waitFor();
    const before = await titleAtTop(page);
    projects.unshift(...listOf(20).map((each) => ({ ...each, id: -each.id, title: 'Added' })));
    await page.evaluate(() => void (location.hash = '#/about'));
    await heading(page, screens['/about'].heading).waitFor();
    await page.goBack();
    await page.getByText(`${count + 20} projects.`, { exact: true }).waitFor();
    expect(await titleAtTop(page)).toBe(before);
  },
);

test('a user who types after a reload, before the list has loaded, stays at the form [CHOICE-110]', async () => {
  const { page } = await openList(300);
  await page.evaluate(() => scrollTo(0, 5_000));
  await row(page, 40).waitFor();
  const list = Promise.withResolvers<void>();
  await page.route(`**${operationTable.listProjects.path}`, async (route) => {
    await list.promise;
    await route.fallback();
  });
  await page.reload();
  await waitForApp(page);
  await field(page, 'title').focus();
  await page.keyboard.type('N');
  list.resolve();
  await page.getByText(/^300 projects\.$/).waitFor();
  expect(await page.evaluate(() => scrollY)).toBe(0);
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
  await fillProject(page);
  const create = page.waitForRequest((request) => request.method() === 'POST');
  await page.evaluate(() => {
    const button = document.querySelector<HTMLElement>('form button')!;
    scrollTo(0, 5_000);
    button.click();
  });
  await create;
  await page.getByText('The project was created.').waitFor();
  await expect.poll(() => focused(page)).toBe('title');
  expect(await page.evaluate(() => scrollY)).toBeGreaterThan(4_500);
  await page.keyboard.type('N');
  await expect.poll(() => page.evaluate(() => scrollY)).toBeLessThan(300);
});

test('the focused field is visible after a create in a low window', async () => {
  const { page } = await openList(60, { viewport: { width: 400, height: 180 } });
  await createProject(page);
  await expect.poll(() => focused(page)).toBe('title');
  const { y = -1 } = (await page.locator('input:focus').boundingBox()) ?? {};
  // The browser scrolls to a whole pixel, and a field may start between two.
  expect(Math.ceil(y)).toBeGreaterThanOrEqual(0);
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

test('the list keeps the focus when the user scrolls away from the new project [CHOICE-59]', async () => {
  const { page, problems } = await openList(3_000);
  await createProject(page);
  await showButton(page).focus();
  await page.keyboard.press('Enter');
  await row(page, 3_001).waitFor();
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
  await row(page, 1).waitFor();
  await row(page, 3_001).waitFor({ state: 'detached' });
  expect(await projectList(page).getByRole('list').evaluate(isFocused)).toBe(true);
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await page.keyboard.press('Shift+Tab');
  expect(await showButton(page).evaluate(isFocused)).toBe(true);
  expect(problems).toEqual([]);
});

test('a print contains all projects, and leaves the list where it was [CHOICE-82]', async () => {
  const { page, problems } = await openList(400);
  await page.evaluate(() => scrollTo(0, 5_000));
  await row(page, 40).waitFor();
  const top = () => row(page, 40).evaluate((element) => element.getBoundingClientRect().top);
  const before = await top();
  expect((await printedTitles(page)).size).toBe(400);
  expect(await renderedRows(page)).toBeLessThan(50);
  expect(await top()).toBe(before);
  expect(problems).toEqual([]);
});

test('a list of more than 10,000 projects is never whole, and only its print says so [CHOICE-82]', async () => {
  const { page } = await openList(10_001);
  const note = page.getByText(/^Only projects 1 to \d\d of 10001 are printed\.$/);
  expect(await note.isVisible()).toBe(false);
  await page.emulateMedia({ media: 'print' });
  expect(await note.isVisible()).toBe(true);
  expect(await projectList(page).getByRole('button').count()).toBe(0);
});

test('the browser finds every project after "Show all" [CHOICE-83]', async () => {
  const { page, problems } = await openList(1_000);
  expect(await find(page, 'Project 900')).toBe(false);
  await page.getByRole('button', { name: 'Show all 1000 projects' }).click();
  await row(page, 1_000).waitFor();
  expect(await projectList(page).getByRole('list').evaluate(isFocused)).toBe(true);
  expect(await find(page, 'Project 900')).toBe(true);
  await expect.poll(() => row(page, 900).evaluate(isInViewport)).toBe(true);
  expect(problems).toEqual([]);
});

test('of a list that is shown whole, the browser lays out the rows near the viewport, and a create changes no other row [CHOICE-83]', async () => {
  const { page, problems } = await openList(1_050);
  await page.getByRole('button', { name: 'Show all 1050 projects' }).click();
  const isLaidOut = (position: number) =>
    row(page, position).evaluate((element) =>
      element.checkVisibility({ contentVisibilityAuto: true }),
    );
  expect([await isLaidOut(1), await isLaidOut(500)]).toEqual([true, false]);
  const changes = await watchRows(page);
  await createProject(page);
  await row(page, 1_051).waitFor({ state: 'attached' });
  expect(await changes.evaluate(({ length }) => length)).toBe(1);
  expect(problems).toEqual([]);
});
