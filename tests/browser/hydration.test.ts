import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { field, heading, submitButton } from '../../model/browser-driver.ts';
import { screens } from '../../model/screens.ts';
import {
  fillCredentials,
  headerLink,
  mockProjects,
  useBrowser,
  useServer,
} from '../support/browser.ts';
import { prerenderedPages } from '../support/prerendered.ts';

const browser = useBrowser();
const server = useServer();
const openPrerendered = prerenderedPages(browser, server);

const projects = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    title: `Project ${index + 1}`,
    description: 'First line.\nSecond line.',
  }));

/** Returns a function that lists the nodes of the page that were removed since. */
async function trackNodes(page: Page) {
  const tracker = await page.evaluateHandle(() => {
    const root = document.getElementById('root')!;
    const nodes: Node[] = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) nodes.push(walker.currentNode);
    const removed: string[] = [];
    const describeNode = (node: Node) =>
      node instanceof Element ? node.outerHTML.slice(0, 80) : `text "${node.textContent}"`;
    const record = (records: MutationRecord[]) => {
      for (const { removedNodes } of records) {
        for (const node of removedNodes) {
          // React removes the comments that mark its boundaries.
          if (node.nodeType !== Node.COMMENT_NODE) removed.push(describeNode(node));
        }
      }
    };
    const observer = new MutationObserver(record);
    observer.observe(root, { childList: true, subtree: true });
    return {
      count: nodes.length,
      lost: () => {
        record(observer.takeRecords());
        return [
          ...removed,
          ...nodes.filter((node) => !node.isConnected).map((node) => describeNode(node)),
        ];
      },
    };
  });
  expect(await tracker.evaluate(({ count }) => count)).toBeGreaterThan(3);
  return () => tracker.evaluate(({ lost }) => lost());
}

const headings = {
  ...Object.fromEntries(Object.entries(screens).map(([path, { heading: name }]) => [path, name])),
  '/nowhere': 'Unexpected Application Error!',
  '/about/us': 'Unexpected Application Error!',
  '/%': 'Unexpected Application Error!',
  '/%E0%A4%A': 'Unexpected Application Error!',
  '/login/': 'Sign in',
  about: 'About Page',
};

test.each(Object.entries(headings))(
  '#%s keeps every node when the app hydrates it [CHOICE-62]',
  async (path, name) => {
    const { page, problems, hydrate } = await openPrerendered(path);
    await heading(page, name).waitFor();
    const lostNodes = await trackNodes(page);
    await hydrate();
    expect(await lostNodes()).toEqual([]);
    expect(problems).toEqual([]);
  },
);

test.each([3, 15, 40, 51, 200])(
  'a list of %i projects keeps every node when the app hydrates it [CHOICE-69]',
  async (count) => {
    const { page, problems, hydrate } = await openPrerendered('/projects', {
      prepare: (newPage) => mockProjects(newPage, projects(count)),
    });
    await page.locator(`section li[aria-posinset="${Math.min(count, 15)}"]`).waitFor();
    const lostNodes = await trackNodes(page);
    await hydrate();
    await page.locator('section[aria-busy=false]').waitFor();
    await page.locator(`section li[aria-setsize="${count}"]`).first().waitFor();
    expect(await lostNodes()).toEqual([]);
    expect(problems).toEqual([]);
  },
);

test('fields keep what was typed, the selection, undo and redo when the app hydrates them', async () => {
  const { page, hydrate } = await openPrerendered('/login');
  const [email, password] = [field(page, 'Email'), field(page, 'Password')];
  await email.pressSequentially('ada@example.org');
  await password.pressSequentially('correct horse');
  await hydrate();
  const values = async () => [await email.inputValue(), await password.inputValue()];
  expect(await values()).toEqual(['ada@example.org', 'correct horse']);
  await page.keyboard.press('Control+z');
  expect(await values()).toEqual(['ada@example.org', '']);
  await page.keyboard.press('Control+y');
  expect(await values()).toEqual(['ada@example.org', 'correct horse']);
  for (let undos = 0; undos < 2; undos += 1) await page.keyboard.press('Control+z');
  expect(await values()).toEqual(['', '']);
});

test('a form that the user opens after hydration validates as the app does', async () => {
  const { page, hydrate } = await openPrerendered('/about');
  await hydrate();
  await headerLink(page, 'Sign up').click();
  await fillCredentials(page, 'ada@', 'short');
  await submitButton(page, 'Register').click();
  const errors = page.locator('form p');
  await expect
    .poll(() => errors.allTextContents())
    .toEqual(['Invalid email address', 'Password must be at least 8 characters']);
});
