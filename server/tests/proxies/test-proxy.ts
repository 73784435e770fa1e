import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { connect as connectTcp, type AddressInfo } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findFreePort } from '../../../tools/free-port.ts';
import { paths } from '../../../testing/contract.ts';
import { CookieClient, signedInClient } from '../../../testing/cookie-client.ts';
import { escapedJson, longestProject, tooLargeProject } from '../../../testing/projects.ts';
import { startProxy, type ProxyName, type Replacements } from '../../../testing/proxies.ts';
import { restartReplicas } from '../../../testing/torture/scenarios.ts';
import {
  emptyStore,
  fakeDist,
  refusal,
  startServer,
  useReferenceServer,
} from '../../../testing/server-fixtures.ts';

/** An address that no server trusts as a proxy. */
const [clientAddress, otherAddress] = ['127.0.0.5', '127.0.0.6'];

/** Tests the file of a proxy in server/deploy/, in front of real and of simulated servers. */
export function testProxy(name: ProxyName) {
  describe(`behind server/deploy/ for ${name}`, () => {
    const shared = shareProxy(name);

    test('http is redirected to https', async () => {
      const { httpAddress } = shared();
      const reply = await fetch(`${httpAddress}${paths.listProjects}?x=1`, { redirect: 'manual' });
      expect(`${reply.status} ${reply.headers.get('location')}`).toMatch(
        /^30[18] https:\/\/localhost(:\d+)?\/api\/v1\/projects\?x=1$/,
      );
    });

    test('every response over https has Strict-Transport-Security', async () => {
      for (const path of ['/', paths.listProjects]) {
        const { headers } = await fetch(shared().address + path);
        expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
      }
    });

    test('cookies are Secure, even if the client claims that it uses http', async () => {
      const client = await signedInClient(shared().address);
      const { setCookies } = await client.login(client.credentials, {
        headers: { 'x-forwarded-proto': 'http' },
      });
      expect(setCookies).toHaveLength(2);
      for (const cookie of setCookies) expect(cookie).toMatch(/; Secure(;|$)/);
    });

    test('the server knows the host and port that the browser uses', async () => {
      const { address } = shared();
      const client = await signedInClient(address);
      const createFrom = async (origin: string) =>
        (await client.createProject(undefined, { headers: { origin } })).status;
      expect(await createFrom(address)).toBe(201);
      expect(await createFrom('https://localhost:1')).toBe(403);
      expect(await createFrom('https://localhost')).toBe(403);
    });

    test('cookies of other apps of 30 kB are passed on', async () => {
      const client = await signedInClient(shared().address);
      for (let i = 0; i < 10; i += 1) client.cookies.set(`other-app-${i}`, 'x'.repeat(3_000));
      expect((await client.listProjects()).status).toBe(200);
    });

    test('HTTP/2 reaches the server', async () => {
      const session = connectHttp2(shared().address);
      onTestFinished(() => session.close());
      const stream = session.request({ ':path': '/healthz' });
      const [headers] = await once(stream, 'response');
      expect(headers[':status']).toBe(200);
      expect(session.alpnProtocol).toBe('h2');
      stream.destroy();
    });

    test('the longest project is created, and a larger body is refused with a message', async () => {
      const client = await signedInClient(shared().address);
      const longest = escapedJson(longestProject());
      const headers = { 'content-type': 'application/json' };
      expect((await client.createRaw(undefined, { body: longest, headers })).status).toBe(201);
      for (const body of [tooLargeProject(), tooLargeProject(5_000_000)]) {
        const reply = await client.createRaw(body);
        expect({ status: reply.status, body: reply.body }).toEqual(refusal('bodyTooLarge'));
      }
      const login = await client.login({ email: 'x', password: 'x'.repeat(1_300_000) });
      expect({ status: login.status, body: login.body }).toEqual(refusal('bodyTooLarge'));
    });

    test('attempts count for the address of the client, not for one that it claims', async () => {
      const { address, port } = shared();
      const { credentials } = await signedInClient(address);
      const guess = (localAddress: string, claimedAddress: string) =>
        send(port, {
          localAddress,
          path: paths.login,
          headers: { 'x-forwarded-for': claimedAddress, 'content-type': 'application/json' },
          body: JSON.stringify({ ...credentials, password: 'a wrong guess' }),
        });
      // At once, because the server allows a further attempt each six seconds.
      const startMs = performance.now();
      const guesses = Array.from({ length: 20 }, (_, i) => guess(clientAddress, `10.0.0.${i}`));
      const statuses = (await Promise.all(guesses)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([401, 429]));
      const allowed = statuses.filter((status) => status === 401).length;
      expect(allowed).toBeGreaterThanOrEqual(10);
      expect(allowed).toBeLessThanOrEqual(10 + Math.ceil((performance.now() - startMs) / 6_000));
      expect((await guess(otherAddress, clientAddress)).status).toBe(401);
    });

    test('a response is streamed: its start arrives while the server sends the rest', async () => {
      let finish = () => {};
      const upstream = await startUpstream((_request, response) => {
        response.write('x'.repeat(200_000));
        finish = () => response.end('the end');
      });
      const proxy = await startProxyForTest(name, [upstream.address]);
      const { body } = await fetch(`${proxy.address}${paths.listProjects}`);
      const decoder = new TextDecoder();
      let received = '';
      for await (const chunk of body!) {
        received += decoder.decode(chunk);
        finish();
      }
      expect(received).toMatch(/^x{200000}the end$/);
    });

    test('a client that stalls in its request is cut without a 408', async () => {
      const upstream = await startUpstream(answerWhenRead);
      const proxy = await startProxyForTest(name, [upstream.address], shortTimeouts[name]);
      for (const start of [
        `POST ${paths.login} HTTP/1.1\r\nHost: localhost\r\n`,
        `POST ${paths.login} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf`,
      ]) {
        const socket = await openTls(proxy.port);
        let received = '';
        socket.on('data', (chunk) => (received += chunk));
        socket.write(start);
        await once(socket, 'close');
        expect(received).toBe('');
      }
    });

    test('without a server, the response is 503 with a message', async () => {
      const nowhere = `http://127.0.0.1:${await findFreePort()}`;
      const proxy = await startProxyForTest(name, [nowhere]);
      const headers = {
        'retry-after': expect.stringMatching(/^\d+$/),
        'strict-transport-security': 'max-age=31536000',
      };
      const reply = await new CookieClient(proxy.address).createProject();
      expect(reply).toMatchObject({ ...refusal('unavailable'), headers });
    });

    test('a server that is not ready is used if there is no other', async () => {
      let isDraining = false;
      const address = await startServer({ isDraining: () => isDraining });
      const proxy = await startProxyForTest(name, [address]);
      const client = await signedInClient(proxy.address);
      isDraining = true;
      expect((await fetch(`${address}/readyz`)).status).toBe(503);
      // Longer than the interval of the health checks.
      for (let i = 0; i < 100; i += 1) expect((await client.createProject()).status).toBe(201);
    });

    test('a GET without a response is repeated on the next server, a POST is not', async () => {
      const { proxy, broken, working } = await startBrokenAndWorking(name);
      const call = (method: string) =>
        fetch(`${proxy.address}${paths.listProjects}`, { method }).then(
          ({ status }) => status,
          () => 'cut', // by haproxy, on a connection that has carried a request before
        );
      // Two POSTs in turn, because the GET before may lead each first POST to the same server.
      let posts = 0;
      while (posts < 4 || (posts < 50 && broken.count('POST') * broken.count('GET') === 0)) {
        expect(await call('GET')).toBe(200);
        for (const method of ['POST', 'POST']) {
          expect([200, 503, 'cut']).toContain(await call(method));
          posts += 1;
        }
      }
      expect(broken.count('POST') + working.count('POST')).toBe(posts);
      expect(broken.count('POST')).toBeGreaterThan(0);
      expect(broken.count('GET')).toBeGreaterThan(0);
    });

    test('a POST with an Idempotency-Key and without a response is repeated', async () => {
      const { proxy, broken, working } = await startBrokenAndWorking(name);
      const create = () =>
        fetch(`${proxy.address}${paths.listProjects}?x=1`, {
          method: 'POST',
          headers: { 'idempotency-key': 'one key' },
          body: 'a body',
        });
      let creates = 0;
      for (; creates < 50 && broken.count('POST') === 0; creates += 1) {
        const response = await create();
        expect(response.status).toBe(200);
      }
      expect(broken.count('POST')).toBeGreaterThan(0);
      expect(working.count('POST')).toBe(creates);
    });

    test('a rolling restart fails no request', async () => {
      const settings = {
        DIST_DIR: fakeDist(),
        LOG_LEVEL: 'warn',
        ...(await emptyStore('SQLite')),
      };
      const figures = await restartReplicas(settings, name, 1, 4);
      expect(figures).toMatchObject({ 'failed requests': 0, lost: 0 });
    });

    test('one address may make a limited number of requests at once', async () => {
      const upstream = await startUpstream(answerWhenRead);
      const limits = {
        nginx: [['limit_conn tracker 100', 'limit_conn tracker 2']],
        haproxy: [['sc0_conn_cur gt 200', 'sc0_conn_cur gt 2']],
      } satisfies Record<string, Replacements>;
      const proxy = await startProxyForTest(name, [upstream.address], limits[name]);
      const halfRequest = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf';
      const clients = [await openTls(proxy.port), await openTls(proxy.port)];
      for (const client of clients) client.write(halfRequest);
      const outcome = (localAddress: string) =>
        send(proxy.port, { localAddress }).then(
          ({ status, body }) => `${status} ${body}`,
          () => 'cut',
        );
      await expect
        .poll(() => outcome(clientAddress))
        .toBe(
          name === 'haproxy'
            ? 'cut'
            : '429 {"message":"Too many requests at once. Please try again in a moment."}',
        );
      expect(await outcome(otherAddress)).toBe('200 ');
    });
  });
}

const shortTimeouts: Record<ProxyName, Replacements> = {
  nginx: [
    ['client_header_timeout 15s', 'client_header_timeout 1s'],
    ['client_body_timeout 15s', 'client_body_timeout 1s'],
  ],
  haproxy: [['timeout http-request 15s', 'timeout http-request 1s']],
};

/** Starts one server, and the proxy in front of it, for all tests around. */
function shareProxy(name: ProxyName) {
  const address = useReferenceServer(async () => ({ trustedProxies: ['127.0.0.1'] }));
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  beforeAll(async () => {
    proxy = await startProxy(name, [address()]);
    return () => proxy[Symbol.asyncDispose]();
  });
  return () => proxy;
}

export async function startProxyForTest(...args: Parameters<typeof startProxy>) {
  const proxy = await startProxy(...args);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return proxy;
}

export const answerWhenRead: RequestListener = (incoming, response) => {
  incoming.resume().on('end', () => response.end());
};

/** Starts an HTTP server that is ready. `count` returns how many requests of a method it got. */
export async function startUpstream(listener: RequestListener) {
  const methods: (string | undefined)[] = [];
  const server = createServer((incoming, response) => {
    if (incoming.url === '/readyz') return response.end();
    methods.push(incoming.method);
    return listener(incoming, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.close().closeAllConnections());
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: (method: string) => methods.filter((each) => each === method).length,
  };
}

/** Starts a proxy in front of a server that cuts each request, and of one that answers. */
async function startBrokenAndWorking(name: ProxyName) {
  const broken = await startUpstream((incoming, response) => {
    incoming.resume().on('end', () => response.destroy());
  });
  const working = await startUpstream(answerWhenRead);
  const proxy = await startProxyForTest(name, [broken.address, working.address]);
  return { proxy, broken, working };
}

interface SendOptions {
  localAddress: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends a request from a local address, which `fetch` cannot choose. */
async function send(port: number, { body, headers, ...options }: SendOptions) {
  const outgoing = request({
    host: '127.0.0.1',
    servername: 'localhost',
    port,
    method: body ? 'POST' : 'GET',
    agent: false,
    ...options,
    headers: { host: 'localhost', ...headers },
  });
  outgoing.end(body);
  const [response] = await once(outgoing, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode as number, body: text };
}

async function openTls(port: number): Promise<TLSSocket> {
  const connection = connectTcp({ host: '127.0.0.1', port, localAddress: clientAddress });
  const socket = connect({ socket: connection, servername: 'localhost' });
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}
