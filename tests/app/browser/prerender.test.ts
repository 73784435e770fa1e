import { readFileSync } from 'node:fs';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { field, heading, submitButton, waitForApp } from '../../../model/browser-driver.ts';
import { screens } from '../../../model/screens.ts';
import {
  fillCredentials,
  focusedField,
  focusedText,
  headerLink,
  mockProjects,
  rowTitles,
  useBrowser,
  useServer,
} from '../../support/browser.ts';
import { alerts, prerenderedPages } from '../../support/prerendered.ts';

const browser = useBrowser();
const server = useServer();

const openPrerendered = prerenderedPages(browser, server);
const requiredErrors = (page: Page) => page.getByText('is required');

test.each(Object.entries(screens).map(([path, { heading: name, title }]) => [path, name, title]))(
  '%s is prerendered with header, heading "%s" and footer, and titled "%s" [CHOICE-53, CHOICE-60]',
  async (path, name, title) => {
    const { page } = await openPrerendered(path);
    await heading(page, name).waitFor();
    expect(await page.locator('h1:visible').count()).toBe(1);
    const links = Object.values(screens).map(({ link }) => link);
    expect(await page.locator('header a:visible').allTextContents()).toEqual(links);
    const footer = `© ${new Date().getFullYear()} Tracker App. All rights reserved.`;
    expect(await page.locator('footer:visible').textContent()).toBe(footer);
    expect(await page.locator('header a[aria-current="page"]:visible').count()).toBe(1);
    expect(await page.evaluate(() => scrollY)).toBe(0);
    expect(await page.title()).toBe(`${title} · Tracker App`);
  },
);

test('links work before the scripts have loaded [CHOICE-61]', async () => {
  const { page } = await openPrerendered('');
  await page.locator('header a:visible', { hasText: 'Sign up' }).click();
  await page.getByRole('heading', { name: 'Create an account' }).waitFor();
  expect(new URL(page.url()).hash).toBe('#/register');
});

test.each(Object.keys(screens))(
  'the prerendered %s has the same pixels as the app that takes over [CHOICE-53]',
  async (path) => {
    const { page, hydrate } = await openPrerendered(path, { reducedMotion: 'reduce' });
    await page.locator('h1:visible').waitFor();
    const prerendered = await page.screenshot();
    await hydrate();
    expect(Buffer.compare(prerendered, await page.screenshot())).toBe(0);
  },
);

test('a focused link keeps the focus when the app takes over [CHOICE-65]', async () => {
  const { page, hydrate } = await openPrerendered('/about');
  await page.getByRole('link', { name: 'Projects' }).focus();
  await hydrate();
  expect(await focusedText(page)).toBe('Projects');
});

test('the app takes over on the screen whose link was followed [CHOICE-61]', async () => {
  const { page, hydrate } = await openPrerendered('');
  await page.getByRole('link', { name: 'Sign up' }).click();
  await page.getByRole('heading', { name: 'Create an account' }).waitFor();
  await hydrate();
  await page.getByLabel('Email').fill('ada@example.org');
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Create an account');
});

test('a link that was followed just before the app takes over leads to its screen [CHOICE-61]', async () => {
  const { page } = await openPrerendered('');
  await heading(page, 'Home').waitFor();
  const shown = await page.evaluate(() => {
    location.hash = '#/about';
    // The event of the change comes later.
    window.prerendered!.freeze();
    return [document.querySelector('h1')!.textContent, document.activeElement!.textContent];
  });
  expect(shown).toEqual(['About Page', 'About Page']);
});

test('a link that is followed by keyboard focuses the heading, also after the app takes over [CHOICE-61, CHOICE-65]', async () => {
  const { page, hydrate } = await openPrerendered('/about');
  await page.getByRole('link', { name: 'Sign up' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Create an account' }).waitFor();
  expect(await focusedText(page)).toBe('Create an account');
  await hydrate();
  expect(await focusedText(page)).toBe('Create an account');
  await page.keyboard.press('Tab');
  expect(await focusedField(page)).toBe('email');
});

test('the app keeps what was typed, and the cursor position [CHOICE-62]', async () => {
  const { page, hydrate } = await openPrerendered('/projects');
  await field(page, 'Title').fill('Website');
  await field(page, 'Description').pressSequentially('New ges.');
  for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowLeft');
  await hydrate();
  await page.keyboard.type('pa');
  expect(await field(page, 'Title').inputValue()).toBe('Website');
  expect(await field(page, 'Description').inputValue()).toBe('New pages.');
  expect(await requiredErrors(page).count()).toBe(0);
});

test('no key is lost while the app takes over [CHOICE-62]', async () => {
  const { page, hydrate } = await openPrerendered('/login');
  await field(page, 'Password').focus();
  const app = { isInPlace: false };
  const takingOver = hydrate().then(() => (app.isInPlace = true));
  let typed = '';
  while (!app.isInPlace) {
    await page.keyboard.press('a');
    typed += 'a';
  }
  await takingOver;
  expect(await field(page, 'Password').inputValue()).toBe(typed);
  expect(await requiredErrors(page).count()).toBe(0);
});

test('the scroll position stays the same when the app takes over [CHOICE-66]', async () => {
  const viewport = { width: 320, height: 400 };
  const { page, hydrate } = await openPrerendered('/projects', { viewport });
  await field(page, 'Description').fill('New pages.');
  await page.evaluate(() => scrollTo(0, 200));
  // The app sets the title when its screen is rendered.
  await page.evaluate(() => (document.title = ''));
  await hydrate();
  await expect.poll(() => page.title()).toBe('Projects · Tracker App');
  expect(await page.evaluate(() => scrollY)).toBe(200);
});

test.each([
  ['/nowhere', 'Unexpected Application Error!'],
  ['/%', 'Unexpected Application Error!'],
  ['/login/', 'Sign in'],
  ['about', 'About Page'],
])('#%s shows "%s" before and after the app takes over [CHOICE-53]', async (path, name) => {
  const { page, hydrate } = await openPrerendered(path);
  const shown = page.getByRole('heading', { level: 1 });
  expect(await shown.textContent()).toBe(name);
  await hydrate();
  expect(await shown.textContent()).toBe(name);
});

test('a touched empty field has an error until it is filled, before and after the app takes over [CHOICE-63, FIELD-1]', async () => {
  const { page, problems, hydrate } = await openPrerendered('/login');
  const errors = () => requiredErrors(page).allTextContents();
  await page.getByRole('link', { name: 'About' }).focus();
  await field(page, 'Email').focus();
  // It is not touched yet.
  await page.keyboard.type('a');
  await page.keyboard.press('Backspace');
  expect(await errors()).toEqual([]);
  await page.keyboard.press('Tab');
  await expect.poll(errors).toEqual(['Email is required']);
  expect(await field(page, 'Email').getAttribute('aria-invalid')).toBe('true');
  await page.keyboard.press('Shift+Tab');
  await expect.poll(errors).toEqual(['Email is required', 'Password is required']);
  await page.keyboard.type('ada');
  await expect.poll(errors).toEqual(['Password is required']);
  expect(await field(page, 'Email').getAttribute('aria-invalid')).toBe('false');
  await hydrate();
  await expect.poll(errors).toEqual(['Password is required']);
  await page.keyboard.press('Tab');
  await page.getByText('Invalid email address').waitFor();
  await page.keyboard.type('c');
  await expect.poll(errors).toEqual([]);
  expect(problems).toEqual([]);
});

test('other errors of touched fields are shown when the app takes over [CHOICE-74]', async () => {
  const { page, hydrate } = await openPrerendered('/register');
  await fillCredentials(page, 'ada', 'short');
  await submitButton(page, 'Register').focus();
  await hydrate();
  await page.getByText('Invalid email address').waitFor();
  await page.getByText('Password must be at least 8 characters').waitFor();
  expect(await focusedText(page)).toBe('Register');
});

test('a form that was submitted early is busy, and is sent once when the app takes over [CHOICE-64, CHOICE-75, CHOICE-7]', async () => {
  const { page, requests, hydrate } = await openPrerendered('/login');
  const sent = () => requests.map((request) => request.postDataJSON());
  await fillCredentials(page, 'ada@example.org');
  await page.keyboard.press('Enter');
  const button = submitButton(page, 'Sign in');
  await button.click({ force: true });
  await page.locator('button[aria-busy=true][aria-disabled=true]').waitFor();
  const animations = await button.evaluate((element) =>
    element
      .getAnimations({ subtree: true })
      .filter((animation) => !(animation instanceof CSSTransition)),
  );
  expect(animations).toHaveLength(1);
  expect([sent(), page.url()]).toEqual([[], `${server.address}/#/login`]);
  await hydrate();
  await expect.poll(sent).toEqual([{ email: 'ada@example.org', password: 'correct horse' }]);
  expect(page.url()).toBe(`${server.address}/#/login`);
});

test('a form that was submitted early shows what is missing, and is not sent [CHOICE-63, VALID-7]', async () => {
  const { page, hydrate } = await openPrerendered('/login');
  await field(page, 'Email').fill('ada@example.org');
  await submitButton(page, 'Sign in').click();
  await page.getByText('Password is required').waitFor();
  expect(await focusedField(page)).toBe('password');
  expect(await page.locator('button[aria-busy=true]').count()).toBe(0);
  await hydrate();
  expect(await focusedField(page)).toBe('password');
  expect(await field(page, 'Email').inputValue()).toBe('ada@example.org');
  await page.keyboard.type('correct horse');
  const sent = page.waitForRequest('**/auth/login');
  await page.keyboard.press('Enter');
  expect((await sent).postDataJSON()).toEqual({
    email: 'ada@example.org',
    password: 'correct horse',
  });
});

test('what was typed on a screen does not appear on the next screen [CHOICE-67]', async () => {
  const { page, hydrate } = await openPrerendered('/login');
  await fillCredentials(page, 'ada@example.org');
  await page.getByRole('link', { name: 'Sign up' }).click();
  await page.getByRole('heading', { name: 'Create an account' }).waitFor();
  expect(await field(page, 'Email').inputValue()).toBe('');
  await field(page, 'Email').fill('bob@example.org');
  await hydrate();
  expect(await field(page, 'Email').inputValue()).toBe('bob@example.org');
  expect(await field(page, 'Password').inputValue()).toBe('');
});

test('a form that the user left and opened again is empty and not sent [CHOICE-67]', async () => {
  const { page, requests, hydrate } = await openPrerendered('/login');
  await fillCredentials(page, 'ada@example.org');
  await submitButton(page, 'Sign in').click();
  await headerLink(page, 'About').click();
  await headerLink(page, 'Sign in').click();
  await hydrate();
  await expect.poll(() => field(page, 'Email').inputValue()).toBe('');
  await field(page, 'Password').fill('correct horse');
  expect(await requiredErrors(page).count()).toBe(0);
  expect(requests).toEqual([]);
});

test('the list is requested once, before the scripts have loaded, with the headers of the app [CHOICE-68, CALL-8, CALL-1]', async () => {
  const cookie = { name: 'XSRF-TOKEN', value: 'a%2Fb', url: server.address };
  const { page, requests, hydrate } = await openPrerendered('/projects', {
    async prepare(newPage) {
      await newPage.context().addCookies([cookie]);
      await mockProjects(newPage, [{ id: 1, title: 'Website', description: 'New pages.' }]);
    },
  });
  await expect.poll(() => requests.length).toBe(1);
  await hydrate();
  await page.getByText('New pages.').waitFor();
  expect(requests.length).toBe(1);
  // The app itself requests the list when the user comes back.
  await page.getByRole('link', { name: 'About' }).click();
  await page.getByRole('link', { name: 'Projects' }).click();
  await expect.poll(() => requests.length).toBe(2);
  const [early, late] = requests.map((request) => request.headers());
  expect(early).toEqual(late);
  expect(early).toMatchObject({ accept: 'application/json', 'x-xsrf-token': 'a/b' });
});

const projects = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    title: `Project ${index + 1}`,
    description: 'First line.\nSecond line.',
  }));

/** Returns the title and description of each row, without the buttons that it may have. */
const fieldTexts = (rows: Locator) =>
  rows.evaluateAll((all) =>
    all.map((row) =>
      [...row.querySelectorAll('[data-field]')].map(({ textContent }) => textContent).join(''),
    ),
  );

const rowTexts = (count: number) =>
  projects(count).map(({ title, description }) => `${title}${description}`);

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
  const json = JSON.stringify(projects(7));
  const secondProject = json.indexOf(',{"id":2');
  const fourthProject = json.indexOf(',{"id":4');
  await send(json.slice(0, secondProject));
  await expect.poll(() => fieldTexts(rows)).toEqual(rowTexts(1));
  await send(json.slice(secondProject, fourthProject));
  await expect.poll(() => fieldTexts(rows)).toEqual(rowTexts(3));
  await send(json.slice(fourthProject, -20));
  await expect.poll(() => fieldTexts(rows)).toEqual(rowTexts(6));
  const positions = () =>
    rows.evaluateAll((all) => all.map((row) => `${row.ariaPosInSet} of ${row.ariaSetSize}`));
  const ofUnknown = ['1 of -1', '2 of -1', '3 of -1', '4 of -1', '5 of -1', '6 of -1'];
  expect(await positions()).toEqual(ofUnknown);
  expect(await section.getAttribute('aria-busy')).toBe('true');
  expect(await page.getByText('Loading projects…').count()).toBe(0);
  // The buttons of rows are disabled until the app takes over, and look so.
  const screenshot = () => page.screenshot({ fullPage: true, mask: [rows.getByRole('button')] });
  const snapshot = async () => (await section.ariaSnapshot()).replaceAll(' [disabled]', '');
  const before = await snapshot();
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
  expect(await fieldTexts(rows)).toEqual(rowTexts(6));
  expect(await positions()).toEqual(ofUnknown);
  expect(await snapshot()).toBe(before);

  await send(json.slice(-20));
  await end();
  await expect.poll(() => section.getAttribute('aria-busy')).toBe('false');
  expect(await fieldTexts(rows)).toEqual(rowTexts(7));
  expect(await page.locator('body').getAttribute('data-fetched')).toBe('/api/v1/projects');
  expect(problems).toEqual([]);
});

test('only the first fifteen projects are parsed and shown before the scripts have loaded [CHOICE-69]', async () => {
  const { page, hydrate, send, end } = await openStreaming();
  const rows = page.locator('section li');
  const json = JSON.stringify(projects(200));
  const half = json.indexOf('{"id":101,');
  await send(json.slice(0, half));
  await expect.poll(() => rows.count()).toBe(15);
  await page.evaluate(() => {
    const parse = JSON.parse.bind(JSON);
    JSON.parse = (text: string) => {
      document.body.dataset['parsed'] = 'yes';
      return parse(text);
    };
  });
  await send(json.slice(half));
  await end();
  expect(await page.evaluate(() => document.body.dataset['parsed'])).toBe(undefined);
  await hydrate();
  await page.locator('section[aria-busy=false]').waitFor();
  expect(await rows.first().getAttribute('aria-setsize')).toBe('200');
});

test.each([50, 51, 200])(
  'the same rows of a list of %i are in view when the app takes over [CHOICE-66]',
  async (count) => {
    const { page, hydrate, send, end } = await openStreaming({
      viewport: { width: 800, height: 300 },
    });
    // All rows have different heights, so that no height can be estimated from the others.
    const uneven = projects(count).map((row) => ({
      ...row,
      description: 'A line.\n'.repeat(row.id),
    }));
    await send(JSON.stringify(uneven));
    const rows = page.locator('section li');
    await rows.nth(14).waitFor();
    await rows.last().evaluate((row) => row.scrollIntoView());
    const position = () =>
      page.evaluate(() => {
        const title = document.elementFromPoint(innerWidth / 2, 10)?.closest('li')?.firstChild;
        return [title?.textContent, scrollY];
      });
    const before = await position();
    expect(before[0]).toMatch(/^Project \d+$/);
    await hydrate();
    expect(await position()).toEqual(before);
    await end();
    await page.locator('section[aria-busy=false]').waitFor();
    expect(await position()).toEqual(before);
  },
);

test.each([
  ['an error', { status: 500, json: projects(1) }],
  ['no list', { json: { items: projects(1) } }],
  ['no list of projects', { json: [{ ...projects(1)[0], title: 1 }] }],
  ['no JSON', { body: '<h1>Project 1</h1>' }],
])(
  'a response that is %s becomes an empty list, without ever showing a row [CHOICE-68, ERROR-8]',
  async (_, response) => {
    const { page, requests, hydrate } = await openPrerendered('/projects', {
      async prepare(newPage) {
        await newPage.route('**/api/v1/projects', (route) => route.fulfill(response));
        await newPage.addInitScript(() => {
          new MutationObserver(() => {
            if (document.querySelector('#root li[aria-posinset]'))
              document.documentElement.dataset['shown'] = 'yes';
          }).observe(document, { childList: true, subtree: true });
        });
      },
    });
    await expect.poll(() => requests.length).toBe(1);
    await (await requests[0]!.response())!.finished();
    expect(await page.getByText('Loading projects…').isVisible()).toBe(true);
    await hydrate();
    await page.getByText('No projects to show.').waitFor();
    expect(await page.locator('html').getAttribute('data-shown')).toBe(null);
  },
);

describe('leaving the projects aborts the early request [CHOICE-70]', () => {
  test('before the scripts have loaded', async () => {
    const { page, problems, requests, hydrate } = await openPrerendered('/projects');
    await expect.poll(() => requests.length).toBe(1);
    const aborted = page.waitForEvent('requestfailed');
    await page.getByRole('link', { name: 'About' }).click();
    expect(await aborted).toBe(requests[0]);
    expect(requests[0]!.url()).toBe(`${server.address}/api/v1/projects`);
    await hydrate();
    await page.getByRole('link', { name: 'Projects' }).click();
    await expect.poll(() => requests.length).toBe(2);
    expect(problems).toEqual([]);
  });

  test('after the app has taken over', async () => {
    const { page, problems, requests, hydrate } = await openPrerendered('/projects');
    await hydrate();
    await field(page, 'Title').fill('The app is there');
    const aborted = page.waitForEvent('requestfailed');
    await page.getByRole('link', { name: 'About' }).click();
    await page.getByRole('link', { name: 'Projects' }).click();
    expect(await aborted).toBe(requests[0]);
    expect(problems).toEqual([]);
  });
});

test('an early request that fails becomes an empty list [CHOICE-68, ERROR-8]', async () => {
  const { page, requests, hydrate } = await openPrerendered('/projects', {
    prepare: (newPage) => newPage.route('**/api/v1/projects', (route) => route.abort()),
  });
  await expect.poll(() => requests[0]?.failure()).toBeTruthy();
  await hydrate();
  await page.getByText('No projects to show.').waitFor();
  expect(await alerts(page).count()).toBe(0);
});

const goOnline = (page: Page) => page.evaluate(() => dispatchEvent(new Event('online')));

describe('when a script fails to load', () => {
  const failure = 'This page could not be loaded. Check your connection, or reload the page.';

  /** Opens a prerendered path whose script fails at once. */
  async function openFailed(path: string) {
    const { page } = await browser.open();
    await page.route('**/assets/index*', (route) => route.abort());
    await page.goto(`${server.address}/#${path}`);
    await alerts(page).waitFor();
    expect(await alerts(page).allTextContents()).toEqual([failure]);
    return page;
  }

  test('an alert says so, the prerendered screens work, and nothing is busy [CHOICE-71, CHOICE-72]', async () => {
    const page = await openFailed('/about');
    await page.getByRole('link', { name: 'Projects' }).click();
    expect(await alerts(page).allTextContents()).toEqual([failure]);
    expect(await page.locator('section').innerText()).toBe('List of Projects');
    expect(await page.locator('[aria-busy=true]').count()).toBe(0);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await fillCredentials(page, 'ada@example.org');
    const first = await alerts(page).elementHandle();
    await submitButton(page, 'Sign in').click();
    // Screen readers announce an alert when its element is new.
    expect(await first?.evaluate((element) => element.isConnected)).toBe(false);
    expect(await alerts(page).allTextContents()).toEqual([failure]);
    expect(await submitButton(page, 'Sign in').getAttribute('aria-busy')).toBe('false');
    expect(await field(page, 'Email').inputValue()).toBe('ada@example.org');
  });

  test('projects are shown, whether they arrive before or after the failure [CHOICE-76]', async () => {
    const { page, failScripts } = await openPrerendered('/projects', {
      prepare: (newPage) => mockProjects(newPage, projects(2)),
    });
    await expect.poll(() => rowTitles(page).count()).toBe(2);
    await failScripts();
    const section = page.locator('section');
    const rows = section.getByRole('listitem');
    await expect.poll(() => fieldTexts(rows)).toEqual(rowTexts(2));
    expect(await section.locator(':scope > :not(div):visible').allTextContents()).toEqual([
      'List of Projects',
    ]);
    expect(await section.getAttribute('aria-busy')).toBe('false');
    await page.getByRole('link', { name: 'About' }).click();
    await page.getByRole('link', { name: 'Projects' }).click();
    await expect.poll(() => fieldTexts(rows)).toEqual(rowTexts(2));
    expect(await section.getAttribute('aria-busy')).toBe('false');
  });

  test('the alert appears once, and only for scripts [CHOICE-71]', async () => {
    const { page } = await openPrerendered('/about');
    await page.locator('h1').waitFor();
    const failToLoad = (tagName: string) =>
      page.evaluate(async (name) => {
        const element = document.createElement(name) as HTMLImageElement;
        const error = new Promise((resolve) => element.addEventListener('error', resolve));
        document.body.append(element);
        element.src = 'data:,no-picture-and-no-script';
        await error;
      }, tagName);
    await failToLoad('img');
    expect(await alerts(page).count()).toBe(0);
    await failToLoad('script');
    const first = await alerts(page).elementHandle();
    await failToLoad('script');
    expect(await first?.evaluate((element) => element.isConnected)).toBe(true);
    expect(await alerts(page).count()).toBe(1);
  });

  test('the alert also appears on an unknown path [CHOICE-71]', async () => {
    const page = await openFailed('/nowhere');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(
      'Unexpected Application Error!',
    );
  });

  test('a submitted form is no longer busy [CHOICE-72]', async () => {
    const { page, failScripts } = await openPrerendered('/login');
    await fillCredentials(page, 'ada@example.org');
    await submitButton(page, 'Sign in').click();
    await page.locator('button[aria-busy=true]').waitFor();
    await failScripts();
    expect(await page.locator('button[aria-busy=true]').count()).toBe(0);
  });

  test.each([
    ['from the same URL', '**/never'],
    // Firefox 153 never requests the same URL again.
    ['from another URL', '**/assets/**'],
  ])(
    'the app is loaded %s once the network is back, and keeps what was typed [CHOICE-88]',
    async (_, failingUrls) => {
      const { page, requests, failScripts } = await openPrerendered('/login');
      await fillCredentials(page, 'ada@example.org');
      const input = await field(page, 'Email').elementHandle();
      await failScripts();
      await page.unroute('**/assets/**');
      await page.route(failingUrls, (route, request) =>
        request.resourceType() === 'script' ? route.abort() : route.continue(),
      );
      await goOnline(page);
      await waitForApp(page);
      expect(await alerts(page).count()).toBe(0);
      expect(await input?.evaluate((element) => element.isConnected)).toBe(true);
      await submitButton(page, 'Sign in').click();
      await expect.poll(() => requests.length).toBe(1);
      expect(requests[0]?.postDataJSON()).toEqual({
        email: 'ada@example.org',
        password: 'correct horse',
      });
    },
  );

  // Firefox 153 never requests a module again whose import has failed.
  test('the app is not imported while the server refuses its file [CHOICE-88]', async () => {
    const { page } = await browser.open();
    await page.clock.install();
    await page.route('**/assets/index*', (route) => route.fulfill({ status: 503 }));
    await page.goto(`${server.address}/#/about`);
    await alerts(page).waitFor();
    const methods: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('index')) methods.push(request.method());
    });
    await expect
      .poll(async () => {
        await page.clock.runFor(5_000);
        return methods.filter((method) => method === 'HEAD').length;
      })
      .toBeGreaterThan(2);
    expect(new Set(methods)).toEqual(new Set(['HEAD']));
    await page.unroute('**/assets/index*');
    await page.clock.runFor(5_000);
    await waitForApp(page);
  });

  test('the app is requested every five seconds, and loaded once [CHOICE-88]', async () => {
    const { page } = await browser.open();
    await page.clock.install();
    await page.route('**/assets/index*', (route) => route.abort());
    await page.goto(`${server.address}/#/about`);
    await alerts(page).waitFor();
    // Not the first request of the chunk, whose failure can be reported after the alert is shown.
    const failed = page.waitForEvent('requestfailed', (request) => request.method() === 'HEAD');
    await page.clock.runFor(5_000);
    await failed;
    const loaded: string[] = [];
    page.on('response', (response) => {
      const request = response.request();
      if (request.resourceType() === 'script' && /assets.index/.test(request.url())) {
        loaded.push(request.url());
      }
    });
    await page.unroute('**/assets/index*');
    await page.clock.runFor(5_000);
    await waitForApp(page);
    expect(loaded).toHaveLength(1);
  });
});

describe('when the chunk of the screens fails to load', () => {
  const failLazyChunk = (page: Page) =>
    page.route('**/assets/lazy-chunk*', (route) => route.abort());

  /** Opens a prerendered path. `loadApp` loads the app, which requests the chunk twice more. */
  async function openWithoutLazyChunk(path: string) {
    const { page, requests, loadScripts } = await openPrerendered(path, {
      async prepare(newPage) {
        await mockProjects(newPage, projects(2));
        await failLazyChunk(newPage);
      },
    });
    return {
      page,
      requests,
      loadApp: async () => {
        await alerts(page).waitFor();
        // The app's last request of the chunk has a new URL.
        const failedAgain = page.waitForEvent('requestfailed', (request) =>
          request.url().endsWith('?1'),
        );
        await loadScripts();
        await failedAgain;
      },
    };
  }

  test('what was typed stays until the user leaves, and the rest of the app works [CHOICE-73]', async () => {
    const { page, loadApp } = await openWithoutLazyChunk('/login');
    await fillCredentials(page, 'ada@example.org');
    await loadApp();
    expect(await field(page, 'Email').inputValue()).toBe('ada@example.org');
    await page.getByRole('link', { name: 'About' }).click();
    await waitForApp(page);
    await page.getByRole('heading', { name: 'About Page' }).waitFor();
    expect(await alerts(page).count()).toBe(0);
  });

  test('the projects received stay until the user leaves [CHOICE-76]', async () => {
    const { page, loadApp } = await openWithoutLazyChunk('/projects');
    await expect.poll(() => rowTitles(page).count()).toBe(2);
    await loadApp();
    await alerts(page).waitFor();
    expect(await rowTitles(page).count()).toBe(2);
    await page.getByRole('link', { name: 'About' }).click();
    await waitForApp(page);
    await page.getByRole('heading', { name: 'About Page' }).waitFor();
  });

  test('the early response is not shown to the next user [CHOICE-70, CHOICE-47]', async () => {
    const { page } = await browser.open();
    let requests = 0;
    await page.route('**/api/v1/projects', (route) =>
      route.fulfill({ json: requests++ === 0 ? [] : projects(1) }),
    );
    await page.route('**/api/v1/auth/login', (route) => route.fulfill({ status: 200, json: {} }));
    await failLazyChunk(page);
    await page.goto(`${server.address}/#/projects`);
    await page.getByText('This page could not be loaded.').waitFor();
    await page.unroute('**/assets/lazy-chunk*');
    await headerLink(page, 'Sign in').click();
    await waitForApp(page);
    await fillCredentials(page, 'bob@example.org');
    await submitButton(page, 'Sign in').click();
    await expect.poll(() => rowTitles(page).allTextContents()).toEqual(['Project 1']);
    expect(requests).toBe(2);
  });

  test('what was typed stays, and is sent by the form once the network is back [CHOICE-73]', async () => {
    const { page, loadApp, requests } = await openWithoutLazyChunk('/login');
    await fillCredentials(page, 'ada@example.org');
    await loadApp();
    const input = await field(page, 'Email').elementHandle();
    await page.unroute('**/assets/lazy-chunk*');
    await goOnline(page);
    await waitForApp(page);
    expect(await alerts(page).count()).toBe(0);
    expect(await input?.evaluate((element) => element.isConnected)).toBe(true);
    const sent = page.waitForRequest('**/auth/login');
    await submitButton(page, 'Sign in').click();
    expect((await sent).postDataJSON()).toEqual({
      email: 'ada@example.org',
      password: 'correct horse',
    });
    expect(requests).toHaveLength(1);
  });

  test('the app sends a form that is submitted while it hydrates the page after a failure', async () => {
    const { page, loadApp } = await openWithoutLazyChunk('/login');
    await fillCredentials(page, 'ada@example.org');
    await loadApp();
    await page.unroute('**/assets/lazy-chunk*');
    // As the app does before React hydrates.
    await page.evaluate(() => window.prerendered!.freeze());
    // Without the event of a click, because the app tries again at each click.
    await page.evaluate(() => document.querySelector('form')!.requestSubmit());
    expect(await alerts(page).count()).toBe(0);
    const sent = page.waitForRequest('**/auth/login');
    await goOnline(page);
    expect((await sent).postDataJSON()).toMatchObject({ email: 'ada@example.org' });
  });
});

test("the server's content security policy allows all inline scripts and styles of the page", async () => {
  const { page, problems } = await browser.open();
  await page.goto(`${server.address}/#/login`);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(problems).toEqual([]);
  const policy = (await fetch(server.address)).headers.get('content-security-policy') ?? '';
  expect(policy).not.toContain('unsafe');
  expect(readFileSync('dist/index.html', 'utf8')).toMatch(/<style>.+<\/style>/s);
});
