/** Two tabs of a browser. `tests/screens/other-tabs.test.tsx` has what each of them does. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { field, heading, submitButton } from '../../model/browser-driver.ts';
import {
  fillCredentials,
  openScreen,
  rowTitles,
  useBrowser,
  useServer,
} from '../../testing/browser.ts';

const browser = useBrowser();
const server = useServer();

test.each<[string, (page: Page) => Promise<unknown>, (page: Page) => Promise<unknown>]>([
  ['stays open', async () => {}, async () => {}],
  ['the user leaves for another page', (page) => page.goto('about:blank'), (page) => page.goBack()],
])(
  "another user's sign-in in a second tab drops rows and texts of the first, which %s [CHOICE-101]",
  async (_, leave, comeBack) => {
    const { page, context } = await browser.open();
    let user = '';
    await context.route('**/api/v1/auth/login', async (route) => {
      user = (route.request().postDataJSON() as { email: string }).email;
      await route.fulfill({ json: {} });
    });
    await context.route('**/api/v1/projects', (route) =>
      route.fulfill({ json: [{ id: 1, title: `Of ${user}`, description: '' }] }),
    );
    const signIn = async (tab: Page, email: string) => {
      await openScreen(tab, server.address, '/login');
      await fillCredentials(tab, email);
      await submitButton(tab, 'Sign in').click();
      await heading(tab, 'New Project').waitFor();
      await expect.poll(() => rowTitles(tab).allTextContents()).toEqual([`Of ${email}`]);
    };
    await signIn(page, 'ada@example.org');
    await field(page, 'Title').fill('Typed by Ada');
    await leave(page);
    await signIn(await context.newPage(), 'bob@example.org');
    await comeBack(page);
    await expect.poll(() => rowTitles(page).allTextContents()).toEqual(['Of bob@example.org']);
    expect(await field(page, 'Title').inputValue()).toBe('');
  },
);
