import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { field, submitButton } from '../../../model/browser-driver.ts';
import { callNames, parseRequest, type Call } from '../../../model/calls.ts';
import { startPrism } from '../../../tools/prism.ts';
import { fillCredentials, fillProject, useBrowser, useServer } from '../../support/browser.ts';
import { examples } from '../../support/contract.ts';

type Example = (typeof examples)[number];

/** Returns the examples of a call's errors. */
const errorsOf = (call: Call) =>
  examples.filter(({ operationId, status }) => operationId === call && status >= 400);

const browser = useBrowser();
const server = useServer();
let prism: Awaited<ReturnType<typeof startPrism>>;
beforeAll(async () => {
  prism = await startPrism();
});
afterAll(() => prism.close());

/**
 * Opens a screen of the built app with Prism as its backend. After `answerWith`, Prism answers that
 * operation with the example, and the others with their first successful example.
 */
async function openWithPrism(path: string) {
  const { page, problems } = await browser.open();
  let selected: Pick<Example, 'operationId' | 'status' | 'name'> | undefined;
  await page.route('**/api/v1/**', async (route, request) => {
    const { call } = parseRequest(request.method(), request.url(), undefined);
    const isSelected = call === selected?.operationId;
    const response = await route.fetch({
      url: prism.url + new URL(request.url()).pathname,
      headers: {
        ...request.headers(),
        cookie: 'session=anybody',
        ...(selected &&
          isSelected && { prefer: `code=${selected.status}, example=${selected.name}` }),
      },
    });
    await route.fulfill({ response });
  });
  await page.goto(`${server.address}/#${path}`);
  return {
    page,
    problems,
    answerWith: (example: typeof selected) => void (selected = example),
  };
}

/** Submits and waits until the button is no longer busy. Returns the status of the response. */
async function submitForm(page: Page, button: string): Promise<number> {
  const response = page.waitForResponse((candidate) => candidate.request().method() === 'POST');
  await submitButton(page, button).click();
  const status = (await response).status();
  await page.locator('form button[aria-busy="false"]').waitFor();
  return status;
}

const email = 'ada@example.org';
const password = 'correct horse';
const [title, description] = ['Website relaunch', 'New pages.'] as const;

test.each(callNames)('%s has error examples for the tests below', (call) => {
  expect(errorsOf(call).length).toBeGreaterThan(2);
});

test('a user registers, signs in, sees the projects of the examples and creates one', async () => {
  const { page } = await openWithPrism('/register');
  await fillCredentials(page, email, password);
  await submitForm(page, 'Register');
  await page.getByText('Enter your email and password to sign in').waitFor();
  await fillCredentials(page, email, password);
  await submitForm(page, 'Sign in');
  await page.getByText('Move to the new office').waitFor();
  await fillProject(page, title, description);
  await submitForm(page, 'Create Project');
  await page.getByRole('listitem').nth(2).waitFor();
  expect(await page.getByRole('listitem').count()).toBe(3);
  // Prism is stateless: the second project has the id of the first.
  await fillProject(page, title, description);
  await submitForm(page, 'Create Project');
  expect(await page.getByRole('listitem').count()).toBe(3);
});

test('the banner shows the message of each login error [ERROR-1]', async () => {
  const { page, answerWith } = await openWithPrism('/login');
  await fillCredentials(page, email, password);
  for (const example of errorsOf('login')) {
    answerWith(example);
    expect(await submitForm(page, 'Sign in')).toBe(example.status);
    await expectBanner(page, example);
  }
});

test('registerUser errors show nothing [ERROR-4, AUTH-10, CHOICE-6]', async () => {
  const { page, answerWith } = await openWithPrism('/register');
  await fillCredentials(page, email, password);
  const before = await page.locator('body').innerText();
  for (const example of errorsOf('registerUser')) {
    answerWith(example);
    expect(await submitForm(page, 'Register')).toBe(example.status);
    expect(await page.locator('body').innerText()).toBe(before);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await field(page, 'Password').inputValue()).toBe(password);
  }
});

test('listProjects errors empty the list and are logged to the console [ERROR-8, LIST-4, LIST-5]', async () => {
  const { page, problems, answerWith } = await openWithPrism('/projects');
  for (const example of errorsOf('listProjects')) {
    await page.getByText('Move to the new office').waitFor();
    await page.getByRole('link', { name: 'Home' }).click();
    answerWith(example);
    problems.length = 0;
    await page.getByRole('link', { name: 'Projects' }).click();
    await page.getByText('No projects to show.').waitFor();
    expect(await page.getByText(example.body.message!).count()).toBe(0);
    expect(problems.filter((problem) => problem.startsWith('listProjects'))).toHaveLength(1);
    answerWith({ ...example, status: 200, name: 'someProjects' });
    await page.reload();
  }
});

test('the banner shows the message of each createProject error, and the form keeps its text [ERROR-5, CREATE-4, CHOICE-28]', async () => {
  const { page, answerWith } = await openWithPrism('/projects');
  await fillProject(page, title, description);
  for (const example of errorsOf('createProject')) {
    answerWith(example);
    expect(await submitForm(page, 'Create Project')).toBe(example.status);
    await expectBanner(page, example);
    expect(await field(page, 'Title').inputValue()).toBe(title);
    expect(await field(page, 'Description').inputValue()).toBe(description);
  }
});

async function expectBanner(page: Page, { body: { message } }: Example) {
  const banner = page.getByRole('alert').filter({ hasText: message! });
  await banner.waitFor();
  expect(await banner.textContent()).toBe(message);
}
