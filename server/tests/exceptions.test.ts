import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { startProcess } from '../../testing/server-fixtures.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { exchange } from './exchange.ts';

type Bug = (request: IncomingMessage, response: ServerResponse) => void;

/** What a bug could do with a request, by the path of the request: code that runs in the server. */
const bugs: Record<string, Bug> = {
  '/at-once': () => {
    throw new Error('a secret');
  },
  '/nothing': () => {
    throw undefined;
  },
  '/in-a-timer': () =>
    setTimeout(() => {
      throw new Error('a secret');
    }),
  '/in-a-promise': () => void Promise.reject(new Error('a secret')),
  '/in-the-body': (request) =>
    request.on('data', () => {
      throw new Error('a secret');
    }),
  '/in-a-response': (_request, response) => {
    response.write('x');
    throw new Error('a secret');
  },
};
const brokenModule = `
  import http from 'node:http';
  const { createServer } = http;
  const bugs = { ${Object.entries(bugs)
    .map(([path, bug]) => `'${path}': ${String(bug)}`)
    .join(', ')} };
  http.createServer = (options, handler) =>
    createServer(options, (request, response) =>
      (bugs[request.url] ?? handler)(request, response));`;

test('an exception ends its request with 500 and not the process, which sends no word of it', async () => {
  const { address, errors, kill } = await startProcess({
    DATA_DIR: temporaryFolder(),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(brokenModule)}`,
  });
  const statuses: Record<string, string> = {};
  for (const path of Object.keys(bugs)) {
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1`;
    const response = await exchange(address, `${head}\r\n\r\nx`);
    statuses[path] = response.slice(9, 12);
    expect(response).not.toContain('secret');
  }
  expect(statuses).toEqual({
    '/at-once': '500',
    '/nothing': '500',
    '/in-a-timer': '500',
    '/in-a-promise': '500',
    '/in-the-body': '500',
    '/in-a-response': '', // cut off
  });
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  expect(errors().match(/a secret/g)?.length).toBeGreaterThanOrEqual(5);
  expect((await kill('SIGTERM')).code).toBe(0);
});
