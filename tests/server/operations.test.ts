import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../server/app.ts';
import { listen } from '../../server/http/listening.ts';
import { openSqlite } from '../../server/store/sqlite.ts';
import { openStore } from '../../server/store/store.ts';
import { runServer } from '../support/server-process.ts';
import { CookieClient, signedInClient } from '../support/cookie-client.ts';
import { builtApp, startServer, temporaryFolder } from './support.ts';

describe('health', () => {
  test('a server that works says so, to anybody', async () => {
    const visitor = new CookieClient(await startServer());
    for (const path of ['/healthz', '/readyz']) {
      const reply = await visitor.call('GET', path);
      expect(reply.status).toBe(200);
      expect(reply.headers.get('cache-control')).toBe('no-store');
      expect((await visitor.call('HEAD', path)).status).toBe(200);
    }
  });

  test('a server without its store is alive, but not ready', async () => {
    const database = openSqlite(temporaryFolder());
    const close = () => database.close().catch(() => {});
    const visitor = new CookieClient(await startServer({ database: { ...database, close } }));
    await database.close();
    expect((await visitor.call('GET', '/healthz')).status).toBe(200);
    expect(await visitor.call('GET', '/readyz')).toMatchObject({
      status: 503,
      body: { message: expect.any(String) },
    });
  });

  test('a server that stops is alive but not ready, answers, and keeps no connection', async () => {
    let draining = false;
    const visitor = await signedInClient(await startServer({ isDraining: () => draining }));
    expect((await visitor.listProjects()).headers.get('connection')).toBe('keep-alive');
    draining = true;
    expect((await visitor.call('GET', '/readyz')).status).toBe(503);
    expect((await visitor.call('GET', '/healthz')).status).toBe(200);
    for (const reply of [
      await visitor.listProjects(),
      await visitor.createProject(),
      await visitor.call('GET', '/nothing'),
    ]) {
      expect(reply.headers.get('connection')).toBe('close');
    }
  });
});

describe('stopping', () => {
  test('a request under way is answered, then the process ends with 0', async () => {
    const { address, running } = await start({ DRAIN_SECONDS: '0' });
    const visitor = await signedInClient(address);
    const body = JSON.stringify({ title: 'Late', description: 'But kept.' });
    const slow = send(address, visitor, body.length);
    slow.write(body.slice(0, 10));
    const [socket] = (await once(slow, 'socket')) as [Socket];
    if (socket.connecting) await once(socket, 'connect');
    await reached(address);
    const ended = running.kill('SIGTERM');
    await refused(address);
    slow.end(body.slice(10));
    const [answer] = (await once(slow, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(201);
    expect(answer.headers.connection).toBe('close');
    answer.resume();
    expect((await ended).code).toBe(0);
  });

  test('a long answer under way is sent to its end, and its connection then holds up nobody', async () => {
    const { address, running } = await start({ DRAIN_SECONDS: '0' });
    const visitor = await signedInClient(address);
    // More than fits between the server and a client that does not read yet.
    const large = { title: 'Large', description: 'x'.repeat(100_000) };
    for (let i = 0; i < 200; i += 1) await visitor.createProject(large);
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const headers = { cookie: `session=${visitor.cookies.get('session')}` };
    const sent = httpRequest(`${address}/api/v1/projects`, { agent, headers }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const ended = running.kill('SIGTERM');
    await refused(address);
    const text = Buffer.concat(await answer.toArray()).toString();
    expect(JSON.parse(text)).toHaveLength(200);
    const { code, errors } = await ended;
    expect(code).toBe(0);
    expect(errors).not.toContain('cut off');
  });

  test('connections that are idle, or never said a word, hold up nobody', async () => {
    const { address, running } = await start({ DRAIN_SECONDS: '0' });
    const { port } = new URL(address);
    const silent = connect(Number(port), '127.0.0.1');
    await once(silent, 'connect');
    silent.on('error', () => {});
    await reached(address);
    const { code, errors } = await running.kill('SIGTERM');
    expect(code).toBe(0);
    expect(errors).not.toContain('cut off');
  });

  test('whichever of its addresses a request came to, it is answered', async () => {
    const store = await openStore(openSqlite(temporaryFolder()));
    const app = await createApp({ store, dist: builtApp() });
    const hosts = ['127.0.0.1', process.platform === 'linux' ? '127.0.0.2' : '::1'];
    const door = await listen(app, hosts, 0);
    const sockets = hosts.map((host) => connect(door.port, host));
    const answers = sockets.map(async (socket) => Buffer.concat(await socket.toArray()).toString());
    for (const socket of sockets) socket.write('POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\n');
    await reached(`http://${hosts[0]}:${door.port}`);
    const closed = door.close();
    await refused(`http://${hosts[0]}:${door.port}`);
    for (const socket of sockets) socket.write('connection: close\r\n\r\n');
    for (const answer of answers) expect(await answer).toMatch(/^HTTP\/1\.1 415 /);
    await closed;
    await store.close();
  });
});

describe('clients that take too long are cut, and get no answer that would make a browser repeat itself', () => {
  const timeouts = { headers: 50, request: 50, stalled: 50, interval: 10 }; // milliseconds

  test.each([
    ['say nothing after connecting', ''],
    ['never end their headers', 'POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\n'],
    [
      'never end their body',
      'POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{',
    ],
  ])('who %s', async (_what, said) => {
    const socket = open(await startServer({ timeouts }));
    socket.write(said);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(socket, 'close');
    expect(Buffer.concat(chunks).toString()).toBe('');
  });

  test('who never read their answers', async () => {
    const cut = Promise.withResolvers<void>();
    const write = (line: string) => line.includes('"aborted":true') && cut.resolve();
    const address = await startServer({
      timeouts: { ...timeouts, request: 60_000, headers: 60_000, stalled: 2_000 },
      logger: { stream: { write } },
    });
    const visitor = await signedInClient(address);
    const description = 'x'.repeat(100_000);
    for (let i = 0; i < 10; i += 1) await visitor.createProject({ title: 'Long', description });
    const socket = open(address).pause();
    for (let i = 0; i < 50; i += 1) {
      const cookie = `session=${visitor.cookies.get('session')}`;
      socket.write(`GET /api/v1/projects HTTP/1.1\r\nhost: x\r\ncookie: ${cookie}\r\n\r\n`);
    }
    await expect(cut.promise).resolves.toBeUndefined();
  });
});

describe('unusual requests', () => {
  test.each([
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['two Hosts', 'GET / HTTP/1.1\r\nhost: a\r\nHost: b\r\n\r\n', 400],
    ['HTTP 1.0 and no Host', 'GET /healthz HTTP/1.0\r\n\r\n', 200],
    ['a method nobody knows', 'BREW / HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['a method that is rare', 'PROPFIND / HTTP/1.1\r\nhost: x\r\n\r\n', 404],
    ['a whole address instead of a path', 'GET http://x/healthz HTTP/1.1\r\nhost: x\r\n\r\n', 200],
    ['the address of another server', 'CONNECT y:443 HTTP/1.1\r\nhost: y\r\n\r\n', 404],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n', 404],
    ['headers without end', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['an expectation nobody knows', 'GET / HTTP/1.1\r\nhost: x\r\nexpect: tea\r\n\r\n', 417],
    ['the usual expectation', 'GET / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n\r\n', 200],
    ['a length that is none', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: x\r\n\r\n', 400],
  ])('with %s are answered', async (_what, text, status) => {
    const socket = open(await startServer({ dist: builtApp() }));
    socket.write(text.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'));
    const answer = Buffer.concat(await socket.toArray()).toString();
    expect(answer).toContain(`HTTP/1.1 ${status} `);
    expect(answer).toMatch(status < 400 ? /\r\n\r\n./ : /\{"message":".+\."\}$/);
  });
});

/** The real process, until the test ends. */
async function start(settings: Record<string, string>) {
  const running = runServer({ DATA_DIR: temporaryFolder(), DIST_DIR: builtApp(), ...settings });
  onTestFinished(async () => {
    await running.kill();
  });
  return { running, address: await running.ready() };
}

function open(address: string): Socket {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** A project whose body is to be written by the test. */
function send(address: string, visitor: CookieClient, length: number) {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  return httpRequest(`${address}/api/v1/projects`, {
    agent,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': length,
      cookie: [...visitor.cookies].map((cookie) => cookie.join('=')).join('; '),
      'x-xsrf-token': visitor.cookies.get('XSRF-TOKEN'),
    },
  });
}

/** Whoever connected before has been let in, and heard: a new connection comes after theirs. */
async function reached(address: string) {
  const asked = httpRequest(`${address}/healthz`, { agent: false }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
}

/** The port is closed. */
async function refused(address: string) {
  while (
    await fetch(`${address}/healthz`).then(
      () => true,
      () => false,
    )
  ) {
    await turn();
  }
}
