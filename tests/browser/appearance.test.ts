// @module-tag chromium
import type { Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { field, submitButton } from '../../testing/page-driver.ts';
import { headerRoutes, routes, screens } from '../../shared/routes.ts';
import {
  fillProject,
  focused,
  headerLink,
  mockProjects,
  openScreen,
  projectList,
  useBrowser,
  useServer,
} from '../../testing/browser.ts';
import { requiredFields } from '../../model/calls.ts';
import { fieldMessages } from '../../shared/field-rules.ts';
import { storedProject, projectOf, textNames } from '../../testing/projects.ts';

const browser = useBrowser();
const server = useServer();

const required = requiredFields('createProject').map(([, label]) => fieldMessages.required(label));
const allPaths = [...routes, '/nowhere'] as const;

test('the error that a click on the button causes does not move the button', async () => {
  const { page } = await browser.open();
  await openScreen(page, server.address, '/projects');
  await field(page, 'title').focus();
  const before = await submitButton(page, 'createProject').boundingBox();
  await submitButton(page, 'createProject').click();
  await page.getByText(required.at(-1)!).waitFor();
  expect(await submitButton(page, 'createProject').boundingBox()).toEqual(before);
  expect(await page.getByText(required[0]!).isVisible()).toBe(true);
});

test('the list and the button are animated while their calls are pending, and not afterwards [LIST-2, CHOICE-7]', async () => {
  const { page } = await browser.open();
  const pending: Route[] = [];
  await page.route('**/api/**', (route) => void pending.push(route));
  await openScreen(page, server.address, '/projects');
  const button = submitButton(page, 'createProject');
  const animations = () =>
    Promise.all(
      [projectList(page), button].map((locator) =>
        locator.evaluate(
          (element) =>
            // Without the transitions of hovering and pressing.
            element.getAnimations({ subtree: true }).filter((item) => item instanceof CSSAnimation)
              .length,
        ),
      ),
    );
  await expect.poll(animations).toEqual([1, 0]);
  await fillProject(page);
  await button.click();
  await expect.poll(animations).toEqual([1, 1]);
  await expect.poll(() => pending.length).toBe(2);
  for (const route of pending) await route.fulfill({ status: 401, json: { message: 'No.' } });
  await expect.poll(animations).toEqual([0, 0]);
});

test('the links of the header are not underlined, "Sign up" and "Sign in" look like buttons, and the current one is marked [HEADER-5, HEADER-6]', async () => {
  const { page } = await browser.open();
  await openScreen(page, server.address, '/about');
  const styles = await page.locator('header a').evaluateAll((links) =>
    links.map((link) => {
      const { textDecorationLine, borderTopWidth } = getComputedStyle(link);
      const isMarked = getComputedStyle(link, '::after').content !== 'none';
      return `${link.textContent}: ${textDecorationLine} ${borderTopWidth}${isMarked ? ' marked' : ''}`;
    }),
  );
  const expected = headerRoutes.map((path) => {
    const { title, link } = screens[path];
    return `${title}: none ${link === 'nav' ? 0 : 1}px${path === '/about' ? ' marked' : ''}`;
  });
  expect(styles).toEqual(expected);
});

test('links of the header, buttons and fields are at least 44 px high', async () => {
  const { page } = await browser.open();
  for (const path of ['/login', '/projects'] as const) {
    await openScreen(page, server.address, path);
    for (const target of await page.locator('header a, button, input, textarea').all()) {
      const { height = 0 } = (await target.boundingBox()) ?? {};
      const html = await target.evaluate(({ outerHTML }) => outerHTML);
      expect([html, height >= 44]).toEqual([html, true]);
    }
  }
});

test('rows and banners keep line breaks and spaces, and each line starts on the side where its language starts [PROJECTS-6, LOGIN-5]', async () => {
  const { page } = await browser.open();
  const text = 'English,  two spaces\nעברית\nEnglish\nالعربية';
  const refusal = { status: 422, json: { message: text } };
  await mockProjects(page, [storedProject(projectOf(() => text))], refusal);
  await openScreen(page, server.address, '/projects');
  await fillProject(page);
  await submitButton(page, 'createProject').click();
  const row = page.getByRole('listitem');
  // What Firefox and WebKit compute.
  await row.evaluate((element) => (element.style.textAlign = 'left'));
  for (const element of [
    ...textNames.map((name) => row.locator(`[data-field=${name}]`)),
    page.getByRole('alert'),
  ]) {
    expect(await element.innerText()).toBe(text);
    expect(await element.evaluate(sidesOfLines)).toEqual(['left', 'right', 'left', 'right']);
  }
});

test.each([
  ['English', 'עברית\nالعربية', 'left'],
  ['עברית', 'English\n2026', 'right'],
  ['עברית', '2026', 'right'],
])('the description of %j, %j, starts on the %s [CHOICE-111]', async (title, description, side) => {
  const { page } = await browser.open();
  await mockProjects(page, [storedProject({ title, description })]);
  await openScreen(page, server.address, '/projects');
  const row = page.getByRole('listitem');
  await row.waitFor();
  for (const name of textNames) {
    const sides = await row.locator(`[data-field=${name}]`).evaluate(sidesOfLines);
    expect(new Set(sides)).toEqual(new Set([side]));
  }
});

/** Runs in the page. Returns the side of each line of an element. */
function sidesOfLines(element: Element) {
  const range = document.createRange();
  range.selectNodeContents(element);
  const { left, width } = element.getBoundingClientRect();
  return Array.from(range.getClientRects())
    .filter((line) => line.width > 0)
    .map((line) => (line.left + line.width / 2 < left + width / 2 ? 'left' : 'right'));
}

test.each([320, 390, 768, 1280])(
  'at %i px brand, texts and footer start on one line, and the header ends where the fields end',
  async (width) => {
    const { page } = await browser.open({ viewport: { width, height: 800 } });
    await openScreen(page, server.address, '/login');
    /** Returns the different places of one side of the texts or boxes of elements. */
    const edges = (selector: string, side: 'left' | 'right') =>
      page.locator(selector).evaluateAll((elements, edge) => {
        const range = document.createRange();
        const places = elements.map((element) => {
          range.selectNode(edge === 'left' ? element.lastChild! : element);
          return Math.round(range.getBoundingClientRect()[edge]);
        });
        return [...new Set(places)];
      }, side);
    expect(await edges('header > span, h1, h1 + p, label, footer', 'left')).toHaveLength(1);
    expect(await edges('header a:last-child, input', 'right')).toHaveLength(1);
  },
);

test('at 320 px the buttons of the header are above its other links, and Tab goes down', async () => {
  const { page } = await browser.open({ viewport: { width: 320, height: 640 } });
  await openScreen(page, server.address, '/login');
  const rows: (string | null | undefined)[][] = [];
  for (let top = -1, count = 0; count < headerRoutes.length; count += 1) {
    await page.keyboard.press('Tab');
    const { y } = (await page.locator(':focus').boundingBox())!;
    if (y > top) rows.push([]);
    rows.at(-1)!.push(await focused(page));
    top = y;
  }
  expect(rows).toEqual([
    ['Sign up', 'Sign in'],
    ['Home', 'About', 'Projects'],
  ]);
});

test('announcements for screen readers are invisible', async () => {
  const { page } = await browser.open();
  await mockProjects(page, [], { status: 201, json: storedProject() });
  await openScreen(page, server.address, '/projects');
  await fillProject(page);
  await submitButton(page, 'createProject').click();
  await page.getByText('The project was created.').waitFor({ state: 'attached' });
  const box = await page.getByRole('status').boundingBox();
  expect((box?.width ?? 0) * (box?.height ?? 0)).toBeLessThanOrEqual(1);
});

test('the footer is at the bottom of the window, and the content is less than 1,000 px wide', async () => {
  const { page } = await browser.open({ viewport: { width: 2560, height: 1200 } });
  await openScreen(page, server.address, '/about');
  const footer = await page.getByRole('contentinfo').boundingBox();
  expect((footer?.y ?? 0) + (footer?.height ?? 0)).toBeCloseTo(1200, 0);
  const content = await page.getByRole('main').boundingBox();
  expect(content?.width).toBeLessThan(1_000);
});

test('the page says what it needs without JavaScript', async () => {
  const { page } = await browser.open({ javaScriptEnabled: false });
  await page.goto(server.address);
  const note = page.locator('noscript');
  await note.waitFor();
  expect(await note.textContent()).toBe(
    'Tracker App needs JavaScript. Please switch it on and load this page again.',
  );
  expect(await page.title()).toBe('Tracker App');
  // In the viewport, not below an empty one.
  const { y = 0, height = 0 } = (await note.boundingBox()) ?? {};
  expect(y + height).toBeLessThan(200);
});

test.each([
  "script-src 'self'",
  "default-src 'self'",
  "script-src-elem 'self'; style-src 'unsafe-inline'",
])('the page says why it is empty behind the policy %s', async (policy) => {
  const { page } = await browser.open();
  await page.route(`${server.address}/`, async (route) => {
    const response = await route.fetch();
    const headers = { ...response.headers(), 'content-security-policy': policy };
    await route.fulfill({ response, headers });
  });
  await page.goto(server.address);
  const note = page.getByText('the inline script of this page is blocked');
  await expect.poll(() => note.isVisible()).toBe(true);
});

test('the marker of the current link is on the edge of the header, also if the links wrap', async () => {
  const { page } = await browser.open({ viewport: { width: 720, height: 640 } });
  await openScreen(page, server.address, '/projects');
  /** Returns what is on the edge, below the middle of the link. */
  const onEdge = () =>
    headerLink(page, '/projects').evaluate((link) => {
      const { left, width, bottom } = link.getBoundingClientRect();
      const edge = link.closest('header')!.getBoundingClientRect().bottom - 1.5;
      return {
        rows: edge - bottom > 40 ? 'several' : 'one',
        isMarker: document.elementFromPoint(left + width / 2, edge) === link,
      };
    });
  expect(await onEdge()).toEqual({ rows: 'one', isMarker: true });
  await page.evaluate(() => (document.documentElement.style.fontSize = '40px'));
  expect(await onEdge()).toEqual({ rows: 'several', isMarker: true });
});

test.each(allPaths)('the texts of %s grow with the font size of the browser', async (path) => {
  const { page } = await browser.open();
  await openScreen(page, server.address, path);
  const fontSizes = () =>
    page
      .locator('h1, h2, main p')
      .evaluateAll((elements) =>
        elements.map((element) => parseFloat(getComputedStyle(element).fontSize)),
      );
  const normal = await fontSizes();
  await page.evaluate(() => (document.documentElement.style.fontSize = '32px'));
  const factors = (await fontSizes()).map((size, index) => size / normal[index]!);
  expect(Math.min(...factors)).toBeGreaterThan(1.15);
});

test('the page declares its language, viewport, description, colour schemes and icon', async () => {
  const { page } = await browser.open();
  await page.goto(server.address);
  const meta = (name: string) => page.locator(`meta[name=${name}]`).getAttribute('content');
  expect(await page.locator('html').getAttribute('lang')).toBe('en');
  expect(await meta('viewport')).toBe('width=device-width, initial-scale=1');
  expect(await meta('description')).toBe('Register, sign in, and keep track of your projects.');
  expect(await meta('color-scheme')).toBe('light dark');
  const icon = await page.locator('link[rel=icon]').getAttribute('href');
  // Inline: Chromium requests an icon that has an address again at each navigation.
  expect(icon).toMatch(/^data:image\/png;base64,/);
});
