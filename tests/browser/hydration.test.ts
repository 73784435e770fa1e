// @module-tag chromium
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { field, heading, submitButton } from '../../testing/page-driver.ts';
import { errorTitle, routes, screens } from '../../shared/routes.ts';
import { developmentAppFolder } from '../../tools/built-app.ts';
import {
  fillCredentials,
  focused,
  headerLink,
  mockProjects,
  useBrowser,
  useServer,
} from '../../testing/browser.ts';
import { fragments } from '../../testing/fragments.ts';
import { prerenderedPages } from '../../testing/held-pages.ts';
import { wrapTexts } from '../../testing/translator.ts';
import { forms } from '../../shared/forms.ts';
import { fieldMessages } from '../../shared/field-rules.ts';
import { listOf, textNames, type TextName } from '../../testing/projects.ts';
import { credentialsOf } from '../../testing/credentials.ts';

const credentials = credentialsOf();
const browser = useBrowser();
const openPrerendered = prerenderedPages(browser, useServer());
/** React's development build logs each difference between the page and what it renders. */
const openInDevelopment = prerenderedPages(browser, useServer({ DIST_DIR: developmentAppFolder }));

/** Remembers all nodes of the screen. `lost` describes those that were removed since. */
async function trackNodes(page: Page) {
  const tracker = await page.evaluateHandle(() => {
    const root = document.getElementById('root')!;
    const nodes: Node[] = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) nodes.push(walker.currentNode);
    const removed: Node[] = [];
    const record = (records: MutationRecord[]) =>
      removed.push(...records.flatMap(({ removedNodes }) => [...removedNodes]));
    const observer = new MutationObserver(record);
    observer.observe(root, { childList: true, subtree: true });
    return {
      count: nodes.length,
      lost: () => {
        record(observer.takeRecords());
        return (
          [...removed, ...nodes.filter((node) => !node.isConnected)]
            // Comments mark the boundaries of React.
            .filter((node) => node.nodeType !== Node.COMMENT_NODE)
            .map((node) => (node instanceof Element ? node.outerHTML : node.textContent))
        );
      },
      markup: root.innerHTML,
    };
  });
  expect(await tracker.evaluate(({ count }) => count)).toBeGreaterThan(3);
  return {
    lost: () => tracker.evaluate(({ lost }) => lost()),
    markup: comparable(await tracker.evaluate(({ markup }) => markup)),
  };
}

const markupOf = async (page: Page) => comparable(await page.locator('#root').innerHTML());

/** Without the comments of React, and without the announcement, made half a second later. */
const comparable = (markup: string) =>
  markup.replaceAll(/<!--.*?-->|(?<=<p aria-live[^>]*>)[^<]+/g, '');

const errors = (page: Page) => page.locator('form p');

const addresses = routes.map((route) => [route, screens[route].heading]);
const unknown = ['/nowhere', errorTitle];
/** What browsers change in an address, or could. The screen tests read all `fragments`. */
const otherFragments = ['', 'about', '/login>', '/login。', '/login\\', '/logın', '/%'].map(
  (fragment) => {
    const route = fragments[fragment];
    return [fragment, route ? screens[route].heading : errorTitle];
  },
);

test.each(routes)(
  '%s has its title, and the same pixels before and after the app takes over [CHOICE-53, CHOICE-60]',
  async (route) => {
    const { page, hydrate } = await openPrerendered(route, { reducedMotion: 'reduce' });
    await heading(page, screens[route].heading).waitFor();
    expect(await page.title()).toBe(`${screens[route].title} · Tracker App`);
    expect(await page.evaluate(() => scrollY)).toBe(0);
    const prerendered = await page.screenshot();
    await hydrate();
    expect(Buffer.compare(prerendered, await page.screenshot())).toBe(0);
  },
);

describe.each([
  ['production', openPrerendered, [...addresses, ...otherFragments]],
  ['development', openInDevelopment, [...addresses, unknown]],
])('with the %s build of React', (_, open, fragmentsOfBuild) => {
  test.each(fragmentsOfBuild)(
    '#%s keeps every node and attribute when the app takes over [CHOICE-53]',
    async (path, name) => {
      const { page, problems, hydrate } = await open(path);
      await heading(page, name).waitFor();
      const { lost, markup } = await trackNodes(page);
      await hydrate();
      expect(await lost()).toEqual([]);
      expect(await markupOf(page)).toBe(markup);
      expect(problems).toEqual([]);
    },
  );

  test.each([0, 3, 200, 400])(
    'a list of %i projects keeps every node when the app takes over and when it has loaded [CHOICE-69]',
    async (count) => {
      const { page, problems, hydrate } = await open('/projects', {
        prepare: (newPage) => mockProjects(newPage, listOf(count)),
      });
      await page.locator('section').waitFor();
      const rows = page.locator('section li');
      await expect.poll(() => rows.count()).toBe(Math.min(count, 15));
      const { lost } = await trackNodes(page);
      await hydrate();
      await page.locator('section[aria-busy=false]').waitFor();
      await page.getByText(count === 0 ? 'No projects to show.' : `${count} projects.`).waitFor();
      expect(await lost()).toEqual([]);
      expect(problems).toEqual([]);
    },
  );

  test('a form that was changed in every way keeps every node when the app takes over [CHOICE-62, CHOICE-63]', async () => {
    const { page, problems, hydrate } = await open('/projects');
    const [empty, ...filled] = textNames.toReversed() as [TextName, ...TextName[]];
    for (const name of filled) await field(page, name).fill('Website');
    await field(page, empty).evaluate((element) => (element.style.height = '214px'));
    await submitButton(page, 'createProject').click();
    const expected = [fieldMessages.required(forms.createProject.fields[empty])];
    const required = async () => (await errors(page).allTextContents()).filter(Boolean);
    await expect.poll(required).toEqual(expected);
    expect(await focused(page)).toBe(empty);
    expect(await page.locator('button[aria-busy=true]').count()).toBe(0);
    const { lost } = await trackNodes(page);
    await hydrate();
    expect(await lost()).toEqual([]);
    expect(await required()).toEqual(expected);
    expect(await focused(page)).toBe(empty);
    expect((await field(page, empty).boundingBox())?.height).toBe(214);
    for (const name of filled) expect(await field(page, name).inputValue()).toBe('Website');
    expect(problems).toEqual([]);
  });

  test('a screen whose link was followed early keeps every node and the focus when the app takes over [CHOICE-61, CHOICE-65]', async () => {
    const { page, problems, hydrate } = await open('/projects');
    await headerLink(page, '/login').press('Enter');
    await heading(page, screens['/login'].heading).waitFor();
    expect(await focused(page)).toBe(screens['/login'].heading);
    const { lost } = await trackNodes(page);
    await hydrate();
    expect(await lost()).toEqual([]);
    expect(await page.locator('h1:focus').count()).toBe(1);
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('email');
    expect(problems).toEqual([]);
  });
});

test('an IME composition goes on when the app takes over [CHOICE-62]', async () => {
  const { page, hydrate } = await openPrerendered('/projects');
  await field(page, 'title').focus();
  await page.evaluate(() => {
    document.body.dataset['events'] = '';
    for (const type of ['compositionstart', 'compositionend', 'focusout']) {
      addEventListener(type, () => (document.body.dataset['events'] += `${type} `));
    }
  });
  const events = () => page.locator('body').getAttribute('data-events');
  const cdp = await page.context().newCDPSession(page);
  const compose = (text: string) =>
    cdp.send('Input.imeSetComposition', { text, selectionStart: 1, selectionEnd: text.length });
  await compose('に');
  expect(await events()).toBe('compositionstart ');
  await hydrate();
  await compose('にほ');
  await cdp.send('Input.insertText', { text: '日本' });
  await page.keyboard.type('!');
  expect(await field(page, 'title').inputValue()).toBe('日本!');
  expect(await events()).toBe('compositionstart compositionend ');
});

test('the prerendered footer has the current year where the user is, and the app keeps it [CHOICE-62, CONST-5]', async () => {
  const { page, problems, hydrate } = await openPrerendered('/about', {
    timezoneId: 'Pacific/Auckland',
    prepare: (newPage) => newPage.clock.setFixedTime('2031-12-31T11:00:00Z'),
  });
  const footer = page.getByRole('contentinfo');
  await footer.getByText('2032').waitFor();
  const { lost } = await trackNodes(page);
  // New Year while the scripts load.
  await page.clock.setFixedTime('2032-12-31T11:00:00Z');
  await hydrate();
  expect(await footer.textContent()).toContain('2032');
  expect(await lost()).toEqual([]);
  expect(problems).toEqual([]);
});

/** Follows a link when React schedules its `slice`th task. Returns whether there was that task. */
async function navigateInSlice(slice: number): Promise<boolean> {
  const { page, problems, hydrate } = await openPrerendered('/login');
  await fillCredentials(page, credentials.email);
  await page.evaluate((count) => {
    let rest = count;
    type PostMessage = (this: MessagePort, message: unknown) => void;
    const postMessage = Reflect.get(MessagePort.prototype, 'postMessage') as PostMessage;
    MessagePort.prototype.postMessage = function post(this: MessagePort, message: unknown) {
      // Not after the hydration, which removes the templates.
      if (--rest === 0 && document.querySelector('template')) {
        document.body.dataset['ran'] = 'yes';
        document.querySelector<HTMLElement>('[href="#/about"]')!.click();
      }
      postMessage.call(this, message);
    };
  }, slice);
  const { lost } = await trackNodes(page);
  await hydrate();
  if ((await page.locator('body').getAttribute('data-ran')) === null) return false;
  await heading(page, screens['/about'].heading).waitFor();
  await expect.poll(() => focused(page)).toBe(screens['/about'].heading);
  expect(await page.title()).toBe('About · Tracker App');
  expect(await page.locator('a[aria-current=page]').textContent()).toBe('About');
  expect((await lost()).filter((html) => html?.includes('</header>'))).toEqual([]);
  await headerLink(page, '/login').click();
  await heading(page, screens['/login'].heading).waitFor();
  await page.goBack();
  await heading(page, screens['/about'].heading).waitFor();
  expect(problems).toEqual([]);
  return true;
}

test('a navigation in each slice of the hydration leads to its screen, and loses no other node [CHOICE-61, CHOICE-92]', async () => {
  let slice = 1;
  while (await navigateInSlice(slice)) slice += 1;
  expect(slice).toBeGreaterThan(2);
});

test('React warns once in a page that a translator has changed [CHOICE-93]', async () => {
  const { page, problems, hydrate } = await openPrerendered('/login');
  await heading(page, screens['/login'].heading).waitFor();
  await page.evaluate(wrapTexts);
  await hydrate();
  expect(problems).toEqual([expect.stringMatching(/^The page was not what the app renders/)]);
});

test.each([
  ['early', 'afterbegin', '<input type="hidden" name="password">'],
  ['late', 'afterbegin', '<input type="hidden" name="password">'],
  ['early', 'beforeend', '<input type="hidden" name="email" value="other@example.org">'],
  ['late', 'beforeend', '<input type="hidden" name="email" value="other@example.org">'],
  ['late', 'beforeend', '<input type="image" name="email" alt="Send">'],
] as const)(
  "a form submitted %s sends the app's own fields only, if an extension adds at its %s %s [CHOICE-64]",
  async (moment, place, html) => {
    const { page, problems, requests, hydrate } = await openPrerendered('/login');
    if (moment === 'late') await hydrate();
    await fillCredentials(page, credentials.email);
    const add = (form: Element, [at, added]: readonly [InsertPosition, string]) =>
      form.insertAdjacentHTML(at, added);
    await page.locator('form').evaluate(add, [place, html] as const);
    await field(page, 'password').press('Enter');
    if (moment === 'early') await hydrate();
    await expect
      .poll(() => requests.map((request) => request.postDataJSON()))
      .toEqual([credentials]);
    expect(problems.filter((text) => !/React has rendered it again/.test(text))).toEqual([]);
  },
);

test('a navigation is followed after a screen has failed to hydrate [CHOICE-92]', async () => {
  const { page, hydrate } = await openPrerendered('/about');
  await heading(page, screens['/about'].heading).waitFor();
  // The layout of the app reads it.
  await page.evaluate(() => {
    Object.defineProperty(window.prerendered, 'year', {
      get() {
        throw new Error('No calendar');
      },
    });
  });
  await hydrate();
  await page.getByText('No calendar').waitFor();
  await page.evaluate(() => (location.hash = '#/nowhere'));
  await page.getByText('404 Not Found').waitFor();
  await expect.poll(() => page.title()).toBe('Unexpected Application Error! · Tracker App');
});
