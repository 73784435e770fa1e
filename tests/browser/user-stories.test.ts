import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  field,
  fillCredentials,
  fillProject,
  newEmail,
  show,
  signUpAndIn,
  submit,
  titles,
  useBrowser,
} from '../support/browser.ts';
import { startTemporaryServer } from '../support/server-process.ts';

const browser = useBrowser();
let server: Awaited<ReturnType<typeof startTemporaryServer>>;
beforeAll(async () => {
  server = await startTemporaryServer();
});
afterAll(() => server.stop());

const odd = {
  title: '<b>bold</b> & "quoted" 👩‍👩‍👧‍👦 مشروع',
  description: `<script>document.title = 'hacked'</script>\n\n  indented\n${'long '.repeat(2_000)}`,
};

test('[APP-1, APP-2, REGISTER-5, CHOICE-4, CHOICE-9, CREATE-2] register, sign in, create, reload, still there', async () => {
  const { page, problems } = await browser.open();
  const email = newEmail();
  await page.goto(server.address);
  await page.getByRole('link', { name: 'Sign up' }).click();
  await fillCredentials(page, email);
  await submit(page, 'Register').click();
  await page.getByText('Enter your email and password to sign in').waitFor();
  expect(new URL(page.url()).hash).toBe('#/login');

  await fillCredentials(page, email);
  await submit(page, 'Sign in').click();
  await page.getByText('No projects to show.').waitFor();
  expect(new URL(page.url()).hash).toBe('#/projects');

  await fillProject(page, 'Website relaunch', 'New pages.');
  await submit(page, 'Create Project').click();
  await titles(page).filter({ hasText: 'Website relaunch' }).waitFor();
  expect(await field(page, 'Title').inputValue()).toBe('');
  await fillProject(page, odd.title, odd.description);
  await submit(page, 'Create Project').click();
  await titles(page).nth(1).waitFor();

  await page.reload();
  await titles(page).nth(1).waitFor();
  expect(await titles(page).allTextContents()).toEqual(['Website relaunch', odd.title]);
  expect(await page.getByRole('listitem').nth(1).locator('p').textContent()).toBe(odd.description);
  expect(await page.title()).toBe('Projects · Tracker App');
  expect(problems).toEqual([]);
});

test('a project that was answered is there after the server was killed', async () => {
  const own = await startTemporaryServer();
  try {
    const { page } = await browser.open();
    await signUpAndIn(page, own.address);
    await fillProject(page, 'Survivor', 'Kept.');
    const answered = page.waitForResponse((response) => response.request().method() === 'POST');
    await submit(page, 'Create Project').click();
    expect((await answered).status()).toBe(201);
    await own.restart();
    await page.reload();
    await titles(page).waitFor();
    expect(await titles(page).allTextContents()).toEqual(['Survivor']);
  } finally {
    await own.stop();
  }
});

test('[CHOICE-44] two people see their own projects', async () => {
  const [ada, bob] = [await browser.open(), await browser.open()];
  await signUpAndIn(ada.page, server.address);
  await signUpAndIn(bob.page, server.address);
  await fillProject(ada.page, 'Ada’s', 'Own');
  await submit(ada.page, 'Create Project').click();
  await titles(ada.page).waitFor();
  await bob.page.reload();
  await bob.page.getByText('No projects to show.').waitFor();
  expect(await titles(bob.page).count()).toBe(0);
});

test('[CHOICE-41, CHOICE-43, ERROR-8] an anonymous visitor may open the projects, and reads why creating was refused', async () => {
  const { page, problems } = await browser.open();
  await show(page, server.address, '/projects');
  await page.getByText('No projects to show.').waitFor();
  await fillProject(page, 'Not mine', 'Not kept');
  await submit(page, 'Create Project').click();
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').textContent()).toBe('Please sign in to work with projects.');
  expect(await field(page, 'Title').inputValue()).toBe('Not mine');
  expect(problems.filter((problem) => problem.startsWith('listProjects'))).toHaveLength(1);
});

test('[CHOICE-45, CHOICE-6, AUTH-10] an email that is taken leaves the form as it is, without a word', async () => {
  const { page } = await browser.open();
  const email = newEmail();
  await signUpAndIn(page, server.address, email);
  await show(page, server.address, '/register');
  await fillCredentials(page, email.toUpperCase());
  const before = await page.locator('body').innerText();
  const answered = page.waitForResponse(/users\/register/);
  await submit(page, 'Register').click();
  expect((await answered).status()).toBe(409);
  await page.locator('button[aria-busy="false"]').waitFor();
  expect(await page.locator('body').innerText()).toBe(before);
  expect(await field(page, 'Email').inputValue()).toBe(email.toUpperCase());
});

test('[ERROR-1, CHOICE-3] a wrong password is told in the banner, and still when coming back', async () => {
  const { page } = await browser.open();
  await show(page, server.address, '/login');
  await fillCredentials(page, newEmail());
  await submit(page, 'Sign in').click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('link', { name: 'About' }).click();
  await page.getByText('About Page').waitFor();
  await page.goBack();
  expect(await page.getByRole('alert').textContent()).toBe(
    'The email or the password is not right.',
  );
});

test('[CHOICE-7, FIELD-1] a double click creates one project and leaves no error behind, even with the answer between its clicks', async () => {
  const { page } = await browser.open();
  await signUpAndIn(page, server.address);
  await fillProject(page, 'Once', 'Only');
  await submit(page, 'Create Project').hover();
  for (const clickCount of [1, 2]) {
    await page.mouse.down({ clickCount });
    await page.mouse.up({ clickCount });
    await titles(page).waitFor();
  }
  expect(await page.getByText('is required').count()).toBe(0);
  await fillProject(page, 'Twice', 'In all');
  await field(page, 'Title').press('Enter');
  await titles(page).nth(1).waitFor();
  expect(await titles(page).allTextContents()).toEqual(['Once', 'Twice']);
  expect(await page.getByText('is required').count()).toBe(0);
});

test('[CONST-7] no focus of the window fetches the list again', async () => {
  const { page, context } = await browser.open();
  await signUpAndIn(page, server.address);
  let fetched = 0;
  page.on('request', (request) => (fetched += request.url().endsWith('/projects') ? 1 : 0));
  const other = await context.newPage();
  await other.bringToFront();
  await page.bringToFront();
  await context.setOffline(true);
  await context.setOffline(false);
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await fillProject(page, 'A round trip', 'After which a fetch would have begun');
  await submit(page, 'Create Project').click();
  await titles(page).waitFor();
  expect(fetched).toBe(1);
});
