import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createServer } from '../app.ts';
import { listen } from '../http/listening.ts';
import { openSqlite } from '../store/sqlite.ts';
import { openStore } from '../store/store.ts';
import { paths } from '../../testing/contract.ts';
import { CookieClient, signedInClient } from '../../testing/cookie-client.ts';
import { newProject, projectsOfBytes } from '../../testing/projects.ts';
import { fakeDist, startProcess, startServer } from '../../testing/server-fixtures.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

describe('health', () => {
  test('a stopping server is alive but not ready, and closes each connection', async () => {
    let isDraining = false;
    const client = await signedInClient(await startServer({ isDraining: () => isDraining }));
    expect(await client.listProjects()).toMatchObject({ headers: { connection: 'keep-alive' } });
    isDraining = true;
    expect((await client.call('GET', '/readyz')).status).toBe(503);
    expect((await client.call('GET', '/healthz')).status).toBe(200);
    for (const reply of [
      await client.listProjects(),
      await client.createProject(),
      await client.call('GET', '/nothing'),
    ])
      expect(reply.headers).toMatchObject({ connection: 'close' });
  });
});

describe('stopping', () => {
  test('a request in flight is answered, then the process exits with 0', async () => {
    const { address, kill } = await start();
    const client = await signedInClient(address);
    const body = JSON.stringify(newProject());
    const slow = sendKeepAlive(client, 'POST', {
      'content-type': 'application/json',
      'content-length': body.length,
    });
    slow.write(body.slice(0, 10));
    const [socket] = (await once(slow, 'socket')) as [Socket];
    if (socket.connecting) await once(socket, 'connect');
    await untilAccepted(address);
    const ended = kill('SIGTERM');
    await untilPortClosed(address);
    slow.end(body.slice(10));
    const [response] = (await once(slow, 'response')) as [IncomingMessage];
    expect(response).toMatchObject({ statusCode: 201, headers: { connection: 'close' } });
    response.resume();
    expect((await ended).code).toBe(0);
  });

  test('a long response in flight is completed and does not delay the exit', async () => {
    const { address, kill } = await start();
    const client = await signedInClient(address);
    // More than the buffers between the server and a client that does not read yet.
    const projects = projectsOfBytes(20_000_000);
    for (const project of projects) await client.createProject(project);
    const sent = sendKeepAlive(client, 'GET').end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const ended = kill('SIGTERM');
    await untilPortClosed(address);
    const json = Buffer.concat(await response.toArray()).toString();
    expect(JSON.parse(json)).toHaveLength(projects.length);
    const { code, errors } = await ended;
    expect(code).toBe(0);
    expect(errors).not.toContain('cut off');
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s ends the process without errors, also with idle and silent connections',
    async (signal) => {
      const { address, kill } = await start({ LOG_LEVEL: 'warn' });
      await once(openSocket(address), 'connect');
      await untilAccepted(address);
      expect(await kill(signal)).toEqual({ code: 0, errors: '' });
    },
  );

  test('requests that arrive while the port is closed are answered', async () => {
    const store = await openStore(openSqlite(temporaryFolder()));
    const app = await createServer({ store, dist: fakeDist() });
    const listener = await listen(app, ['127.0.0.1'], 0);
    const address = `http://127.0.0.1:${listener.port}`;
    const outcomes = new Set<unknown>();
    const clients = Array.from({ length: 16 }, async () => {
      for (let outcome: unknown = 200; outcome === 200; outcomes.add(outcome)) {
        const sent = httpRequest(`${address}/healthz`, { agent: false }).end();
        const received = once(sent, 'response') as Promise<[IncomingMessage]>;
        outcome = await received.then(
          ([response]) => response.resume().statusCode,
          (error: NodeJS.ErrnoException) => error.code,
        );
      }
    });
    await untilAccepted(address);
    await listener.close();
    await Promise.all(clients);
    expect([...outcomes]).toEqual([200, 'ECONNREFUSED']);
    await store.close();
  });

  test('requests in flight on every address of the host are answered', async () => {
    const store = await openStore(openSqlite(temporaryFolder()));
    const app = await createServer({ store, dist: fakeDist() });
    const hosts = ['127.0.0.1', process.platform === 'linux' ? '127.0.0.2' : '::1'];
    const listener = await listen(app, hosts, 0);
    const sockets = hosts.map((host) => connect(listener.port, host));
    const responses = sockets.map(readAll);
    for (const socket of sockets) socket.write(`POST ${paths.login} HTTP/1.1\r\nhost: x\r\n`);
    await untilAccepted(`http://${hosts[0]}:${listener.port}`);
    const closed = listener.close();
    await untilPortClosed(`http://${hosts[0]}:${listener.port}`);
    for (const socket of sockets) socket.write('connection: close\r\n\r\n');
    for (const response of responses) expect(await response).toMatch(/^HTTP\/1\.1 415 /);
    await closed;
    await store.close();
  });
});

describe('a slow client is cut off without a response, because browsers repeat a POST after 408', () => {
  const timeouts = { headersMs: 60_000, requestMs: 60_000, idleMs: 60_000, checkIntervalMs: 10 };

  test.each([
    ['sends nothing', { idleMs: 50 }, ''],
    ['does not complete the headers', { headersMs: 50 }, 'POST / HTTP/1.1\r\nhost: x\r\n'],
    [
      'does not complete the body',
      { headersMs: 50, requestMs: 50 },
      `POST ${paths.login} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{`,
    ],
  ])('if it %s', async (_case, limits, bytes) => {
    const socket = openSocket(await startServer({ timeouts: { ...timeouts, ...limits } }));
    socket.write(bytes);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(socket, 'close');
    expect(Buffer.concat(chunks).toString()).toBe('');
  });

  test('if it does not read its responses', async () => {
    let isCut = false;
    const folder = temporaryFolder();
    const client = await signedInClient(await startServer({ database: openSqlite(folder) }));
    const address = await startServer({
      database: openSqlite(folder),
      timeouts: { ...timeouts, idleMs: 50 },
      logger: {
        stream: { write: (line: string) => void (isCut ||= line.includes('"aborted":true')) },
      },
    });
    for (const project of projectsOfBytes(1_000_000)) await client.createProject(project);
    const { cookie } = client.cookieHeaders();
    const request = `GET ${paths.listProjects} HTTP/1.1\r\nhost: x\r\ncookie: ${cookie}\r\n\r\n`;
    const send = () => void openSocket(address).pause().write(request.repeat(50));
    send();
    // A busy server can cut a connection before it has read a request, which it does not log.
    await expect.poll(() => isCut || send(), { interval: 500 }).toBe(true);
  });
});

const start = (settings = {}) =>
  startProcess({ DATA_DIR: temporaryFolder(), DRAIN_SECONDS: '0', ...settings });

function openSocket(address: string): Socket {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

const readAll = async (socket: Socket) => Buffer.concat(await socket.toArray()).toString();

/** Opens a request to the projects on a connection that the client keeps alive. */
function sendKeepAlive(client: CookieClient, method: string, headers = {}) {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  return httpRequest(`${client.address}${paths.listProjects}`, {
    agent,
    method,
    headers: { ...client.cookieHeaders(), ...headers },
  });
}

/** Resolves when the server has accepted all earlier connections and read what they sent. */
async function untilAccepted(address: string) {
  const sent = httpRequest(`${address}/healthz`, { agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
}

async function untilPortClosed(address: string) {
  const isOpen = () => fetch(`${address}/healthz`).then(Boolean, () => false);
  while (await isOpen()) await yieldToEventLoop();
}
