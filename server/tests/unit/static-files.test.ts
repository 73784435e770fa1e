import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { paths } from '../../../testing/contract.ts';
import { CookieClient } from '../../../testing/cookie-client.ts';
import { fragments } from '../../../testing/fragments.ts';
import { routeOf } from '../../../shared/routes.ts';
import { fakeDist, startServer, useReferenceServer } from '../../../testing/server-fixtures.ts';

const browserHeaders = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const [script, style] = ['theme()', 'body{margin:0}'];
const address = useReferenceServer(async () => ({ dist: createDist() }));
const client = () => new CookieClient(address());

test('the app is served at / and revalidated on every visit', async () => {
  const reply = await client().call('GET', '/');
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' };
  const body = expect.stringContaining('<!doctype html>');
  expect(reply).toMatchObject({ status: 200, headers, body });
});

const sha256 = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`;
/** The app works without https: no `upgrade-insecure-requests`, no Strict-Transport-Security. */
const securityHeaders = {
  'content-security-policy':
    `default-src 'self';script-src 'self' ${sha256(script)};style-src 'self' ${sha256(style)};` +
    "img-src 'self' data:;object-src 'none';base-uri 'none';form-action 'none';" +
    "frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'same-origin',
  'strict-transport-security': undefined,
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-powered-by': undefined,
  'x-xss-protection': '0',
};

test.each([
  ['a page', '/', 200],
  ['an asset', '/assets/index-abc.js', 200],
  ['an unknown address', '/nothing', 404],
  ['an address that cannot be decoded', '/%E0%A4%A', 400],
  ['a refusal', paths.listProjects, 401],
])('%s has the security headers', async (_case, path, status) => {
  const reply = await client().call('GET', path, { headers: browserHeaders });
  expect(reply.status).toBe(status);
  const names = Object.keys(securityHeaders);
  const sent = Object.fromEntries(names.map((name) => [name, reply.headers[name]]));
  expect(sent).toEqual(securityHeaders);
});

test('a client gets the file in a coding that it accepts, each with an ETag of its own', async () => {
  const source = 'const text = "some text";'.repeat(100);
  const dist = createDist(source);
  const path = '/assets/index-abc.js';
  writeFileSync(join(dist, `${path}.br`), brotliCompressSync(source));
  writeFileSync(join(dist, `${path}.gz`), gzipSync(source));
  const other = new CookieClient(await startServer({ dist }));
  const etags = new Set<string | undefined>();
  for (const [accepted, encoding, suffix] of [
    ['gzip, deflate, br, zstd', 'br', '.br'],
    ['gzip', 'gzip', '.gz'],
    ['identity', undefined, ''],
    ['br;q=0', undefined, ''],
  ] as const) {
    const reply = await other.call('GET', path, { headers: { 'accept-encoding': accepted } });
    const headers = { 'content-encoding': undefined, ...reply.headers };
    expect({ ...reply, accepted, headers }).toMatchObject({
      accepted,
      status: 200,
      headers: {
        'content-encoding': encoding,
        'content-length': String(statSync(join(dist, path + suffix)).size),
        vary: 'accept-encoding',
        'content-type': expect.stringContaining('/javascript'),
        'cache-control': expect.stringContaining('immutable'),
      },
      body: source,
    });
    etags.add(reply.headers['etag']);
  }
  expect(etags.size).toBe(3);
});

test('a browser that has the app gets 304', async () => {
  const etag = (await client().call('GET', '/')).headers['etag'] ?? '';
  const headers = { 'if-none-match': etag, 'cache-control': 'max-age=0' };
  expect(await client().call('GET', '/', { headers })).toMatchObject({ status: 304, body: '' });
});

test('a new page of the same length and time is sent to a browser with the ETag', async () => {
  const dist = createDist();
  const page = join(dist, 'index.html');
  const load = async (text: string, headers: Record<string, string> = {}) => {
    writeFileSync(page, text);
    utimesSync(page, 0, 0);
    return new CookieClient(await startServer({ dist })).call('GET', '/', { headers });
  };
  const { headers } = await load('<p>old</p>');
  expect(headers).not.toHaveProperty('last-modified');
  const condition = { 'if-none-match': `"a", W/${headers['etag']}` };
  expect((await load('<p>old</p>', condition)).status).toBe(304);
  expect(await load('<p>new</p>', condition)).toMatchObject({ status: 200, body: '<p>new</p>' });
});

test.each([
  ['/', 200, 'no-cache'],
  ['/assets/index-abc.js', 200, 'public, max-age=31536000, immutable'],
  ['/%61ssets/index-abc.js', 200, 'public, max-age=31536000, immutable'],
  ['/assets/gone.js', 404, 'no-store'],
  ['/assets/../assets/gone.js?1', 404, 'no-store'],
  ['/.hidden', 404, 'no-store'],
  ['/%E0%A4%A', 400, 'no-store'],
  ['/login', 302, 'no-store'],
  [paths.login, 405, 'no-store'],
])('%s is answered %d with cache-control: %s', async (path, status, cacheControl) => {
  for (const accept of ['*/*', 'text/html']) {
    const init = { redirect: 'manual', headers: { accept } } as const;
    const reply = await client().call('GET', path, init);
    expect(reply).toMatchObject({ status, headers: { 'cache-control': cacheControl } });
  }
});

test('a running server keeps its version while the files are replaced', async () => {
  const dist = createDist('old');
  const other = new CookieClient(await startServer({ dist }));
  const load = async () =>
    Promise.all(
      ['/', '/assets/index-abc.js'].map(async (path) => (await other.call('GET', path)).body),
    );
  const before = await load();
  rmSync(dist, { recursive: true });
  expect(await load()).toEqual(before);
});

test('HEAD gets the response of GET without the body', async () => {
  for (const path of ['/', '/assets/index-abc.js', paths.listProjects]) {
    const [get, head] = [await client().call('GET', path), await client().call('HEAD', path)];
    const headers = { 'content-length': get.headers['content-length'] };
    expect(head).toMatchObject({ status: get.status, headers, body: '' });
  }
});

test.each([
  ['/login', './#/login'],
  ['/login/', '../#/login'],
  ['/login?next=1', './?next=1#/login'],
  ['//login', '../#/login'],
  ['/%23/login', '../#/login'],
  ['/%23login', './#/login'],
  ['/%23%2Flogin', './#/login'],
  ['/%23/login%3Fnext=1', '../#/login'],
  ['/index.html/', '../#/'],
  ['/INDEX.HTML', './#/'],
  ['/%23/', '../#/'],
  ['/)', './#/'],
  ['/login%22,?next=1', './?next=1#/login'],
])('%s is redirected to the screen, in any folder', async (path, location) => {
  for (const method of ['GET', 'HEAD']) {
    const reply = await client().call(method, path, { redirect: 'manual' });
    expect(reply).toMatchObject({ status: 302, headers: { location } });
  }
});

test.each(Object.entries(fragments).filter(([fragment]) => /^\/./.test(fragment)))(
  'the path %s leads to the screen that the app shows at this fragment [CHOICE-104]',
  async (fragment, route) => {
    const [path = '', query = ''] = fragment.split(/[#?]/);
    // As a browser or a mail program sends it.
    for (const start of route ? ['', '/%23'] : ['']) {
      const url = `${start}${path.replaceAll(/[^!-~]|[<>"]/g, encodeURIComponent)}?${query}`;
      const location = await redirectOf(url);
      const shown = location && routeOf(location.replace(/^.*#/, ''));
      expect([url, shown]).toEqual([url, route]);
    }
  },
);

/** Sends a path as it is, which `fetch` would not. */
async function redirectOf(path: string): Promise<string | undefined> {
  const { hostname, port } = new URL(address());
  const request = http.get({ hostname, port, path });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return response.headers.location;
}

test.each([
  ['//evil.example/login', 404],
  ['/\\evil.example', 404],
  ['/%5Cevil.example/%23/login', 404],
  ['/api/v1/LOGIN', 404],
  ['/api/v1/projects.', 404],
  ['/.hidden.', 404],
  // Nothing changes a password, so a password manager may not say that a page does.
  ['/.well-known/change-password', 404],
  ['/.well-known/security.txt', 200],
  ['/index.html', 200],
  ['/assets/index-abc.js', 200],
])('GET %s is not redirected, but answered %d', async (path, status) => {
  expect([await redirectOf(path), (await client().call('GET', path)).status]).toEqual([
    undefined,
    status,
  ]);
});

test.each([
  ['/nothing', './', 404],
  ['/some/deep/address', '../../', 404],
  ['/login/nothing', '../', 404],
  ['/apis', './', 404],
  ['/%E0%A4%A', './', 400],
])('a browser at %s gets a page with a link to the start page', async (path, link, status) => {
  const reply = await client().call('GET', path, { headers: browserHeaders });
  const headers = { 'content-type': 'text/html; charset=utf-8', vary: 'accept' };
  expect(reply).toMatchObject({ status, headers, body: `<a href="${link}">Start</a>` });
});

test.each([
  ['/nothing', {}],
  ['/nothing', { accept: 'application/json' }],
  ['/api', browserHeaders],
  ['/api/v1/nothing', browserHeaders],
])('%s with %o gets JSON', async (path, headers) => {
  const reply = await client().call('GET', path, { headers });
  const body = { message: 'There is nothing at this address.' };
  expect(reply).toMatchObject({ status: 404, body });
});

test('a browser gets JSON if the build has no page for unknown addresses', async () => {
  const other = new CookieClient(await startServer({ dist: fakeDist() }));
  const reply = await other.call('GET', '/nothing', { headers: browserHeaders });
  expect(reply).toMatchObject({ status: 404, body: { message: expect.any(String) } });
});

function createDist(source = ''): string {
  const dist = fakeDist();
  writeFileSync(
    join(dist, 'index.html'),
    `<!doctype html><script>${script}</script><style>${style}</style>`,
  );
  writeFileSync(join(dist, '404.html'), '<a href="./">Start</a>');
  writeFileSync(join(dist, '.hidden'), '');
  mkdirSync(join(dist, '.well-known'));
  writeFileSync(join(dist, '.well-known/security.txt'), '');
  mkdirSync(join(dist, 'assets'));
  writeFileSync(join(dist, 'assets/index-abc.js'), source);
  return dist;
}

test.each(['/sw.js', '/service-worker.js', '/a/b/worker?v=1', '/assets/index-abc.js'])(
  'a service worker of another app that ran here is replaced at %s by one that removes itself',
  async (path) => {
    const reply = await client().call('GET', path, { headers: { 'service-worker': 'script' } });
    const type = expect.stringMatching(/^text\/javascript/);
    const headers = { 'cache-control': 'no-store', 'content-type': type };
    const body = expect.stringContaining('registration.unregister()');
    expect(reply).toMatchObject({ status: 200, headers, body });
  },
);
