import type { Route } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { field, submitButton } from '../../../model/browser-driver.ts';
import { findFreePort } from '../../../tools/free-port.ts';
import {
  fillCredentials,
  fillProject,
  focusedField,
  headerLink,
  mockProjects,
  newEmail,
  openScreen,
  rowTitles,
  signUpAndIn,
  useBrowser,
  useServer,
} from '../../support/browser.ts';
import { startTemporaryServer } from '../../support/server-process.ts';

const browser = useBrowser();
const server = useServer();

const unusual = {
  title: '<b>bold</b> & "quoted" 👩‍👩‍👧‍👦 مشروع',
  description: `<script>document.title = 'hacked'</script>\n\n  indented\n${'long '.repeat(2_000)}`,
};

test('a user registers, signs in and creates projects, which are there after a reload [APP-1, APP-2, REGISTER-5, CHOICE-4, CHOICE-9, CREATE-2]', async () => {
  const { page, problems } = await browser.open();
  const email = newEmail();
  await page.goto(server.address);
  await page.getByRole('link', { name: 'Sign up' }).click();
  await fillCredentials(page, email);
  await submitButton(page, 'Register').click();
  await page.getByText('Enter your email and password to sign in').waitFor();
  expect(new URL(page.url()).hash).toBe('#/login');

  await fillCredentials(page, email);
  await submitButton(page, 'Sign in').click();
  await page.getByText('No projects to show.').waitFor();
  expect(new URL(page.url()).hash).toBe('#/projects');

  await fillProject(page, 'Website relaunch', 'New pages.');
  await submitButton(page, 'Create Project').click();
  await rowTitles(page).filter({ hasText: 'Website relaunch' }).waitFor();
  expect(await field(page, 'Title').inputValue()).toBe('');
  await fillProject(page, unusual.title, unusual.description);
  await submitButton(page, 'Create Project').click();
  await rowTitles(page).nth(1).waitFor();

  await page.reload();
  await rowTitles(page).nth(1).waitFor();
  expect(await rowTitles(page).allTextContents()).toEqual(['Website relaunch', unusual.title]);
  const description = page.getByRole('listitem').nth(1).locator('p');
  expect(await description.textContent()).toBe(unusual.description);
  expect(await page.title()).toBe('Projects · Tracker App');
  expect(problems).toEqual([]);
});

test('a project whose answer was lost is created once when the user submits it again [CHOICE-89]', async () => {
  const { page } = await browser.open();
  await signUpAndIn(page, server.address);
  const statuses: number[] = [];
  await page.route(
    '**/api/v1/projects',
    async (route) => {
      const response = await route.fetch();
      statuses.push(response.status());
      await route.abort('connectionreset');
    },
    { times: 1 },
  );
  await fillProject(page, 'Website relaunch', 'New pages.');
  await submitButton(page, 'Create Project').click();
  await page.getByRole('alert').waitFor();
  expect(statuses).toEqual([201]);
  await submitButton(page, 'Create Project').click();
  await rowTitles(page).waitFor();
  await page.reload();
  await rowTitles(page).first().waitFor();
  expect(await rowTitles(page).allTextContents()).toEqual(['Website relaunch']);
});

test('an acknowledged project is there after the server was killed', async () => {
  const ownServer = await startTemporaryServer({ PORT: String(await findFreePort()) });
  onTestFinished(() => ownServer.stop());
  const { page } = await browser.open();
  await signUpAndIn(page, ownServer.address);
  await fillProject(page, 'Survivor', 'Kept.');
  const response = page.waitForResponse((candidate) => candidate.request().method() === 'POST');
  await submitButton(page, 'Create Project').click();
  expect((await response).status()).toBe(201);
  await ownServer.restart();
  await page.reload();
  await rowTitles(page).waitFor();
  expect(await rowTitles(page).allTextContents()).toEqual(['Survivor']);
});

test('each user sees only their own projects [CHOICE-44]', async () => {
  const [ada, bob] = [await browser.open(), await browser.open()];
  await signUpAndIn(ada.page, server.address);
  await signUpAndIn(bob.page, server.address);
  await fillProject(ada.page, 'Ada’s', 'Own');
  await submitButton(ada.page, 'Create Project').click();
  await rowTitles(ada.page).waitFor();
  await bob.page.reload();
  await bob.page.getByText('No projects to show.').waitFor();
  expect(await rowTitles(bob.page).count()).toBe(0);
});

test('an anonymous visitor can open the projects, and reads why creating one was refused [CHOICE-41, CHOICE-43, ERROR-8]', async () => {
  const { page, problems } = await browser.open();
  await openScreen(page, server.address, '/projects');
  await page.getByText('No projects to show.').waitFor();
  await fillProject(page, 'Not mine', 'Not kept');
  await submitButton(page, 'Create Project').click();
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').textContent()).toBe('Please sign in to work with projects.');
  expect(await field(page, 'Title').inputValue()).toBe('Not mine');
  expect(problems.filter((problem) => problem.startsWith('listProjects'))).toHaveLength(1);
});

test('registering a taken email changes nothing on the screen [CHOICE-45, CHOICE-6, AUTH-10]', async () => {
  const { page } = await browser.open();
  const email = newEmail();
  await signUpAndIn(page, server.address, email);
  await openScreen(page, server.address, '/register');
  await fillCredentials(page, email.toUpperCase());
  const before = await page.locator('body').innerText();
  const response = page.waitForResponse(/users\/register/);
  await submitButton(page, 'Register').click();
  expect((await response).status()).toBe(409);
  await page.locator('button[aria-busy="false"]').waitFor();
  expect(await page.locator('body').innerText()).toBe(before);
  expect(await field(page, 'Email').inputValue()).toBe(email.toUpperCase());
});

test('the banner reports a wrong password, also when the user comes back [ERROR-1, CHOICE-3]', async () => {
  const { page } = await browser.open();
  await openScreen(page, server.address, '/login');
  await fillCredentials(page, newEmail());
  await submitButton(page, 'Sign in').click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('link', { name: 'About' }).click();
  await page.getByText('About Page').waitFor();
  await page.goBack();
  expect(await page.getByRole('alert').textContent()).toBe(
    'The email or the password is not right.',
  );
});

test('a double click creates one project and shows no error, even if the response arrives between its clicks [CHOICE-7, FIELD-1]', async () => {
  const { page } = await browser.open();
  await signUpAndIn(page, server.address);
  await fillProject(page, 'Once', 'Only');
  await submitButton(page, 'Create Project').hover();
  for (const clickCount of [1, 2]) {
    await page.mouse.down({ clickCount });
    await page.mouse.up({ clickCount });
    await rowTitles(page).waitFor();
  }
  expect(await page.getByText('is required').count()).toBe(0);
  await fillProject(page, 'Twice', 'In all');
  await field(page, 'Title').press('Enter');
  await rowTitles(page).nth(1).waitFor();
  expect(await rowTitles(page).allTextContents()).toEqual(['Once', 'Twice']);
  expect(await page.getByText('is required').count()).toBe(0);
});

test('the list is not requested again on focus or reconnect [CONST-7]', async () => {
  const { page, context } = await browser.open();
  await signUpAndIn(page, server.address);
  let requests = 0;
  page.on('request', (request) => (requests += request.url().endsWith('/projects') ? 1 : 0));
  const otherPage = await context.newPage();
  await otherPage.bringToFront();
  await page.bringToFront();
  await context.setOffline(true);
  await context.setOffline(false);
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await fillProject(page, 'A round trip', 'After which the list would have been requested');
  await submitButton(page, 'Create Project').click();
  await rowTitles(page).waitFor();
  // The only request is the create.
  expect(requests).toBe(1);
});

test('undo does not restore the edits of the previous user when another email signs in [CHOICE-77]', async () => {
  const { page } = await browser.open();
  await signUpAndIn(page, server.address);
  await mockProjects(page, [], { status: 401, json: { message: 'Please sign in.' } });
  await fillProject(page, 'Office', 'Boxes.');
  await submitButton(page, 'Create Project').click();
  await page.getByText('Please sign in.').waitFor();

  const requested = Promise.withResolvers<Route>();
  await page.route('**/api/v1/auth/login', requested.resolve);
  await headerLink(page, 'Sign in').click();
  await fillCredentials(page, newEmail());
  await submitButton(page, 'Sign in').click();
  const login = await requested.promise;
  await headerLink(page, 'Projects').click();
  const title = field(page, 'Title');
  // Chromium restores only the text of a field that the user emptied.
  await title.press('Control+a');
  await title.press('Delete');
  await title.press('Control+z');
  expect(await title.inputValue()).toBe('Office');
  await title.press('Control+Shift+z');
  expect(await title.inputValue()).toBe('');

  await login.fulfill({ json: {} });
  await expect.poll(() => field(page, 'Description').inputValue()).toBe('');
  expect(await focusedField(page)).toBe('title');
  await page.keyboard.press('Control+z');
  expect(await title.inputValue()).toBe('');
});
