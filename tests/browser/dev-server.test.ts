import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createServer } from 'vite';
import { submitButton } from '../../model/browser-driver.ts';
import { fillCredentials, useBrowser } from '../support/browser.ts';

const browser = useBrowser();
afterEach(() => vi.unstubAllEnvs());

/** Starts the development server with Prism or the backend at `apiUrl`. Returns its address. */
async function startDevServer(apiUrl = ''): Promise<string> {
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

test('API_URL=… npm run dev sends requests to that backend, with its own origin', async () => {
  const received: (string | undefined)[] = [];
  const backend = createHttpServer((request, response) => {
    received.push(request.headers.origin, request.headers.host);
    response.setHeader('set-cookie', 'XSRF-TOKEN=t; Domain=backend.example; Path=/');
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end('{"message":"Another backend."}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void backend.close());
  await new Promise((listening) => backend.once('listening', listening));
  const origin = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;

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
