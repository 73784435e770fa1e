import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { field, heading, submitButton } from '../../../model/browser-driver.ts';
import { screens, type Route } from '../../../model/screens.ts';
import {
  fillCredentials,
  fillProject,
  focusedText,
  headerLink,
  newEmail,
  openScreen,
  rowTitles,
  useBrowser,
  useServer,
} from '../../support/browser.ts';

const browser = useBrowser();
const server = useServer();

const lazyPaths = ['/register', '/login', '/projects'] as const;
const failure = 'This page could not be loaded. Check your connection, or reload the page.';
const alerts = (page: Page) => page.getByRole('alert');
const lazyChunk = '**/assets/lazy-chunk*';

/** Opens a page that saves data, and so prefetches nothing. */
async function openSavingData() {
  const opened = await browser.open();
  await opened.page.addInitScript(() =>
    Object.defineProperty(navigator, 'connection', { value: { saveData: true } }),
  );
  return opened;
}

/** Opens a page of Home whose chunk of the other screens is missing. */
async function openWithoutChunk() {
  const opened = await openSavingData();
  await openScreen(opened.page, server.address, '/');
  await opened.context.setOffline(true);
  return opened;
}

const follow = (page: Page, path: Route) => headerLink(page, screens[path].link).click();

async function expectLoadError(page: Page, path: (typeof lazyPaths)[number]) {
  await heading(page, screens[path].title).waitFor();
  expect(await alerts(page).allTextContents()).toEqual([failure]);
}

describe('the chunk of the other screens is prefetched', () => {
  const links = (page: Page) => page.locator('link[rel=modulepreload][href*=lazy-chunk]');

  test('when Home is idle, with a low priority, and once [CHOICE-85]', async () => {
    const { page, context } = await browser.open();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    const priorities: string[] = [];
    session.on('Network.requestWillBeSent', ({ request }) => {
      if (request.url.includes('lazy-chunk')) priorities.push(request.initialPriority);
    });
    const response = page.waitForResponse(lazyChunk);
    await openScreen(page, server.address, '/');
    await (await response).finished();
    const startedAfterLoad = await page.evaluate(() => {
      const [navigation] = performance.getEntriesByType('navigation');
      const chunk = performance
        .getEntriesByType('resource')
        .find(({ name }) => name.includes('lazy-chunk'));
      // Not its end, which comes after the timer has started.
      return chunk!.startTime - Reflect.get(navigation!, 'loadEventStart');
    });
    expect(startedAfterLoad).toBeGreaterThan(390);
    await follow(page, '/projects');
    await heading(page, screens['/projects'].heading).waitFor();
    expect(priorities).toEqual(['Low']);
  });

  test('not again on a screen that has loaded it [CHOICE-85]', async () => {
    const { page } = await browser.open();
    await page.clock.install();
    let requests = 0;
    page.on('request', (request) => {
      if (request.url().includes('lazy-chunk')) requests += 1;
    });
    await openScreen(page, server.address, '/login');
    await page.waitForLoadState('load');
    await page.clock.runFor(2_000);
    await links(page).waitFor({ state: 'attached' });
    // Follows any request of the link, because both have the same connection.
    await page.evaluate(() => fetch('icon.png'));
    expect(requests).toBe(1);
  });

  test('not with Save-Data [CHOICE-85]', async () => {
    const { page } = await openSavingData();
    await page.clock.install();
    await openScreen(page, server.address, '/');
    await page.waitForLoadState('load');
    await page.clock.runFor(60_000);
    expect(await links(page).count()).toBe(0);
  });

  test.each(lazyPaths)('so that %s needs no network afterwards [CHOICE-85]', async (path) => {
    const { page, context } = await browser.open();
    const prefetched = page.waitForResponse(lazyChunk);
    await openScreen(page, server.address, '/');
    await (await prefetched).finished();
    await context.setOffline(true);
    await follow(page, path);
    await heading(page, screens[path].heading).waitFor();
    expect(await alerts(page).count()).toBe(0);
  });
});

describe('when the chunk is missing', () => {
  test.each(lazyPaths)('%s says so in the layout, once [CHOICE-86]', async (path) => {
    const { page } = await openWithoutChunk();
    await follow(page, path);
    await expectLoadError(page, path);
    expect(await headerLink(page, screens[path].link).getAttribute('aria-current')).toBe('page');
    expect(await page.getByRole('contentinfo').count()).toBe(1);
    expect(await page.title()).toBe(`${screens[path].title} · Tracker App`);
    await expect.poll(() => focusedText(page)).toBe(screens[path].title);
  });

  test('the links keep working [CHOICE-86]', async () => {
    const { page } = await openWithoutChunk();
    await follow(page, '/projects');
    await expectLoadError(page, '/projects');
    await follow(page, '/about');
    await heading(page, 'About Page').waitFor();
    expect(await alerts(page).count()).toBe(0);
    await follow(page, '/login');
    await expectLoadError(page, '/login');
    await page.goBack();
    await heading(page, 'About Page').waitFor();
  });

  test.each(lazyPaths)(
    '%s appears when the network is back, and has the focus [CHOICE-87]',
    async (path) => {
      const { page, context } = await openWithoutChunk();
      await follow(page, path);
      await expectLoadError(page, path);
      await context.setOffline(false);
      await page.locator('form').waitFor();
      expect(await alerts(page).count()).toBe(0);
      await expect.poll(() => focusedText(page)).toBe(screens[path].heading);
    },
  );

  test('a screen that appears leaves the focus on another link [CHOICE-87]', async () => {
    const { page, context } = await openWithoutChunk();
    await follow(page, '/projects');
    await expectLoadError(page, '/projects');
    await headerLink(page, 'About').focus();
    await context.setOffline(false);
    await heading(page, screens['/projects'].heading).waitFor();
    expect(await focusedText(page)).toBe('About');
  });

  test('it is requested again every five seconds, and announced only once [CHOICE-87]', async () => {
    const { page } = await openSavingData();
    await page.clock.install();
    await openScreen(page, server.address, '/');
    await page.route(lazyChunk, (route) => route.abort());
    await follow(page, '/login');
    await expectLoadError(page, '/login');
    const alert = await alerts(page).elementHandle();
    const failed = page.waitForEvent('requestfailed');
    await page.clock.runFor(5_000);
    await failed;
    expect(await alert?.evaluate((element) => element.isConnected)).toBe(true);
    await page.unroute(lazyChunk);
    await page.clock.runFor(5_000);
    await field(page, 'Password').waitFor();
  });

  test('it is requested again when the user follows the link again [CHOICE-87]', async () => {
    const { page } = await openSavingData();
    await page.clock.install();
    await openScreen(page, server.address, '/');
    await page.route(lazyChunk, (route) => route.abort());
    await follow(page, '/login');
    await expectLoadError(page, '/login');
    const alert = await alerts(page).elementHandle();
    await follow(page, '/login');
    // A new element, so that screen readers announce it again.
    await expect.poll(() => alert?.evaluate((element) => element.isConnected)).toBe(false);
    await expectLoadError(page, '/login');
    await page.unroute(lazyChunk);
    await follow(page, '/login');
    await field(page, 'Password').waitFor();
    expect(await focusedText(page)).toBe('Sign in');
  });

  test('it is requested under a new URL, because Firefox 153 remembers failures [CHOICE-87]', async () => {
    const { page } = await openSavingData();
    await openScreen(page, server.address, '/');
    await page.route(/lazy-chunk[^?]*$/, (route) => route.abort());
    const requested = page.waitForRequest(/lazy-chunk.*\?1$/);
    await follow(page, '/login');
    await field(page, 'Password').waitFor();
    expect((await (await requested).response())?.status()).toBe(200);
    // The second copy of the chunk would have other actors.
    await fillCredentials(page, 'ada@example.org');
    await submitButton(page, 'Sign in').click();
    await alerts(page).waitFor();
    await follow(page, '/register');
    await heading(page, 'Create an account').waitFor();
    await follow(page, '/login');
    expect(await alerts(page).count()).toBe(1);
  });

  test('it is loaded in the background after the user has left [CHOICE-87]', async () => {
    const { page, context } = await openWithoutChunk();
    await follow(page, '/login');
    await expectLoadError(page, '/login');
    await follow(page, '/about');
    await heading(page, 'About Page').waitFor();
    const loaded = page.waitForResponse(lazyChunk);
    await context.setOffline(false);
    await (await loaded).finished();
    await context.setOffline(true);
    await follow(page, '/login');
    await field(page, 'Password').waitFor();
    expect(await alerts(page).count()).toBe(0);
  });

  test('because a new version has replaced it, the screen says to reload [CHOICE-86]', async () => {
    const { page } = await openSavingData();
    await openScreen(page, server.address, '/');
    await page.route(lazyChunk, (route) => route.fulfill({ status: 404, body: 'Not found' }));
    await follow(page, '/projects');
    await expectLoadError(page, '/projects');
    await page.unroute(lazyChunk);
    await page.reload();
    await heading(page, screens['/projects'].heading).waitFor();
    expect(await alerts(page).count()).toBe(0);
  });
});

type Step = {
  act: (page: Page) => Promise<unknown>;
  /** Waits for what the user sees while the network is lost. */
  lost: (page: Page) => Promise<unknown>;
  /** What the user does when the network is back. Default: nothing. */
  again?: (page: Page) => Promise<unknown>;
  done: (page: Page) => Promise<unknown>;
};

const shows = (name: string) => (page: Page) => heading(page, name).waitFor();
const press = (name: string) => (page: Page) => submitButton(page, name).click();

/** Waits until a form has its values and an enabled button again. */
async function expectFilled(page: Page, button: string, values: readonly string[]) {
  await page.locator('button[aria-busy=false]', { hasText: button }).waitFor();
  const fields = page.locator('form [name]');
  const shown = await fields.evaluateAll((all) => all.map((each) => Reflect.get(each, 'value')));
  expect(shown).toEqual(values);
}

async function reopenProjects(page: Page) {
  await follow(page, '/about');
  await shows('About Page')(page);
  await follow(page, '/projects');
}

/** Waits for the banner of a failed call. The form still has what was typed. */
const isRefused = (button: string, values: readonly string[]) => async (page: Page) => {
  await alerts(page).getByText('Internal Server Error').waitFor();
  await expectFilled(page, button, values);
};

function stepsOf(hasChunk: boolean): Step[] {
  const credentials = [newEmail(), 'correct horse'] as const;
  const project = ['Website', 'New pages.'] as const;
  return [
    {
      act: (page) => follow(page, '/about'),
      lost: shows('About Page'),
      done: shows('About Page'),
    },
    {
      act: (page) => follow(page, '/register'),
      lost: (page) =>
        hasChunk ? shows('Create an account')(page) : expectLoadError(page, '/register'),
      done: shows('Create an account'),
    },
    {
      async act(page) {
        await fillCredentials(page, ...credentials);
        await press('Register')(page);
      },
      lost: (page) => expectFilled(page, 'Register', credentials),
      again: press('Register'),
      done: shows('Sign in'),
    },
    {
      async act(page) {
        await fillCredentials(page, ...credentials);
        await press('Sign in')(page);
      },
      lost: isRefused('Sign in', credentials),
      again: press('Sign in'),
      done: shows('New Project'),
    },
    {
      async act(page) {
        await fillProject(page, ...project);
        await press('Create Project')(page);
      },
      lost: isRefused('Create Project', project),
      again: press('Create Project'),
      done: (page) => rowTitles(page).getByText('Website').waitFor(),
    },
    {
      act: reopenProjects,
      lost: (page) => page.getByText('No projects to show.').waitFor(),
      again: reopenProjects,
      done: (page) => rowTitles(page).getByText('Website').waitFor(),
    },
    {
      act: (page) => page.reload().catch(() => {}),
      // The browser's own page.
      lost: (page) => heading(page, 'New Project').waitFor({ state: 'detached' }),
      again: (page) => page.reload(),
      done: (page) => rowTitles(page).getByText('Website').waitFor(),
    },
  ];
}

test.each([
  ['with the chunk', true],
  ['without it', false],
])(
  'a journey whose network is lost at each step ends right, %s [CHOICE-86, CHOICE-87]',
  async (_, hasChunk) => {
    const { page, context } = hasChunk ? await browser.open() : await openSavingData();
    const prefetched = hasChunk && page.waitForResponse(lazyChunk);
    await openScreen(page, server.address, '/');
    if (prefetched) await (await prefetched).finished();
    for (const { act, lost, again, done } of stepsOf(hasChunk)) {
      await context.setOffline(true);
      await act(page);
      await lost(page);
      expect(await page.getByText('Unexpected Application Error!').count()).toBe(0);
      await context.setOffline(false);
      await again?.(page);
      await done(page);
      expect(await alerts(page).count()).toBe(0);
    }
  },
);
