import { readFileSync } from 'node:fs';
import type { Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { screens } from '../../model/driver.ts';
import { waitForApp } from '../../model/browser-driver.ts';
import { field, fillCredentials, show, submit, titles, useBrowser } from '../support/browser.ts';
import { startTemporaryServer } from '../support/server-process.ts';

const browser = useBrowser();
let server: Awaited<ReturnType<typeof startTemporaryServer>>;
beforeAll(async () => {
  server = await startTemporaryServer();
});
afterAll(() => server.stop());

/** A page whose scripts never come. */
async function withoutScripts() {
  const { page } = await browser.open();
  await page.route('**/assets/**', () => {});
  await page.route('**/api/**', () => {});
  return page;
}

test.each(Object.entries(screens).map(([path, { heading, title }]) => [path, heading, title]))(
  '[CHOICE-53, CHOICE-60] %s is seen before a script has come: header, "%s", footer with this year',
  async (path, heading, title) => {
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
    expect(await page.title()).toBe(`${title} · Tracker App`);
  },
);

test('[CHOICE-61] links work before a script has come', async () => {
  const page = await withoutScripts();
  await page.goto(server.address, { waitUntil: 'commit' });
  await page.locator('header a:visible', { hasText: 'Sign up' }).click();
  await page.getByRole('heading', { name: 'Create an account' }).waitFor();
  expect(new URL(page.url()).hash).toBe('#/register');
});

/** A page whose scripts come when they are let through. */
async function withLateScripts() {
  const { page, problems } = await browser.open();
  const held: (() => void)[] = [];
  await page.route('**/assets/**', async (route) => {
    await new Promise<void>((go) => held.push(go));
    await route.continue();
  });
  await page.route('**/api/**', () => {});
  return {
    page,
    problems,
    /** Lets them through until the app has taken the place of the first view. */
    arrive: async () => {
      const going = setInterval(() => held.splice(0).forEach((go) => go()), 1);
      await waitForApp(page);
      clearInterval(going);
    },
  };
}

test('[CHOICE-53] the first view looks as the app does that takes its place, to the pixel', async () => {
  const { page, arrive } = await withLateScripts();
  // Nothing moves, and the list is still on its way in both.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const path of Object.keys(screens)) {
    await page.goto('about:blank');
    await page.goto(`${server.address}/#${path}`, { waitUntil: 'commit' });
    await page.locator('h1:visible').waitFor();
    const early = await page.screenshot();
    await arrive();
    const late = await page.screenshot();
    expect(Buffer.compare(early, late), `${path} changes when the app takes over`).toBe(0);
  }
});

test('[CHOICE-65] whoever is on a link of the first view stays on it when the app takes its place', async () => {
  const { page, arrive } = await withLateScripts();
  await page.goto(`${server.address}/#/about`, { waitUntil: 'commit' });
  await page.getByRole('link', { name: 'Projects' }).focus();
  await arrive();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Projects');
});

test('[CHOICE-61] whoever follows a link of the first view is there when the app takes its place', async () => {
  const { page, arrive } = await withLateScripts();
  await page.goto(server.address, { waitUntil: 'commit' });
  await page.getByRole('link', { name: 'Sign up' }).click();
  await page.getByRole('heading', { name: 'Create an account' }).waitFor();
  await arrive();
  await page.getByLabel('Email').fill('ada@example.org');
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Create an account');
});

test('[CHOICE-61] whoever follows a link of the first view while the app is being drawn is there when it is', async () => {
  const { page, arrive } = await withLateScripts();
  await page.goto(server.address, { waitUntil: 'commit' });
  await page.evaluate(() => {
    const link = document.querySelector<HTMLElement>('a[href="#/about"]');
    type Send = (this: MessagePort, message: unknown) => void;
    const send = Reflect.get(MessagePort.prototype, 'postMessage') as Send;
    // React draws in slices, and has itself called back for each.
    MessagePort.prototype.postMessage = function postMessage(this: MessagePort, message: unknown) {
      MessagePort.prototype.postMessage = send;
      link?.click();
      document.body.dataset['followed'] = String(link?.isConnected);
      send.call(this, message);
    };
  });
  await arrive();
  await page.getByRole('heading', { name: 'About Page' }).waitFor();
  expect(await page.locator('body').getAttribute('data-followed')).toBe('true');
  expect(await page.title()).toBe('About · Tracker App');
  expect(await page.locator('a[aria-current=page]').textContent()).toBe('About');
});

test('[CHOICE-61, CHOICE-65] whoever follows a link of the first view by keyboard is on the heading of that screen, before and after the app takes its place', async () => {
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

test('[CHOICE-62] what is typed before the app takes its place is there afterwards, and can be typed on', async () => {
  const { page, arrive } = await withLateScripts();
  await page.goto(`${server.address}/#/projects`, { waitUntil: 'commit' });
  await field(page, 'Title').fill('Website');
  await field(page, 'Description').pressSequentially('New ges.');
  for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowLeft');
  await arrive();
  await page.keyboard.type('pa');
  expect(await field(page, 'Title').inputValue()).toBe('Website');
  expect(await field(page, 'Description').inputValue()).toBe('New pages.');
  expect(await page.getByText('is required').count()).toBe(0);
});

test('[CHOICE-62] whoever types while the scripts come loses no key', async () => {
  const { page, arrive } = await withLateScripts();
  await page.goto(`${server.address}/#/login`, { waitUntil: 'commit' });
  await field(page, 'Password').focus();
  const app = { isInPlace: false };
  const arrived = arrive().then(() => (app.isInPlace = true));
  let typed = '';
  while (!app.isInPlace) {
    await page.keyboard.press('a');
    typed += 'a';
  }
  await arrived;
  expect(await field(page, 'Password').inputValue()).toBe(typed);
  expect(await page.getByText('is required').count()).toBe(0);
});

test('[CHOICE-62] a word that is being put together is finished before the app takes its place', async () => {
  const { page, arrive } = await withLateScripts();
  await page.goto(`${server.address}/#/projects`, { waitUntil: 'commit' });
  await field(page, 'Title').focus();
  await page.evaluate(() => {
    let isEnded = false;
    const composition = (type: string) =>
      document.activeElement!.dispatchEvent(new CompositionEvent(type, { bubbles: true }));
    composition('compositionstart');
    // Once the app has begun to wait for its end, the word is finished.
    const listen = window.addEventListener.bind(window);
    window.addEventListener = (...[type, ...rest]: Parameters<typeof listen>) => {
      listen(type, ...rest);
      if (type !== 'compositionend') return;
      isEnded = true;
      composition(type);
    };
    new MutationObserver((_, observer) => {
      observer.disconnect();
      document.body.dataset['ended'] = String(isEnded);
    }).observe(document.getElementById('root')!, { childList: true });
  });
  await arrive();
  expect(await page.locator('body').getAttribute('data-ended')).toBe('true');
});

test('[CHOICE-66] whoever has scrolled is at the same place when the app takes its place', async () => {
  const { page, arrive } = await withLateScripts();
  await page.setViewportSize({ width: 320, height: 400 });
  await page.goto(`${server.address}/#/projects`, { waitUntil: 'commit' });
  await field(page, 'Description').fill('New pages.');
  await page.evaluate(() => scrollTo(0, 200));
  // What the app writes when its screen is there.
  await page.evaluate(() => (document.title = ''));
  await arrive();
  await expect.poll(() => page.title()).toBe('Projects · Tracker App');
  expect(await page.evaluate(() => scrollY)).toBe(200);
});

test.each([
  ['/nowhere', 'Unexpected Application Error!'],
  ['/%', 'Unexpected Application Error!'],
  ['/login/', 'Sign in'],
  ['about', 'About Page'],
])(
  '[CHOICE-53] at #%s the screen is "%s" before a script has come, and afterwards',
  async (path, heading) => {
    const { page, arrive } = await withLateScripts();
    await page.goto(`${server.address}/#${path}`, { waitUntil: 'commit' });
    const shown = page.getByRole('heading', { level: 1 });
    expect(await shown.textContent()).toBe(heading);
    await arrive();
    expect(await shown.textContent()).toBe(heading);
  },
);

test('[CHOICE-63, FIELD-1] a field left empty says so before the app takes its place, and afterwards, until it is filled', async () => {
  const { page, problems, arrive } = await withLateScripts();
  await page.goto(`${server.address}/#/login`, { waitUntil: 'commit' });
  const errors = () => page.getByText('is required').allTextContents();
  await page.getByRole('link', { name: 'About' }).focus();
  await field(page, 'Email').focus();
  // As long as it was not left, it may be empty.
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
  await arrive();
  await expect.poll(errors).toEqual(['Password is required']);
  await page.keyboard.press('Tab');
  await page.getByText('Invalid email address').waitFor();
  await page.keyboard.type('c');
  await expect.poll(errors).toEqual([]);
  expect(problems).toEqual([]);
});

test('[CHOICE-74] a field that was left and has something else wrong with it says so when the app takes its place', async () => {
  const { page, arrive } = await withLateScripts();
  await page.goto(`${server.address}/#/register`, { waitUntil: 'commit' });
  await fillCredentials(page, 'ada', 'short');
  await submit(page, 'Register').focus();
  await arrive();
  await page.getByText('Invalid email address').waitFor();
  await page.getByText('Password must be at least 8 characters').waitFor();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Register');
});

test('[CHOICE-64, CHOICE-75, CHOICE-7] a form that is submitted before the app takes its place is sent when it does, once, and nowhere else', async () => {
  const { page, arrive } = await withLateScripts();
  const calls: unknown[] = [];
  await page.route('**/api/**', (route) => void calls.push(route.request().postDataJSON()));
  await page.goto(`${server.address}/#/login`, { waitUntil: 'commit' });
  await fillCredentials(page, 'ada@example.org');
  await page.keyboard.press('Enter');
  await submit(page, 'Sign in').click({ force: true });
  await page.locator('button[aria-busy=true][aria-disabled=true]').waitFor();
  const moving = (it: HTMLElement | SVGElement) =>
    it.getAnimations({ subtree: true }).filter((each) => !(each instanceof CSSTransition)).length;
  expect(await submit(page, 'Sign in').evaluate(moving)).toBe(1);
  expect([calls, page.url()]).toEqual([[], `${server.address}/#/login`]);
  await arrive();
  await expect.poll(() => calls).toEqual([{ email: 'ada@example.org', password: 'correct horse' }]);
  expect(page.url()).toBe(`${server.address}/#/login`);
});

test('[CHOICE-63, VALID-7] a form that is submitted before the app takes its place says what is missing, and is not sent', async () => {
  const { page, arrive } = await withLateScripts();
  await page.goto(`${server.address}/#/login`, { waitUntil: 'commit' });
  await field(page, 'Email').fill('ada@example.org');
  await submit(page, 'Sign in').click();
  await page.getByText('Password is required').waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('name'));
  expect(await focused()).toBe('password');
  expect(await page.locator('button[aria-busy=true]').count()).toBe(0);
  await arrive();
  expect(await focused()).toBe('password');
  expect(await field(page, 'Email').inputValue()).toBe('ada@example.org');
  await page.keyboard.type('correct horse');
  const sent = page.waitForRequest('**/auth/login');
  await page.keyboard.press('Enter');
  expect((await sent).postDataJSON()).toEqual({
    email: 'ada@example.org',
    password: 'correct horse',
  });
});

test('[CHOICE-67] what was typed on a screen that is left before the app takes its place goes to no other', async () => {
  const { page, arrive } = await withLateScripts();
  await page.goto(`${server.address}/#/login`, { waitUntil: 'commit' });
  await fillCredentials(page, 'ada@example.org');
  await page.getByRole('link', { name: 'Sign up' }).click();
  await page.getByRole('heading', { name: 'Create an account' }).waitFor();
  expect(await field(page, 'Email').inputValue()).toBe('');
  await field(page, 'Email').fill('bob@example.org');
  await arrive();
  expect(await field(page, 'Email').inputValue()).toBe('bob@example.org');
  expect(await field(page, 'Password').inputValue()).toBe('');
});

test('[CHOICE-67] whoever leaves a form before the app takes its place and comes back begins anew', async () => {
  const { page, arrive } = await withLateScripts();
  const sent: string[] = [];
  page.on('request', (request) => sent.push(new URL(request.url()).pathname));
  await page.goto(`${server.address}/#/login`, { waitUntil: 'commit' });
  await fillCredentials(page, 'ada@example.org');
  await submit(page, 'Sign in').click();
  const link = (name: string) => page.getByRole('banner').getByRole('link', { name, exact: true });
  await link('About').click();
  await link('Sign in').click();
  await arrive();
  await expect.poll(() => field(page, 'Email').inputValue()).toBe('');
  await field(page, 'Password').fill('correct horse');
  expect(await page.getByText('is required').count()).toBe(0);
  expect(sent).not.toContain('/api/v1/login');
});

test('[CHOICE-68, CALL-8, CALL-1] the list is asked for before a script has come, as the app does, and once', async () => {
  const { page, arrive } = await withLateScripts();
  await page.context().addCookies([{ name: 'XSRF-TOKEN', value: 'a%2Fb', url: server.address }]);
  const calls: Record<string, string>[] = [];
  await page.route('**/api/v1/projects', (route) => {
    calls.push(route.request().headers());
    return route.fulfill({ json: [{ id: 1, title: 'Website', description: 'New pages.' }] });
  });
  await page.goto(`${server.address}/#/projects`, { waitUntil: 'commit' });
  await expect.poll(() => calls.length).toBe(1);
  await arrive();
  await page.getByText('New pages.').waitFor();
  expect(calls.length).toBe(1);
  // Whoever comes back asks anew, in the same way.
  await page.getByRole('link', { name: 'About' }).click();
  await page.getByRole('link', { name: 'Projects' }).click();
  await expect.poll(() => calls.length).toBe(2);
  expect(calls[0]).toEqual(calls[1]);
  expect(calls[0]).toMatchObject({ accept: 'application/json', 'x-xsrf-token': 'a/b' });
});

const projects = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    title: `Project ${index + 1}`,
    description: 'First line.\nSecond line.',
  }));

/** The projects before the scripts have come, with a list that arrives piece by piece, as the test sends it. */
async function withListInPieces() {
  const late = await withLateScripts();
  const { page } = late;
  await page.addInitScript(() => {
    const encoder = new TextEncoder();
    window.fetch = async (address) => {
      const { asked = '' } = document.body.dataset;
      document.body.dataset['asked'] = asked + (address instanceof Request ? address.url : address);
      const body = new ReadableStream({
        start(list) {
          addEventListener('piece', (event) =>
            list.enqueue(encoder.encode((event as CustomEvent<string>).detail)),
          );
          addEventListener('end', () => list.close());
        },
      });
      return new Response(body);
    };
  });
  await page.goto(`${server.address}/#/projects`, { waitUntil: 'commit' });
  await page.locator('section').waitFor();
  return {
    ...late,
    send: (piece: string) =>
      page.evaluate((detail) => dispatchEvent(new CustomEvent('piece', { detail })), piece),
    end: () => page.evaluate(() => dispatchEvent(new CustomEvent('end'))),
  };
}

const textsOf = (count: number) =>
  projects(count).map(({ title, description }) => `${title}${description}`);

test('[CHOICE-69] projects are seen as they arrive, before a script has come, and stay when the app takes its place', async () => {
  const { page, problems, arrive, send, end } = await withListInPieces();
  const list = page.getByRole('list', { name: 'List of Projects' });
  const rows = list.getByRole('listitem');
  const text = JSON.stringify(projects(7));
  const at = text.indexOf(',{"id":4');
  const rest = text.slice(at);
  const first = text.indexOf(',{"id":2');
  await send(text.slice(0, first));
  await expect.poll(() => rows.allTextContents()).toEqual(textsOf(1));
  await send(text.slice(first, at));
  await expect.poll(() => rows.allTextContents()).toEqual(textsOf(3));
  await send(rest.slice(0, -20));
  await expect.poll(() => rows.allTextContents()).toEqual(textsOf(6));
  const marks = () =>
    rows.evaluateAll((all) => all.map((row) => [row.ariaPosInSet, row.ariaSetSize].join(' of ')));
  const unknown = ['1 of -1', '2 of -1', '3 of -1', '4 of -1', '5 of -1', '6 of -1'];
  expect(await marks()).toEqual(unknown);
  expect(await page.locator('section').getAttribute('aria-busy')).toBe('true');
  expect(await page.getByText('Loading projects…').count()).toBe(0);
  const before = await page.locator('section').ariaSnapshot();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const early = await page.screenshot({ fullPage: true });

  // Whatever the browser may draw between two tasks.
  await page.evaluate(() => {
    const look = () => {
      const { fewest = '9' } = document.body.dataset;
      const seen = document.querySelectorAll('#root li[aria-posinset]').length;
      document.body.dataset['fewest'] = String(Math.min(Number(fewest), seen));
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  });
  await arrive();
  expect(await page.locator('body').getAttribute('data-fewest')).toBe('6');
  expect(Buffer.compare(early, await page.screenshot({ fullPage: true }))).toBe(0);
  expect(await rows.allTextContents()).toEqual(textsOf(6));
  expect(await marks()).toEqual(unknown);
  expect(await page.locator('section').ariaSnapshot()).toBe(before);

  await send(rest.slice(-20));
  await end();
  await expect.poll(() => page.locator('section').getAttribute('aria-busy')).toBe('false');
  expect(await rows.allTextContents()).toEqual(textsOf(7));
  expect(await page.locator('body').getAttribute('data-asked')).toBe('/api/v1/projects');
  expect(problems).toEqual([]);
});

test('[CHOICE-69] of a long list, the first fifteen are seen before a script has come, and no more of it is parsed', async () => {
  const { page, arrive, send, end } = await withListInPieces();
  const rows = page.locator('section li');
  const text = JSON.stringify(projects(200));
  const half = text.indexOf('{"id":101,');
  await send(text.slice(0, half));
  await expect.poll(() => rows.count()).toBe(15);
  await page.evaluate(() => {
    const parse = JSON.parse.bind(JSON);
    JSON.parse = (json: string) => {
      document.body.dataset['parsed'] = 'yes';
      return parse(json);
    };
  });
  await send(text.slice(half));
  await end();
  expect(await page.evaluate(() => document.body.dataset['parsed'])).toBe(undefined);
  await arrive();
  await page.locator('section[aria-busy=false]').waitFor();
  expect(await rows.first().getAttribute('aria-setsize')).toBe('200');
});

test.each([50, 51, 200])(
  '[CHOICE-66] whoever has scrolled into a list of %i sees the same rows when the app takes its place',
  async (count) => {
    const { page, arrive, send, end } = await withListInPieces();
    await page.setViewportSize({ width: 800, height: 300 });
    // As uneven as can be: no height can be guessed from the others.
    const all = projects(count).map((row) => ({ ...row, description: 'A line.\n'.repeat(row.id) }));
    await send(JSON.stringify(all));
    await page.locator('section li').nth(14).waitFor();
    await page
      .locator('section li')
      .last()
      .evaluate((row) => row.scrollIntoView());
    const at = () =>
      page.evaluate(() => {
        const title = document.elementFromPoint(innerWidth / 2, 10)?.closest('li')?.firstChild;
        return [title?.textContent, scrollY];
      });
    const before = await at();
    expect(before[0]).toMatch(/^Project \d+$/);
    await arrive();
    expect(await at()).toEqual(before);
    await end();
    await page.locator('section[aria-busy=false]').waitFor();
    expect(await at()).toEqual(before);
  },
);

test.each([
  ['an error', { status: 500, json: projects(1) }],
  ['no list', { json: { items: projects(1) } }],
  ['no list of projects', { json: [{ ...projects(1)[0], title: 1 }] }],
  ['no JSON', { body: '<h1>Project 1</h1>' }],
])(
  '[CHOICE-68, ERROR-8] an answer that is %s is an empty list, and nothing of it is ever shown',
  async (_, answer) => {
    const { page, arrive } = await withLateScripts();
    await page.route('**/api/v1/projects', (route) => route.fulfill(answer));
    await page.addInitScript(() => {
      new MutationObserver(() => {
        if (document.querySelector('#root li[aria-posinset]'))
          document.documentElement.dataset['shown'] = 'yes';
      }).observe(document, { childList: true, subtree: true });
    });
    const answered = page.waitForResponse('**/api/v1/projects');
    await page.goto(`${server.address}/#/projects`, { waitUntil: 'commit' });
    await (await answered).finished();
    expect(await page.getByText('Loading projects…').isVisible()).toBe(true);
    await arrive();
    await page.getByText('No projects to show.').waitFor();
    expect(await page.locator('html').getAttribute('data-shown')).toBe(null);
  },
);

test('[CHOICE-70] whoever leaves the projects before a script has come gives the list up', async () => {
  const { page, problems, arrive } = await withLateScripts();
  const asked = page.waitForRequest('**/api/v1/projects');
  await page.goto(`${server.address}/#/projects`, { waitUntil: 'commit' });
  await asked;
  const givenUp = page.waitForEvent('requestfailed');
  await page.getByRole('link', { name: 'About' }).click();
  expect((await givenUp).url()).toBe(`${server.address}/api/v1/projects`);
  await arrive();
  const again = page.waitForRequest('**/api/v1/projects');
  await page.getByRole('link', { name: 'Projects' }).click();
  await again;
  expect(problems).toEqual([]);
});

test('[CHOICE-70] whoever leaves the projects after the app has taken its place gives up the list that began with the page', async () => {
  const { page, problems, arrive } = await withLateScripts();
  const asked = page.waitForRequest('**/api/v1/projects');
  await page.goto(`${server.address}/#/projects`, { waitUntil: 'commit' });
  const early = await asked;
  await arrive();
  await field(page, 'Title').fill('The app is there');
  const givenUp = page.waitForEvent('requestfailed');
  await page.getByRole('link', { name: 'About' }).click();
  await page.getByRole('link', { name: 'Projects' }).click();
  expect(await givenUp).toBe(early);
  expect(problems).toEqual([]);
});

test('[CHOICE-68, ERROR-8] a list that fails before a script has come is an empty one', async () => {
  const { page, arrive } = await withLateScripts();
  await page.route('**/api/v1/projects', (route) => route.abort());
  const failed = page.waitForEvent('requestfailed');
  await page.goto(`${server.address}/#/projects`, { waitUntil: 'commit' });
  await failed;
  await arrive();
  await page.getByText('No projects to show.').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

describe('where a script of the app does not come', () => {
  const failed = 'This page could not be loaded. Check your connection, then reload the page.';

  /** The first view of a path, which says that the app did not come. */
  async function failedAt(path: string) {
    const { page } = await browser.open();
    await page.route('**/assets/index*', (route) => route.abort());
    await page.goto(`${server.address}/#${path}`);
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').allTextContents()).toEqual([failed]);
    return page;
  }

  test('[CHOICE-71, CHOICE-72] the first view says so, goes on showing its screens, and nobody waits in vain', async () => {
    const page = await failedAt('/about');
    await page.getByRole('link', { name: 'Projects' }).click();
    expect(await page.getByRole('alert').allTextContents()).toEqual([failed]);
    expect(await page.locator('section').innerText()).toBe('List of Projects');
    expect(await page.locator('[aria-busy=true]').count()).toBe(0);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await fillCredentials(page, 'ada@example.org');
    const first = await page.getByRole('alert').elementHandle();
    await submit(page, 'Sign in').click();
    // An element that is new is what makes an alert speak.
    expect(await first?.evaluate((element) => element.isConnected)).toBe(false);
    expect(await page.getByRole('alert').allTextContents()).toEqual([failed]);
    expect(await submit(page, 'Sign in').getAttribute('aria-busy')).toBe('false');
    expect(await field(page, 'Email').inputValue()).toBe('ada@example.org');
  });

  test('[CHOICE-76] projects that came are still seen, and so are those that come later', async () => {
    const { page } = await browser.open();
    const held: Route[] = [];
    await page.route('**/assets/**', (route) => void held.push(route));
    await page.route('**/api/v1/projects', (route) => route.fulfill({ json: projects(2) }));
    await page.goto(`${server.address}/#/projects`, { waitUntil: 'commit' });
    await expect.poll(() => titles(page).count()).toBe(2);
    await Promise.all(held.map((route) => route.abort()));
    await page.getByRole('alert').waitFor();
    const section = page.locator('section');
    const whole = 'List of Projects' + textsOf(2).join('');
    expect(await section.textContent()).toBe(whole);
    expect(await section.getAttribute('aria-busy')).toBe('false');
    await page.getByRole('link', { name: 'About' }).click();
    await page.getByRole('link', { name: 'Projects' }).click();
    await expect.poll(() => section.textContent()).toBe(whole);
    expect(await section.getAttribute('aria-busy')).toBe('false');
  });

  test('[CHOICE-71] it is said once, and of nothing but a script', async () => {
    const page = await withoutScripts();
    await page.goto(`${server.address}/#/about`, { waitUntil: 'commit' });
    await page.locator('h1').waitFor();
    const fails = (tag: string) =>
      page.evaluate(async (name) => {
        const element = document.createElement(name) as HTMLImageElement;
        const error = new Promise((resolve) => element.addEventListener('error', resolve));
        document.body.append(element);
        element.src = 'data:,no-picture-and-no-script';
        await error;
      }, tag);
    await fails('img');
    expect(await page.getByRole('alert').count()).toBe(0);
    await fails('script');
    const first = await page.getByRole('alert').elementHandle();
    await fails('script');
    expect(await first?.evaluate((element) => element.isConnected)).toBe(true);
    expect(await page.getByRole('alert').count()).toBe(1);
  });

  test('[CHOICE-71] it is said at an unknown address, too', async () => {
    const page = await failedAt('/nowhere');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(
      'Unexpected Application Error!',
    );
  });

  test('[CHOICE-72] a form that waits stops waiting', async () => {
    const { page } = await browser.open();
    const held: Route[] = [];
    await page.route('**/assets/**', (route) => void held.push(route));
    await page.goto(`${server.address}/#/login`, { waitUntil: 'commit' });
    await fillCredentials(page, 'ada@example.org');
    await submit(page, 'Sign in').click();
    await page.locator('button[aria-busy=true]').waitFor();
    await Promise.all(held.map((route) => route.abort()));
    await page.getByRole('alert').waitFor();
    expect(await page.locator('button[aria-busy=true]').count()).toBe(0);
  });

  test('[CHOICE-73] whoever has typed keeps it until they go elsewhere, and the rest of the app works', async () => {
    const { page } = await browser.open();
    let letIn = () => {};
    const typed = new Promise<void>((resolve) => (letIn = resolve));
    await page.route('**/assets/**', (route) => typed.then(() => route.continue()));
    await page.route('**/assets/lazy-chunk*', (route) => route.abort());
    await page.goto(`${server.address}/#/login`, { waitUntil: 'commit' });
    await fillCredentials(page, 'ada@example.org');
    await page.getByRole('alert').waitFor();
    // The app itself asks once more.
    const again = page.waitForEvent('requestfailed');
    letIn();
    await again;
    expect(await field(page, 'Email').inputValue()).toBe('ada@example.org');
    await page.getByRole('link', { name: 'About' }).click();
    await waitForApp(page);
    await page.getByRole('heading', { name: 'About Page' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});

test('[CHOICE-76] projects that are in view stay until people go elsewhere where their screen does not come', async () => {
  const { page } = await browser.open();
  await page.route('**/api/v1/projects', (route) => route.fulfill({ json: projects(2) }));
  let letIn = () => {};
  const seen = new Promise<void>((resolve) => (letIn = resolve));
  await page.route('**/assets/**', (route) => seen.then(() => route.continue()));
  await page.route('**/assets/lazy-chunk*', (route) => route.abort());
  await page.goto(`${server.address}/#/projects`, { waitUntil: 'commit' });
  await expect.poll(() => titles(page).count()).toBe(2);
  const again = page.waitForEvent('requestfailed');
  letIn();
  await again;
  await page.getByRole('alert').waitFor();
  expect(await titles(page).count()).toBe(2);
  await page.getByRole('link', { name: 'About' }).click();
  await waitForApp(page);
  await page.getByRole('heading', { name: 'About Page' }).waitFor();
});

test('[CHOICE-70, CHOICE-47] a list that the app could not take is for nobody who comes later', async () => {
  const { page } = await browser.open();
  let asked = 0;
  await page.route('**/api/v1/projects', (route) =>
    route.fulfill({ json: asked++ === 0 ? [] : projects(1) }),
  );
  await page.route('**/api/v1/auth/login', (route) => route.fulfill({ status: 200, json: {} }));
  await page.route('**/assets/lazy-chunk*', (route) => route.abort());
  await page.goto(`${server.address}/#/projects`);
  await page.getByText('This page could not be loaded.').waitFor();
  await page.unroute('**/assets/lazy-chunk*');
  await page.getByRole('link', { name: 'Go to the start page' }).click();
  const link = page.getByRole('banner').getByRole('link', { name: 'Sign in', exact: true });
  await link.click();
  await fillCredentials(page, 'bob@example.org');
  await submit(page, 'Sign in').click();
  await expect.poll(() => titles(page).allTextContents()).toEqual(['Project 1']);
  expect(asked).toBe(2);
});

test('where nothing was typed that could be lost, the app itself says that a screen did not come', async () => {
  const { page } = await browser.open();
  await page.route('**/assets/lazy-chunk*', (route) => route.abort());
  await page.goto(`${server.address}/#/login`);
  await page.getByRole('heading', { name: 'Unexpected Application Error!' }).waitFor();
  expect(await page.getByRole('main').innerText()).toContain('This page could not be loaded.');
  expect(await page.locator('form').count()).toBe(0);
});

test('a screen whose script did not come is there once it does', async () => {
  const { page } = await browser.open();
  await show(page, server.address, '/');
  await page.route('**/assets/lazy-chunk*', (route) => route.abort());
  const link = page.getByRole('banner').getByRole('link', { name: 'Sign in', exact: true });
  await link.click();
  await page.getByText('This page could not be loaded.').waitFor();
  await page.unroute('**/assets/lazy-chunk*');
  await page.getByRole('link', { name: 'Go to the start page' }).click();
  await link.click();
  await field(page, 'Password').waitFor();
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Sign in');
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
