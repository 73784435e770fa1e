import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startPrism } from '../../tools/dev-backend.ts';
import { field, submit, useBrowser } from '../support/browser.ts';
import { startTemporaryServer } from '../support/server-process.ts';

/** Every named error example of the contract, as Prism is asked for it. */
type Example = { operation: string; status: number; name: string; message: string };

function errorExamples(): Example[] {
  const contract = parse(readFileSync('openapi.yaml', 'utf8'));
  const resolve = (it: { $ref?: string }) =>
    it.$ref
      ? it.$ref
          .slice(2)
          .split('/')
          .reduce((at, key) => at[key], contract)
      : it;
  return Object.values<Record<string, never>>(contract.paths)
    .flatMap((path) => Object.values<{ operationId: string; responses: object }>(path))
    .flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400)
        .flatMap(([status, response]) =>
          Object.entries<{ value: { message: string } }>(
            resolve(response).content['application/json'].examples,
          ).map(([name, { value }]) => ({
            operation: operationId,
            status: Number(status),
            name,
            message: value.message,
          })),
        ),
    );
}

const examples = errorExamples();
const of = (operationId: string) => examples.filter(({ operation }) => operation === operationId);

const browser = useBrowser();
let app: Awaited<ReturnType<typeof startTemporaryServer>>;
let prism: Awaited<ReturnType<typeof startPrism>>;
beforeAll(async () => {
  [app, prism] = await Promise.all([startTemporaryServer(), startPrism()]);
});
afterAll(() => Promise.all([app.stop(), prism.close()]));

/**
 * The built app on a route, before Prism. `answerWith` chooses Prism's answer to the calls of one operation from then on;
 * every other one gets the first example of a success.
 */
async function mocked(route: string) {
  const { page, problems } = await browser.open();
  let chosen: Example | undefined;
  await page.route('**/api/v1/**', async (call) => {
    const request = call.request();
    const { pathname } = new URL(request.url());
    const prefer =
      chosen && chosen.operation === operationOf(request.method(), pathname)
        ? { prefer: `code=${chosen.status}, example=${chosen.name}` }
        : {};
    const response = await call.fetch({
      url: prism.url + pathname,
      headers: { ...request.headers(), cookie: 'session=anybody', ...prefer },
    });
    await call.fulfill({ response });
  });
  await page.goto(`${app.address}/#/${route}`);
  return { page, problems, answerWith: (example: Example) => (chosen = example) };
}

function operationOf(method: string, path: string): string {
  if (path.endsWith('/auth/login')) return 'login';
  if (path.endsWith('/users/register')) return 'registerUser';
  return method === 'GET' ? 'listProjects' : 'createProject';
}

async function fill(page: Page, values: Record<string, string>) {
  for (const [label, value] of Object.entries(values)) await field(page, label).fill(value);
}

/** Submits, and waits until the call was answered and the button is live again. Gives the answer's status. */
async function send(page: Page, button: string): Promise<number> {
  const answered = page.waitForResponse((response) => response.request().method() === 'POST');
  await submit(page, button).click();
  const status = (await answered).status();
  await page.locator('form button[aria-busy="false"]').waitFor();
  return status;
}

const credentials = { Email: 'ada@example.org', Password: 'correct horse' };
const project = { Title: 'Website relaunch', Description: 'New pages.' };

test('every operation has error examples, so that the tests below are not empty', () => {
  for (const operation of ['login', 'registerUser', 'listProjects', 'createProject']) {
    expect(of(operation).length).toBeGreaterThan(2);
  }
});

test('before Prism a person registers, signs in, sees the projects of the examples, and creates one', async () => {
  const { page } = await mocked('register');
  await fill(page, credentials);
  await send(page, 'Register');
  await page.getByText('Enter your email and password to sign in').waitFor();
  await fill(page, credentials);
  await send(page, 'Sign in');
  await page.getByText('Move to the new office').waitFor();
  await fill(page, project);
  await send(page, 'Create Project');
  await page.getByRole('listitem').nth(2).waitFor();
  expect(await page.getByRole('listitem').count()).toBe(3);
  // Prism remembers nothing: the second project has the id of the first.
  await fill(page, project);
  await send(page, 'Create Project');
  expect(await page.getByRole('listitem').count()).toBe(3);
});

test('[ERROR-1] each refusal of login is the text of the banner', async () => {
  const { page, answerWith } = await mocked('login');
  await fill(page, credentials);
  for (const example of of('login')) {
    answerWith(example);
    expect(await send(page, 'Sign in')).toBe(example.status);
    const banner = page.getByRole('alert').filter({ hasText: example.message });
    await banner.waitFor();
    expect(await banner.textContent()).toBe(example.message);
  }
});

test('[ERROR-4, AUTH-10, CHOICE-6] no refusal of registerUser shows anything', async () => {
  const { page, answerWith } = await mocked('register');
  await fill(page, credentials);
  const before = await page.locator('body').innerText();
  for (const example of of('registerUser')) {
    answerWith(example);
    expect(await send(page, 'Register')).toBe(example.status);
    expect(await page.locator('body').innerText()).toBe(before);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await field(page, 'Password').inputValue()).toBe(credentials.Password);
  }
});

test('[ERROR-8, LIST-4, LIST-5] each refusal of listProjects empties the list and is a line in the console', async () => {
  const { page, problems, answerWith } = await mocked('projects');
  for (const example of of('listProjects')) {
    await page.getByText('Move to the new office').waitFor();
    await page.getByRole('link', { name: 'Home' }).click();
    answerWith(example);
    problems.length = 0;
    await page.getByRole('link', { name: 'Projects' }).click();
    await page.getByText('No projects to show.').waitFor();
    expect(await page.getByText(example.message).count()).toBe(0);
    expect(problems.filter((problem) => problem.startsWith('listProjects'))).toHaveLength(1);
    answerWith({ ...example, status: 200, name: 'someProjects' });
    await page.reload();
  }
});

test('[ERROR-5, CREATE-4, CHOICE-28] each refusal of createProject is the text of the banner, and the form keeps its text', async () => {
  const { page, answerWith } = await mocked('projects');
  await fill(page, project);
  for (const example of of('createProject')) {
    answerWith(example);
    expect(await send(page, 'Create Project')).toBe(example.status);
    const banner = page.getByRole('alert').filter({ hasText: example.message });
    await banner.waitFor();
    expect(await banner.textContent()).toBe(example.message);
    expect(await field(page, 'Title').inputValue()).toBe(project.Title);
    expect(await field(page, 'Description').inputValue()).toBe(project.Description);
  }
});
