// @module-tag chromium
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLogger, createServer, type InlineConfig } from 'vite';
import { submitButton, field } from '../../testing/page-driver.ts';
import { root } from '../../tools/run.ts';
import { fillCredentials, openScreen, useBrowser, headerLink } from '../../testing/browser.ts';
import { findDescendant, isRunning } from '../../tools/process-tree.ts';
import { startProgram } from '../../tools/start-program.ts';
import { copyProject } from '../../testing/project-copy.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { longWaitMs } from '../../testing/time-limits.ts';
import { operationTable } from '../../generated/operations.ts';
import { newProject, projectWithText } from '../../testing/projects.ts';
import { credentialsOf } from '../../testing/credentials.ts';

const { login, registerUser, listProjects } = operationTable;
const browser = useBrowser();
afterEach(() => vi.unstubAllEnvs());

/** Starts the development server with the backend that `API_URL` names. */
async function startDevServer(config: InlineConfig = {}) {
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const server = await createServer({
    mode: 'development',
    customLogger: { ...createLogger(), info: print, warn: print, error: print },
    server: { port: 0 },
    ...config,
  });
  await server.listen();
  server.printUrls();
  const [address = ''] = server.resolvedUrls?.local ?? [];
  return { address: new URL(address).origin, printed, stop: () => server.close() };
}

/** Starts a backend. Returns its origin. */
async function startBackend(listener: RequestListener): Promise<string> {
  const backend = createHttpServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => void backend.close());
  await new Promise((listening) => backend.once('listening', listening));
  return `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
}

/** Returns how a development server serves a copy of the project. */
const configOf = (folder: string): InlineConfig => ({
  root: folder,
  configFile: join(root, 'vite.config.ts'),
  cacheDir: join(folder, '.vite'),
});

describe('npm run dev', () => {
  let dev: Awaited<ReturnType<typeof startDevServer>>;
  beforeAll(async () => {
    vi.stubEnv('API_URL', '');
    dev = await startDevServer();
  });
  afterAll(() => dev.stop());

  test('serves the app from its sources, with a mock of the contract', async () => {
    const { page } = await browser.open();
    const logged = page.waitForEvent('console', (event) => event.text().startsWith('Backend: '));
    await page.goto(`${dev.address}/#/projects`);
    expect((await logged).text()).toContain('a mock that keeps no data, such as new projects');
    await page.locator('main section[aria-busy=false]').waitFor();
    await headerLink(page, '/login').click();
    await fillCredentials(page, 'ada@example.org');
    await submitButton(page, 'login').click();
    await page.getByText('Move to the new office').waitFor();
    expect(await page.getByRole('listitem').count()).toBe(2);
    expect(dev.printed.join('\n')).toContain('Backend: a mock that keeps no data');
  });

  const post = (path: string, body: object) =>
    fetch(dev.address + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: 'tracker-session=any' },
      body: JSON.stringify(body),
    });

  test.each<[string, object, string]>([
    [login.path, { email: 'ada@example.org' }, "must have required property 'password'"],
    [listProjects.path, newProject({ title: '' }), 'property title must NOT have fewer than'],
    [listProjects.path, { ...newProject(), title: 7 }, 'property title must be string'],
  ])('the mock says why it refuses %s %j', async (path, body, reason) => {
    const { status, message } = await post(path, body).then(async (response) => ({
      status: response.status,
      ...((await response.json()) as { message: string }),
    }));
    expect([status, message]).toEqual([422, expect.stringContaining(reason)]);
    expect(dev.printed).toContain(`POST ${path} does not match openapi.yaml: ${message}`);
  });

  test('a project that the mock creates has the texts that were sent and an id of its own', async () => {
    const ids = ['Lundi', 'Mardi 😀'].map(async (text) => {
      const project = projectWithText(text);
      const response = await post(listProjects.path, project);
      const { id, ...texts } = (await response.json()) as { id: string };
      expect(texts).toEqual(project);
      return id;
    });
    expect(new Set(await Promise.all(ids)).size).toBe(2);
  });

  // Prism ended at the first ones.
  test.each([
    ['GET', listProjects.path, 'Accept: *'],
    ['GET', listProjects.path, 'Prefer: dynamic=true'],
    ['GET', listProjects.path, 'Prefer: code=999, example=__proto__'],
    ['GET', `${listProjects.path}?__server=:&__dynamic=x&%`, 'Cookie: tracker-session=%;;='],
    ['POST', login.path, 'Content-Type: application/json', '['.repeat(100_000)],
    ['POST', login.path, 'Content-Type: application/json', 'x'.repeat(20_000_000)],
  ])('answers %s %s with %j, and the next request', async (method, path, header, body = '') => {
    const { hostname, port } = new URL(dev.address);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    // The server may close the connection after it has refused a body unread.
    socket.on('error', () => {});
    const responded = once(socket, 'data');
    const length = `Content-Length: ${body.length}`;
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${header}\r\n${length}\r\n\r\n`);
    socket.write(body);
    expect(String(await responded)).toMatch(/^HTTP\/1\.1 [2-5]/);
    expect((await fetch(dev.address + listProjects.path)).status).toBe(401);
  });

  test.each([
    ['never answers', 'SIGSTOP', 'The mock backend did not answer within 10 seconds', 10],
    ['has ended', 'SIGKILL', 'The mock backend has ended, and starts again.', 1],
  ] as const)(
    'says so and starts the mock again when it %s',
    async (_, signal, message, minSeconds) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      process.kill(findDescendant(process.pid, 'prism')!, signal);
      const list = async () => (await fetch(dev.address + listProjects.path)).status;
      const first = list();
      let seconds = 0;
      await expect
        .poll(() => {
          seconds += 1;
          vi.advanceTimersByTime(1000);
          return dev.printed.join('\n');
        })
        .toContain(message);
      expect(seconds).toBeGreaterThanOrEqual(minSeconds);
      expect([401, 502]).toContain(await first);
      // A request waits until it has started.
      expect(await list()).toBe(401);
    },
  );
});

test('API_URL=… npm run dev sends requests to that backend, with its own origin', async () => {
  const received: (string | undefined)[] = [];
  const origin = await startBackend((request, response) => {
    const { origin: sender, referer, host } = request.headers;
    received.push(sender, referer, host);
    response.setHeader('set-cookie', 'XSRF-TOKEN=t; Domain=backend.example; Path=/');
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end('{"message":"Another backend."}');
  });

  vi.stubEnv('API_URL', origin);
  const { address, stop } = await startDevServer();
  onTestFinished(stop);
  const response = await fetch(address + login.path, {
    method: 'POST',
    headers: { origin: address, referer: `${address}/login?next=1` },
  });
  expect(await response.json()).toEqual({ message: 'Another backend.' });
  expect(received).toEqual([origin, `${origin}/login?next=1`, new URL(origin).host]);
  expect(response.headers.get('set-cookie')).toBe('XSRF-TOKEN=t; Path=/');
});

test('API_URL=… npm run dev says so when no backend answers', async () => {
  vi.stubEnv('API_URL', 'http://127.0.0.1:1');
  const { address, printed, stop } = await startDevServer();
  onTestFinished(stop);
  const message = 'No backend answers at http://127.0.0.1:1: start it, or change API_URL.';
  // The app shows this message.
  expect(await (await fetch(address + listProjects.path)).json()).toEqual({ message });
  const output = printed.join('\n');
  expect(output).toContain(message);
  expect(output).not.toMatch(/^ +at /m);
});

const notAnOrigin = "set it to the backend's origin, without a path, like http://localhost:8080";
test.each([
  ['localhost:8080', 'development', `API_URL is "localhost:8080": ${notAnOrigin}`],
  ['http://localhost/api', 'development', `API_URL is "http://localhost/api": ${notAnOrigin}`],
  [
    'http://localhost:8080',
    'server',
    'API_URL is set, but npm run dev:server starts a backend itself: unset it, or use npm run dev.',
  ],
])('API_URL=%s is refused in the mode "%s", with what to do', async (apiUrl, mode, message) => {
  vi.stubEnv('API_URL', apiUrl);
  await expect(startDevServer({ mode })).rejects.toThrow(message);
});

test('edits of styles, screens and components keep what is typed, and edits of anything else reload the page, without errors', async () => {
  const { folder, edit } = copyProject();
  const backend = await startBackend((_, response) => {
    response.setHeader('content-type', 'application/json').end('[]');
  });
  vi.stubEnv('API_URL', backend);
  const { address, stop } = await startDevServer(configOf(folder));
  onTestFinished(stop);
  const { page, problems } = await browser.open();
  let loads = 0;
  page.on('load', () => (loads += 1));
  await openScreen(page, address, '/projects');
  const title = field(page, 'title');
  await title.fill('Typed before');
  /** Appends a statement to a file and waits until the page has run it. */
  const appendTo = async (file: string) => {
    const message = `edited ${file}`;
    const hasRun = page.waitForEvent('console', (event) => event.text() === message);
    edit(file, (source) => `${source}\nconsole.info('${message}');\n`);
    await hasRun;
  };

  const button = submitButton(page, 'createProject');
  const styleOf = (property: string) =>
    button.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
  const addRule = (rule: string) => (source: string) => `${source}\n${rule}\n`;
  edit('src/ui/button.css.ts', (source) => source.replace('fontWeight: 600', 'fontWeight: 300'));
  await expect.poll(() => styleOf('font-weight')).toBe('300');
  edit('src/styles/global.css.ts', addRule("globalStyle('form button', { opacity: 0.5 });"));
  await expect.poll(() => styleOf('opacity')).toBe('0.5');
  edit('src/styles/tokens.css.ts', (source) => source.replace(/(control: )'[^']*'/, "$1'7px'"));
  await expect.poll(() => styleOf('border-radius')).toBe('7px');

  for (const file of [
    'src/screens/layout.tsx',
    'src/screens/projects.tsx',
    'src/screens/schemas.ts',
    'src/screens/use-form.ts',
    'src/ui/button.tsx',
    'src/ui/block-offsets.ts',
  ]) {
    await appendTo(file);
  }
  edit('src/screens/projects.tsx', (source) => source.replace('List of Projects', 'All Projects'));
  await page.getByRole('heading', { name: 'All Projects' }).waitFor();
  expect([await title.inputValue(), loads, problems]).toEqual(['Typed before', 1, []]);

  for (const file of [
    'machines/auth.ts',
    'src/actors-context.ts',
    'src/api/decode.ts',
    'src/boot/app.tsx',
    'src/boot/lazy-chunk.ts',
    'src/boot/router.tsx',
    'src/boot/main.tsx',
  ]) {
    const before = loads;
    await appendTo(file);
    await page.locator('main section[aria-busy=false]').waitFor();
    await expect.poll(() => loads, { message: file }).toBe(before + 1);
    expect({ file, problems }).toEqual({ file, problems: [] });
  }
});

test('npm run dev:server restarts the reference backend after an edit, and keeps the data', async () => {
  const { folder, edit } = copyProject();
  mkdirSync(join(folder, 'data'));
  vi.stubEnv('DATA_DIR', join(folder, 'data'));
  vi.stubEnv('LOG_LEVEL', 'silent');
  const { address, printed, stop } = await startDevServer({ ...configOf(folder), mode: 'server' });
  onTestFinished(stop);
  expect(printed.join('\n')).toContain(`The data is in ${join(folder, 'data')}.`);
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(address + path, {
      method,
      ...(body && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    return `${response.status} ${await response.text()}`;
  };
  const credentials = credentialsOf();
  expect(await call('POST', registerUser.path, credentials)).toMatch(/^201 /);
  const list = () => call('GET', listProjects.path);
  expect(await list()).toBe('401 {"message":"Please sign in to work with projects."}');

  edit('generated/contract.json', (json) => json.replaceAll('Please sign in to work', 'Edited'));
  await expect.poll(list).toBe('401 {"message":"Edited with projects."}');
  expect(await call('POST', login.path, credentials)).toMatch(/^200 /);

  edit('server/main.ts', (source) => `process.exit(1);${source}`);
  await expect.poll(list).toMatch(/^502 .*The backend has stopped\./);
  edit('server/main.ts', (source) => source.replace('process.exit(1);', ''));
  await expect.poll(list).toBe('401 {"message":"Edited with projects."}');
});

test.each([
  ['dev:server', 'server', 'server/main.ts'],
  ['dev', 'development', 'prism'],
])('npm run %s in mode %s stops its backend when it is killed', async (_, mode, file) => {
  const data = temporaryFolder();
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const program = startProgram([process.execPath, vite, '--mode', mode, '--port', '0'], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'development', API_URL: '', DATA_DIR: data },
  });
  onTestFinished(() => void program.kill());
  await program.printed(/Backend: /, longWaitMs);
  const backend = findDescendant(program.pid!, file)!;
  expect(isRunning(backend)).toBe(true);
  program.child.kill('SIGKILL');
  await once(program.child, 'exit');
  await expect.poll(() => isRunning(backend)).toBe(false);
});
