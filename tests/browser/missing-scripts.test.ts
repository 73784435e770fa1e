// @module-tag chromium
/** What the app does while its scripts are missing, and once they can be loaded. */
import type { Page, Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { field, heading, submitButton, waitForApp } from '../../testing/page-driver.ts';
import { headerRoutes, screens, type HeaderRoute } from '../../shared/routes.ts';
import {
  fillCredentials,
  focused,
  headerLink,
  mockProjects,
  openScreen,
  rowTitles,
  useBrowser,
  useServer,
} from '../../testing/browser.ts';
import { alerts, prerenderedPages } from '../../testing/held-pages.ts';
import { listOf } from '../../testing/projects.ts';
import { credentialsOf } from '../../testing/credentials.ts';

const browser = useBrowser();
const server = useServer();
const openPrerendered = prerenderedPages(browser, server);

const failure = 'This page could not be loaded. Check your connection, or reload the page.';
const lazyPaths = headerRoutes.filter((path) => screens[path].isLazy);
const mainChunk = '**/assets/index*';
const lazyChunk = '**/assets/lazy-chunk*';

const follow = (page: Page, path: HeaderRoute) => headerLink(page, path).click();
const goOnline = (page: Page) => page.evaluate(() => dispatchEvent(new Event('online')));

/** Expects that an outage keeps the form of /login, and that the app then sends it once. */
async function expectFormKept(
  { page, requests }: { page: Page; requests: Request[] },
  fail: () => Promise<unknown>,
) {
  const input = await field(page, 'email').elementHandle();
  await fail();
  await goOnline(page);
  await waitForApp(page);
  expect(await alerts(page).count()).toBe(0);
  expect(await input?.evaluate((element) => element.isConnected)).toBe(true);
  await submitButton(page, 'login').click();
  await expect
    .poll(() => requests.map((request) => request.postDataJSON()))
    .toEqual([credentialsOf()]);
}

const saveData = () =>
  void Object.defineProperty(navigator, 'connection', { value: { saveData: true } });

/** Opens a page that saves data, and so prefetches nothing. */
async function openSavingData() {
  const opened = await browser.open();
  await opened.page.addInitScript(saveData);
  return opened;
}

/** Opens a page of Home whose chunk of the other screens is missing. */
async function openWithoutChunk() {
  const opened = await openSavingData();
  await openScreen(opened.page, server.address, '/');
  await opened.context.setOffline(true);
  return opened;
}

/** Opens /login from Home with a simulated clock, while the chunk of other screens is missing. */
async function openLoginWithoutChunk() {
  const { page } = await openSavingData();
  await page.clock.install();
  await openScreen(page, server.address, '/');
  await page.route(lazyChunk, (route) => route.abort());
  await follow(page, '/login');
  await expectLoadError(page, '/login');
  return page;
}

async function expectLoadError(page: Page, path: HeaderRoute) {
  await heading(page, screens[path].title).waitFor();
  expect(await alerts(page).allTextContents()).toEqual([failure]);
}

describe('the chunk of the other screens is prefetched', () => {
  test('when Home is idle, with a low priority, and once, so that the other screens need no network afterwards [CHOICE-85]', async () => {
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
    await context.setOffline(true);
    for (const path of lazyPaths) {
      await follow(page, path);
      await heading(page, screens[path].heading).waitFor();
      expect(await alerts(page).count()).toBe(0);
    }
    expect(priorities).toEqual(['Low']);
  });

  test.each<[string, () => void]>([
    ['Save-Data', saveData],
    [
      'prefers-reduced-data',
      () => {
        window.matchMedia = (media) =>
          ({ matches: media === '(prefers-reduced-data: reduce)' }) as MediaQueryList;
      },
    ],
  ])('not with %s [CHOICE-85]', async (_, prepare) => {
    const { page } = await browser.open();
    await page.addInitScript(prepare);
    await page.clock.install();
    await openScreen(page, server.address, '/');
    await page.waitForLoadState('load');
    await page.clock.runFor(60_000);
    expect(await page.locator('link[rel=modulepreload][href*=lazy-chunk]').count()).toBe(0);
  });
});

describe('when the chunk of the other screens is missing', () => {
  test.each([
    ['and has the focus', undefined, screens['/login'].heading],
    ['and leaves the focus on another link', '/about', screens['/about'].title],
  ] as const)(
    'a screen appears when the network is back, %s [CHOICE-87]',
    async (_, focusedLink, expected) => {
      const { page, context } = await openWithoutChunk();
      await follow(page, '/login');
      await expectLoadError(page, '/login');
      if (focusedLink) await headerLink(page, focusedLink).focus();
      await context.setOffline(false);
      await page.locator('form').waitFor();
      expect(await alerts(page).count()).toBe(0);
      await expect.poll(() => focused(page)).toBe(expected);
    },
  );

  test('it is requested again every five seconds, and announced only once [CHOICE-87]', async () => {
    const page = await openLoginWithoutChunk();
    const alert = await alerts(page).elementHandle();
    const failed = page.waitForEvent('requestfailed');
    await page.clock.runFor(5_000);
    await failed;
    expect(await alert?.evaluate((element) => element.isConnected)).toBe(true);
    await page.unroute(lazyChunk);
    await page.clock.runFor(5_000);
    await field(page, 'password').waitFor();
  });

  test('it is requested again when the user follows the link again [CHOICE-87]', async () => {
    const page = await openLoginWithoutChunk();
    const alert = await alerts(page).elementHandle();
    await follow(page, '/login');
    // A new element, so that screen readers announce it again.
    await expect.poll(() => alert?.evaluate((element) => element.isConnected)).toBe(false);
    await expectLoadError(page, '/login');
    await page.unroute(lazyChunk);
    await follow(page, '/login');
    await field(page, 'password').waitFor();
    expect(await focused(page)).toBe(screens['/login'].heading);
  });

  test('it is requested under a new URL, because Firefox 153 remembers failures [CHOICE-87]', async () => {
    const { page } = await openSavingData();
    await openScreen(page, server.address, '/');
    await page.route(/lazy-chunk[^?]*$/, (route) => route.abort());
    const requested = page.waitForRequest(/lazy-chunk.*\?1$/);
    await follow(page, '/login');
    await field(page, 'password').waitFor();
    expect((await (await requested).response())?.status()).toBe(200);
    // The second copy of the chunk would have other actors.
    await fillCredentials(page, 'ada@example.org');
    await submitButton(page, 'login').click();
    await alerts(page).waitFor();
    await follow(page, '/register');
    await heading(page, screens['/register'].heading).waitFor();
    await follow(page, '/login');
    expect(await alerts(page).count()).toBe(1);
  });
});

describe('when the main chunk of a prerendered screen is missing', () => {
  test.each([
    ['from the same URL', '**/never'],
    // Firefox 153 never requests the same URL again.
    ['from another URL', '**/assets/**'],
  ])(
    'a submitted form is not busy any more, and the app is loaded %s once the network is back, and keeps what was typed [CHOICE-72, CHOICE-88]',
    async (_, failingUrls) => {
      const { failScripts, ...opened } = await openPrerendered('/login');
      const { page } = opened;
      await fillCredentials(page, 'ada@example.org');
      await submitButton(page, 'login').click();
      await page.locator('button[aria-busy=true]').waitFor();
      await expectFormKept(opened, async () => {
        await failScripts();
        expect(await page.locator('button[aria-busy=true]').count()).toBe(0);
        await page.unroute('**/assets/**');
        await page.route(failingUrls, (route, request) =>
          request.resourceType() === 'script' ? route.abort() : route.continue(),
        );
      });
    },
  );

  // Firefox 153 never requests a module again whose import has failed.
  test('the app is requested every five seconds, and imported once, when the server has its file [CHOICE-88]', async () => {
    const { page } = await browser.open();
    await page.clock.install();
    await page.route(mainChunk, (route) => route.fulfill({ status: 503 }));
    await page.goto(`${server.address}/#/about`);
    await alerts(page).waitFor();
    const methods: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('index')) methods.push(request.method());
    });
    for (const attempts of [1, 2, 3]) {
      // The attempt before may not have set its timer yet.
      await expect
        .poll(async () => {
          await page.clock.runFor(5_000);
          return methods.length;
        })
        .toBeGreaterThanOrEqual(attempts);
    }
    expect(new Set(methods)).toEqual(new Set(['HEAD']));
    await page.unroute(mainChunk);
    await page.clock.runFor(5_000);
    await waitForApp(page);
    expect(methods.filter((method) => method === 'GET')).toHaveLength(1);
  });
});

describe('when the chunk of a prerendered screen is missing', () => {
  /** Opens a prerendered path. `loadApp` loads the app, which requests the chunk twice more. */
  async function openWithoutLazyChunk(path: string) {
    const { page, requests, loadScripts } = await openPrerendered(path, {
      async prepare(newPage) {
        await mockProjects(newPage, listOf(2));
        await newPage.route(lazyChunk, (route) => route.abort());
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

  test('the projects received stay until the user leaves [CHOICE-76]', async () => {
    const { page, loadApp } = await openWithoutLazyChunk('/projects');
    await expect.poll(() => rowTitles(page).count()).toBe(2);
    await loadApp();
    await alerts(page).waitFor();
    expect(await rowTitles(page).count()).toBe(2);
    await headerLink(page, '/about').click();
    await waitForApp(page);
    await heading(page, screens['/about'].heading).waitFor();
  });

  test('what was typed stays, and is sent by the form once the network is back [CHOICE-73]', async () => {
    const { loadApp, ...opened } = await openWithoutLazyChunk('/login');
    const { page } = opened;
    await fillCredentials(page, 'ada@example.org');
    await expectFormKept(opened, async () => {
      await loadApp();
      expect(await alerts(page).count()).toBe(1);
      await page.unroute(lazyChunk);
    });
  });
});
