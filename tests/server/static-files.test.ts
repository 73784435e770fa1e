import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { CookieClient } from '../support/cookie-client.ts';
import { fakeDist, startServer } from './support.ts';

test('the app is served at / and revalidated on every visit', async () => {
  const reply = await (await startClient()).call('GET', '/');
  expect(reply).toMatchObject({ status: 200, body: '<!doctype html>' });
  expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(reply.headers.get('cache-control')).toBe('no-cache');
});

test('assets with a hash in their name are immutable', async () => {
  const reply = await (await startClient()).call('GET', '/assets/index-abc.js');
  expect(reply.headers.get('content-type')).toContain('/javascript');
  expect(reply.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
});

test('pages may run scripts and styles of this origin only, and work without https', async () => {
  const { headers } = await (await startClient()).call('GET', '/');
  const policy = headers.get('content-security-policy');
  expect(policy).toContain("default-src 'self'");
  expect(policy).not.toMatch(/unsafe|upgrade-insecure-requests/);
  expect(headers.get('strict-transport-security')).toBeNull();
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test.each([
  ['gzip, deflate, br, zstd', 'br', '.br'],
  ['gzip', 'gzip', '.gz'],
  ['identity', null, ''],
  ['br;q=0', null, ''],
])('a client that accepts %s gets the matching file', async (accepted, encoding, suffix) => {
  const source = 'const text = "some text";'.repeat(100);
  const dist = createDist(source);
  writeFileSync(join(dist, 'assets/index-abc.js.br'), brotliCompressSync(source));
  writeFileSync(join(dist, 'assets/index-abc.js.gz'), gzipSync(source));
  const client = new CookieClient(await startServer({ dist }));
  const init = { headers: { 'accept-encoding': accepted } };
  const reply = await client.call('GET', '/assets/index-abc.js', init);
  expect(reply).toMatchObject({ status: 200, body: source });
  expect(reply.headers.get('content-encoding')).toBe(encoding);
  expect(reply.headers.get('content-length')).toBe(
    String(statSync(join(dist, `assets/index-abc.js${suffix}`)).size),
  );
  expect(reply.headers.get('vary')).toBe('accept-encoding');
  expect(reply.headers.get('content-type')).toContain('/javascript');
  expect(reply.headers.get('cache-control')).toContain('immutable');
});

test('a browser that has the app gets 304', async () => {
  const client = await startClient();
  const etag = (await client.call('GET', '/')).headers.get('etag') ?? '';
  const again = await client.call('GET', '/', {
    headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' },
  });
  expect(again).toMatchObject({ status: 304, body: '' });
});

test('HEAD gets the response of GET without the body', async () => {
  const client = await startClient();
  for (const path of ['/', '/assets/index-abc.js', '/api/v1/projects']) {
    const [get, head] = [await client.call('GET', path), await client.call('HEAD', path)];
    expect(head).toMatchObject({ status: get.status, body: '' });
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  }
});

test('API responses are not stored by browsers', async () => {
  const reply = await (await startClient()).call('GET', '/api/v1/projects');
  expect(reply.headers.get('cache-control')).toBe('no-store');
});

async function startClient() {
  return new CookieClient(await startServer({ dist: createDist() }));
}

function createDist(source = ''): string {
  const dist = fakeDist();
  mkdirSync(join(dist, 'assets'));
  writeFileSync(join(dist, 'assets/index-abc.js'), source);
  return dist;
}
