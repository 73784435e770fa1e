import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createServer } from 'vite';
import { fillCredentials, submit, useBrowser } from '../support/browser.ts';

const browser = useBrowser();
afterEach(() => vi.unstubAllEnvs());

/** The development server on a free port, before Prism or before the backend at `apiUrl`. Gives its address. */
async function develop(apiUrl = ''): Promise<string> {
  vi.stubEnv('API_URL', apiUrl);
  const server = await createServer({
    mode: 'development',
    logLevel: 'error',
    server: { port: 0 },
  });
  onTestFinished(() => server.close());
  await server.listen();
  const [address = ''] = server.resolvedUrls?.local ?? [];
  return new URL(address).origin;
}

test('npm run dev: the app from its sources, before the mock of the contract', async () => {
  const address = await develop();
  const { page } = await browser.open();
  await page.goto(`${address}/#/projects`);
  await page.getByText('No projects to show.').waitFor({ timeout: 60_000 });
  await page.getByRole('link', { name: 'Sign in' }).click();
  await fillCredentials(page, 'ada@example.org');
  await submit(page, 'Sign in').click();
  await page.getByText('Move to the new office').waitFor();
  expect(await page.getByRole('listitem').count()).toBe(2);
});

test('API_URL=… npm run dev: another backend sees requests from its own origin', async () => {
  const seen: (string | undefined)[] = [];
  const backend = createHttpServer((request, response) => {
    seen.push(request.headers.origin, request.headers.host);
    response.setHeader('set-cookie', 'XSRF-TOKEN=t; Domain=backend.example; Path=/');
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end('{"message":"Another backend."}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void backend.close());
  await new Promise((ready) => backend.once('listening', ready));
  const origin = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;

  const address = await develop(origin);
  const answer = await fetch(`${address}/api/v1/auth/login`, {
    method: 'POST',
    headers: { origin: address },
  });
  expect(await answer.json()).toEqual({ message: 'Another backend.' });
  expect(seen).toEqual([origin, new URL(origin).host]);
  expect(answer.headers.get('set-cookie')).toBe('XSRF-TOKEN=t; Path=/');
});

test.each(['localhost:8080', 'http://localhost:8080/api'])(
  'an API_URL of "%s" says what to give instead',
  async (apiUrl) => {
    await expect(develop(apiUrl)).rejects.toThrow(
      `API_URL is "${apiUrl}": set it to the backend's origin, without a path, like http://localhost:8080`,
    );
  },
);
