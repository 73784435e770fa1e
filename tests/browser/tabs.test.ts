// @module-tag chromium
/** The events between two real tabs. `tests/screens/other-tabs.test.tsx` has what a tab does. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { field, heading, submitButton } from '../../testing/page-driver.ts';
import {
  fillCredentials,
  openScreen,
  rowTitles,
  useBrowser,
  useServer,
} from '../../testing/browser.ts';
import { operationTable } from '../../generated/operations.ts';
import { screens } from '../../shared/routes.ts';
import { storedProject } from '../../testing/projects.ts';

/** Returns the text that the tab keeps. */
const kept = (page: Page) =>
  page.evaluate(() => JSON.stringify(sessionStorage.getItem('tracker-draft')));

const browser = useBrowser();
const server = useServer();

/** Opens an empty tab of a browser in which users sign in. Each has one project. */
async function openTab() {
  const { page, context } = await browser.open();
  let user = '';
  await context.route(`**${operationTable.login.path}`, async (route) => {
    user = (route.request().postDataJSON() as { email: string }).email;
    await route.fulfill({ json: {} });
  });
  await context.route(`**${operationTable.listProjects.path}`, (route) => {
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
  return { page, context, signIn };
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
