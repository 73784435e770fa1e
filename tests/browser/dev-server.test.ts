import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createServer, type InlineConfig } from 'vite';
import { submitButton } from '../../model/browser-driver.ts';
import { fillCredentials, openScreen, useBrowser } from '../support/browser.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const browser = useBrowser();
afterEach(() => vi.unstubAllEnvs());

/** Starts the development server with Prism or the backend at `apiUrl`. Returns its address. */
async function startDevServer(apiUrl = '', config: InlineConfig = {}): Promise<string> {
  vi.stubEnv('API_URL', apiUrl);
  const server = await createServer({
    mode: 'development',
    logLevel: 'error',
    server: { port: 0 },
    ...config,
  });
  onTestFinished(() => server.close());
  await server.listen();
  const [address = ''] = server.resolvedUrls?.local ?? [];
  return new URL(address).origin;
}

/** Starts a backend. Returns its origin. */
async function startBackend(listener: RequestListener): Promise<string> {
  const backend = createHttpServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => void backend.close());
  await new Promise((listening) => backend.once('listening', listening));
  return `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
}

/** Opens /projects on a copy of the app, which the test can edit. The backend has no projects. */
async function openCopy() {
  const folder = mkdtempSync(join(tmpdir(), 'tracker-app-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['index.html', 'package.json', 'generated', 'machines', 'public', 'src']) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const backend = await startBackend((_, response) => {
    response.setHeader('content-type', 'application/json').end('[]');
  });
  const address = await startDevServer(backend, {
    root: folder,
    configFile: join(root, 'vite.config.ts'),
    cacheDir: join(folder, '.vite'),
  });
  const { page, problems } = await browser.open();
  let loads = 0;
  page.on('load', () => (loads += 1));
  await openScreen(page, address, '/projects');
  await page.getByText('No projects to show.').waitFor();
  const edit = (file: string, change: (source: string) => string) => {
    const path = join(folder, file);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
  };
  return {
    page,
    problems,
    /** Returns how often the page has loaded. */
    loads: () => loads,
    edit,
    /** Appends a statement to a file and waits until the page has run it. */
    appendTo: async (file: string) => {
      const message = `edited ${file}`;
      const hasRun = page.waitForEvent('console', (event) => event.text() === message);
      edit(file, (source) => `${source}\nconsole.info('${message}');\n`);
      await hasRun;
    },
  };
}

test('npm run dev serves the app from its sources, with a mock of the contract', async () => {
  const address = await startDevServer();
  const { page } = await browser.open();
  await page.goto(`${address}/#/projects`);
  await page.getByText('No projects to show.').waitFor({ timeout: 60_000 });
  await page.getByRole('link', { name: 'Sign in' }).click();
  await fillCredentials(page, 'ada@example.org');
  await submitButton(page, 'Sign in').click();
  await page.getByText('Move to the new office').waitFor();
  expect(await page.getByRole('listitem').count()).toBe(2);
});

test('npm run dev leads from /register without the # to its screen', async () => {
  const backend = await startBackend((_, response) => void response.writeHead(404).end());
  const address = await startDevServer(backend);
  for (const path of ['/register', '/register/']) {
    const response = await fetch(`${address}${path}?a=1`, { redirect: 'manual' });
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe('/?a=1#/register');
  }
  expect((await fetch(`${address}/src/main.tsx`)).status).toBe(200);
});

test('API_URL=… npm run dev sends requests to that backend, with its own origin', async () => {
  const received: (string | undefined)[] = [];
  const origin = await startBackend((request, response) => {
    received.push(request.headers.origin, request.headers.host);
    response.setHeader('set-cookie', 'XSRF-TOKEN=t; Domain=backend.example; Path=/');
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end('{"message":"Another backend."}');
  });

  const address = await startDevServer(origin);
  const response = await fetch(`${address}/api/v1/auth/login`, {
    method: 'POST',
    headers: { origin: address },
  });
  expect(await response.json()).toEqual({ message: 'Another backend.' });
  expect(received).toEqual([origin, new URL(origin).host]);
  expect(response.headers.get('set-cookie')).toBe('XSRF-TOKEN=t; Path=/');
});

test.each(['localhost:8080', 'http://localhost:8080/api'])(
  'npm run dev refuses "%s" as API_URL, with an example',
  async (apiUrl) => {
    await expect(startDevServer(apiUrl)).rejects.toThrow(
      `API_URL is "${apiUrl}": set it to the backend's origin, without a path, like http://localhost:8080`,
    );
  },
);

test('edits of machines, actors, client and router reload the page, without errors', async () => {
  const { page, problems, loads, appendTo } = await openCopy();
  for (const file of [
    'machines/auth.ts',
    'machines/projects.ts',
    'src/actors.ts',
    'src/actors-context.ts',
    'src/api/api.ts',
    'src/api/decode.ts',
    'src/app.tsx',
    'src/lazy-chunk.ts',
    'src/lazy-screens.ts',
    'src/router.tsx',
    'src/main.tsx',
  ]) {
    const before = loads();
    // oxlint-disable-next-line no-await-in-loop
    await appendTo(file);
    // oxlint-disable-next-line no-await-in-loop
    await page.getByText('No projects to show.').waitFor();
    await expect.poll(loads, { message: file }).toBe(before + 1);
    expect({ file, problems }).toEqual({ file, problems: [] });
  }
});

test('edits of screens and components keep what is typed, without errors', async () => {
  const { page, problems, loads, edit, appendTo } = await openCopy();
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.fill('Typed before');
  for (const file of [
    'src/screens/layout.tsx',
    'src/screens/projects.tsx',
    'src/screens/schemas.ts',
    'src/screens/use-form.ts',
    'src/ui/button.tsx',
    'src/ui/block-offsets.ts',
  ]) {
    // oxlint-disable-next-line no-await-in-loop
    await appendTo(file);
  }
  edit('src/screens/projects.tsx', (source) => source.replace('List of Projects', 'All Projects'));
  await page.getByRole('heading', { name: 'All Projects' }).waitFor();
  expect(await title.inputValue()).toBe('Typed before');
  expect(loads()).toBe(1);
  expect(problems).toEqual([]);
});

test('edits of styles keep what is typed, and are in view at once', async () => {
  const { page, problems, loads, edit } = await openCopy();
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.fill('Typed before');
  const button = submitButton(page, 'Create Project');
  const styleOf = (property: string) =>
    button.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
  const addRule = (rule: string) => (source: string) => `${source}\n${rule}\n`;

  edit('src/ui/button.css.ts', (source) => source.replace('fontWeight: 600', 'fontWeight: 300'));
  await expect.poll(() => styleOf('font-weight')).toBe('300');
  edit('src/styles/global.css.ts', addRule("globalStyle('form button', { opacity: 0.5 });"));
  await expect.poll(() => styleOf('opacity')).toBe('0.5');
  edit('src/styles/tokens.css.ts', (source) => source.replace(/(control: )'[^']*'/, "$1'7px'"));
  await expect.poll(() => styleOf('border-radius')).toBe('7px');
  expect(await title.inputValue()).toBe('Typed before');
  expect(loads()).toBe(1);
  expect(problems).toEqual([]);
});
