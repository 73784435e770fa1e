import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import type { Route } from '../../../src/screens/routes.ts';
import { useBrowser } from '../../support/browser.ts';
import { longWaitMs } from '../../support/time-limits.ts';
import { createBrowserDriver } from './browser-driver.ts';

const browser = useBrowser();

const relaunch = { id: 'p1', title: 'Website relaunch', description: 'New pages.' };
const office = { id: 'p2', title: 'Move to the new office', description: 'Boxes.' };
const typed = ['My title', 'My description'];
const credentials = ['ada@example.org', 'correct horse'];

/** Opens the built app on a screen. `prepare` runs before the app's scripts. */
async function open(route: Route, prepare?: (page: Page) => Promise<unknown>) {
  const { page, problems } = await browser.open();
  await prepare?.(page);
  const driver = await createBrowserDriver(page, route);
  return {
    page,
    ...driver,
    shows: (part: object) =>
      vi.waitFor(async () => expect(await driver.observe()).toMatchObject(part), {
        timeout: longWaitMs,
        interval: 20,
      }),
    /** Returns what was thrown or warned of, and whether the screen is blank. */
    problems: async () => [
      // The browser itself reports refusals.
      ...problems.filter((problem) => !problem.startsWith('Failed to load resource')),
      ...((await page.locator('h1').isVisible()) ? [] : ['a blank screen']),
    ],
  };
}

/** Opens the projects screen with one project and submits its form. */
async function openCreating() {
  const app = await open('/projects');
  await app.shows({ calls: { listProjects: { pending: 1 } } });
  await app.answer('listProjects', { status: 200, body: [relaunch] });
  await app.shows({ list: { rows: [[relaunch.title, relaunch.description]] } });
  await app.submit('createProject', typed);
  await app.shows({ form: { busy: true }, calls: { createProject: { pending: 1 } } });
  return app;
}

test('the app waits for a response that takes 30 seconds and more [CONST-3]', async () => {
  const app = await open('/login', (page) => page.clock.install());
  await app.submit('login', credentials);
  await app.shows({ calls: { login: { pending: 1 } } });
  await app.page.clock.fastForward(3_600_000);
  await app.elapse(30_000);
  await app.shows({ form: { busy: true }, calls: { login: { made: 1, pending: 1 } } });
  await app.answer('login', { status: 200, body: {} });
  await app.shows({ path: '/projects' });
  expect(await app.problems()).toEqual([]);
});

test('a huge text is shown whole and does not widen the page [CHOICE-26]', async () => {
  const huge = 'a'.repeat(100_000);
  const { page, submit: submitForm, answer, shows, problems } = await openCreating();
  await answer('createProject', { status: 422, body: { message: huge } });
  await shows({ banner: huge });
  await submitForm('createProject', [huge, huge]);
  await shows({
    calls: { createProject: { pending: 1, sent: { title: huge, description: huge } } },
  });
  await answer('createProject', {
    status: 201,
    body: { ...office, title: huge, description: huge },
  });
  await shows({ list: { rows: [expect.anything(), [huge, huge]] } });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  expect(await problems()).toEqual([]);
});

test('a script in a title, a description or a message is shown as text', async () => {
  const script = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`;
  const { page, submit: submitForm, answer, shows, problems } = await openCreating();
  await answer('createProject', { status: 422, body: { message: script } });
  await shows({ banner: script });
  await submitForm('createProject', typed);
  await shows({ calls: { createProject: { pending: 1 } } });
  const body = { id: 1, title: script, description: script };
  await answer('createProject', { status: 201, body });
  await shows({ list: { rows: [expect.anything(), [script, script]] } });
  expect(await page.title()).toBe('Projects · Tracker App');
  expect(await problems()).toEqual([]);
});

test('back and forward navigate and repeat no call while one is pending [CHOICE-3, CHOICE-5]', async () => {
  const app = await open('/about');
  await app.go('/register');
  await app.submit('registerUser', credentials);
  await app.shows({ calls: { registerUser: { pending: 1 } } });
  await app.page.goBack();
  await app.shows({ path: '/about', form: undefined });
  await app.answer('registerUser', { status: 201, body: { role: 'member' } });
  await app.shows({ path: '/about', role: 'member' });
  await app.page.goForward();
  await app.shows({
    path: '/register',
    form: { busy: false },
    calls: { registerUser: { made: 1 } },
  });
  expect(await app.problems()).toEqual([]);
});

test('the app works when cookies and storage are refused [CHOICE-20]', async () => {
  const app = await open('/login', (page) =>
    page.addInitScript(() => {
      const refuse = () => {
        throw new DOMException('refused', 'SecurityError');
      };
      Object.defineProperty(Document.prototype, 'cookie', { get: refuse, set: refuse });
      for (const storage of ['localStorage', 'sessionStorage', 'indexedDB']) {
        Object.defineProperty(window, storage, { get: refuse });
      }
    }),
  );
  await app.submit('login', credentials);
  await app.shows({ calls: { login: { pending: 1 } } });
  await app.answer('login', { status: 200, body: {} });
  await app.shows({ path: '/projects', calls: { listProjects: { pending: 1 } } });
  await app.answer('listProjects', { status: 200, body: [relaunch] });
  await app.shows({ list: { rows: [[relaunch.title, relaunch.description]] } });
  expect(await app.problems()).toEqual([]);
});
