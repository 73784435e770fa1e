// @module-tag chromium
/** Two tabs of a browser. `tests/screens/other-tabs.test.tsx` has what each of them does. */
import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { field, heading, submitButton, waitForApp } from '../../testing/page-driver.ts';
import {
  fillCredentials,
  openScreen,
  rowTitles,
  useBrowser,
  useServer,
  fillProject,
} from '../../testing/browser.ts';
import { operationTable } from '../../generated/operations.ts';
import { screens } from '../../shared/routes.ts';
import { storedProject, newProject } from '../../testing/projects.ts';

/** Returns the text that the tab keeps. */
const kept = (page: Page) =>
  page.evaluate(() => JSON.stringify(sessionStorage.getItem('tracker-draft')));

const browser = useBrowser();
const server = useServer();

/** Opens an empty tab of a browser in which users sign in. Each has one project. */
async function openTab() {
  const { page, context } = await browser.open();
  let user = '';
  const created: unknown[] = [];
  await context.route(`**${operationTable.login.path}`, async (route) => {
    user = (route.request().postDataJSON() as { email: string }).email;
    await route.fulfill({ json: {} });
  });
  await context.route(`**${operationTable.listProjects.path}`, (route, request) => {
    if (request.method() === 'POST') created.push(request.postDataJSON());
    if (user === '') return route.fulfill({ status: 401 });
    return route.fulfill({ json: [storedProject({ title: `Of ${user}` })] });
  });
  const signIn = async (tab: Page, email: string) => {
    await openScreen(tab, server.address, '/login');
    await fillCredentials(tab, email);
    await submitButton(tab, 'login').click();
    await heading(tab, screens['/projects'].heading).waitFor();
    await expect.poll(() => rowTitles(tab).allTextContents()).toEqual([`Of ${email}`]);
  };
  return { page, context, created, signIn };
}

test.each<[string, (page: Page) => Promise<unknown>, (page: Page) => Promise<unknown>]>([
  ['stays open', async () => {}, async () => {}],
  ['the user leaves for another page', (page) => page.goto('about:blank'), (page) => page.goBack()],
])(
  "another user's sign-in in a second tab drops rows and texts of the first, which %s [CHOICE-101]",
  async (_, leave, comeBack) => {
    const { page, context, signIn } = await openTab();
    await signIn(page, 'ada@example.org');
    await field(page, 'title').fill('Typed by Ada');
    await leave(page);
    await signIn(await context.newPage(), 'bob@example.org');
    await comeBack(page);
    await expect.poll(() => rowTitles(page).allTextContents()).toEqual(['Of bob@example.org']);
    expect([await field(page, 'title').inputValue(), await kept(page)]).toEqual(['', 'null']);
  },
);

const [ada, bob] = ['ada@example.org', 'bob@example.org'];
const suspended = () => addEventListener('storage', (event) => event.stopImmediatePropagation());

test.each([
  { name: 'another user', user: bob, typed: '', posts: 0 },
  { name: 'another user, untold', user: bob, typed: '', posts: 0, prepare: suspended },
  { name: 'the same user', user: ada, typed: 'Typed early', posts: 1 },
  { name: 'the first user', first: '', user: bob, typed: 'Typed early', posts: 1 },
])(
  'a tab whose scripts are loading counts a sign-in elsewhere as when they have loaded: $name [CHOICE-78, CHOICE-115]',
  async ({ first = ada, user, typed, posts, prepare }) => {
    const { page, context, created, signIn } = await openTab();
    const other = await context.newPage();
    if (first) await signIn(other, first);
    if (prepare) await page.addInitScript(prepare);
    let isHeld = true;
    const held: Route[] = [];
    await page.route('**/assets/**', (route) => (isHeld ? held.push(route) : route.continue()));
    await page.goto(`${server.address}/#/projects`, { waitUntil: 'commit' });
    await expect
      .poll(() => rowTitles(page).allTextContents())
      .toEqual(first ? [`Of ${first}`] : []);
    await fillProject(page, newProject({ title: 'Typed early' }));
    await submitButton(page, 'createProject').click();
    await signIn(other, user);
    isHeld = false;
    await Promise.all(held.map((route) => route.continue()));
    await waitForApp(page);
    await expect.poll(() => rowTitles(page).allTextContents()).toEqual([`Of ${user}`]);
    expect([await field(page, 'title').inputValue(), created.length]).toEqual([typed, posts]);
    expect(await kept(page)).toContain(typed || 'null');
  },
);
