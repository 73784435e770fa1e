import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startPrism } from '../../tools/dev-backend.ts';
import { field, submit, useBrowser } from '../support/browser.ts';
import { startServerProcess } from '../support/server-process.ts';

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
let app: Awaited<ReturnType<typeof startServerProcess>>;
let prism: Awaited<ReturnType<typeof startPrism>>;
beforeAll(async () => {
  [app, prism] = await Promise.all([startServerProcess(), startPrism()]);
});
afterAll(() => Promise.all([app.stop(), prism.close()]));

/**
 * The built app on a route, before Prism. `prefer` chooses Prism's answer to one call; every other one gets the first
 * example of a success.
 */
async function mocked(route: string, { operation, status, name }: Partial<Example> = {}) {
  const { page, problems } = await browser.open();
  await page.route('**/api/v1/**', async (call) => {
    const request = call.request();
    const { pathname } = new URL(request.url());
    const chosen = operation === operationOf(request.method(), pathname);
    const response = await call.fetch({
      url: prism.url + pathname,
      headers: {
        ...request.headers(),
        cookie: 'session=anybody',
        ...(chosen && { prefer: `code=${status}, example=${name}` }),
      },
    });
    if (chosen && response.status() !== status) throw new Error(`Prism has no ${status} ${name}.`);
    await call.fulfill({ response });
  });
  await page.goto(`${app.address}/#/${route}`);
  return { page, problems };
}

function operationOf(method: string, path: string): string {
  if (path.endsWith('/auth/login')) return 'login';
  if (path.endsWith('/users/register')) return 'registerUser';
  return method === 'GET' ? 'listProjects' : 'createProject';
}

async function send(page: Page, values: Record<string, string>, button: string) {
  for (const [label, value] of Object.entries(values)) await field(page, label).fill(value);
  const answered = page.waitForResponse((response) => response.request().method() === 'POST');
  await submit(page, button).click();
  await answered;
}

const credentials = { Email: 'ada@example.org', Password: 'correct horse' };
const project = { Title: 'Website relaunch', Description: 'New pages.' };

describe('the app before Prism', () => {
  test('every operation has error examples, so that the tests below are not empty', () => {
    for (const operation of ['login', 'registerUser', 'listProjects', 'createProject']) {
      expect(of(operation).length).toBeGreaterThan(2);
    }
  });

  test('registers, signs in, lists the projects of the examples, and creates one', async () => {
    const { page } = await mocked('register');
    await send(page, credentials, 'Register');
    await page.getByText('Enter your email and password to sign in').waitFor();
    await send(page, credentials, 'Sign in');
    await page.getByText('Move to the new office').waitFor();
    await send(page, project, 'Create Project');
    await page.getByRole('listitem').nth(2).waitFor();
    expect(await page.getByRole('listitem').count()).toBe(3);
    await send(page, project, 'Create Project');
    await page.locator('button[aria-busy="false"]').waitFor();
    expect(await page.getByRole('listitem').count()).toBe(3);
  });

  test.each(of('login'))(
    '[ERROR-1] login answered by $status $name: the banner says "$message"',
    async (example) => {
      const { page } = await mocked('login', example);
      await send(page, credentials, 'Sign in');
      await page.getByRole('alert').waitFor();
      expect(await page.getByRole('alert').textContent()).toBe(example.message);
    },
  );

  test.each(of('registerUser'))(
    '[ERROR-4, AUTH-10] registerUser answered by $status $name: nothing is shown',
    async (example) => {
      const { page } = await mocked('register', example);
      await page.getByText('Create an account').waitFor();
      const before = await page.locator('body').innerText();
      await send(page, credentials, 'Register');
      await page.locator('button[aria-busy="false"]').waitFor();
      expect(await page.locator('body').innerText()).toBe(before);
      expect(await page.getByRole('alert').count()).toBe(0);
      expect(await field(page, 'Password').inputValue()).toBe(credentials.Password);
    },
  );

  test.each(of('listProjects'))(
    '[ERROR-8, LIST-4, LIST-5] listProjects answered by $status $name: an empty list, and a line in the console',
    async (example) => {
      const { page, problems } = await mocked('projects', example);
      await page.getByText('No projects to show.').waitFor();
      expect(await page.getByText(example.message).count()).toBe(0);
      expect(problems.some((problem) => problem.startsWith('listProjects'))).toBe(true);
    },
  );

  test.each(of('createProject'))(
    '[ERROR-5, CREATE-4, READ-28] createProject answered by $status $name: the banner says "$message", and the form keeps its text',
    async (example) => {
      const { page } = await mocked('projects', example);
      await send(page, project, 'Create Project');
      await page.getByRole('alert').waitFor();
      expect(await page.getByRole('alert').textContent()).toBe(example.message);
      expect(await field(page, 'Title').inputValue()).toBe(project.Title);
      expect(await field(page, 'Description').inputValue()).toBe(project.Description);
    },
  );
});
