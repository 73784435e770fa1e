import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { CookieClient } from '../support/cookie-client.ts';
import { startServer, temporaryFolder } from './support.ts';

test('the app is served at the address itself, and looked at afresh on every visit', async () => {
  const reply = await (await visitor()).call('GET', '/');
  expect(reply).toMatchObject({ status: 200, body: '<!doctype html>' });
  expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(reply.headers.get('cache-control')).toBe('no-cache');
});

test('assets with a hash in their name are kept by browsers for good', async () => {
  const reply = await (await visitor()).call('GET', '/assets/index-abc.js');
  expect(reply.headers.get('content-type')).toContain('/javascript');
  expect(reply.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
});

test('pages may run scripts and styles of this address only, and work without https', async () => {
  const { headers } = await (await visitor()).call('GET', '/');
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
])('who accepts %s gets what the build made for it', async (accepted, encoding, suffix) => {
  const dist = temporaryFolder();
  mkdirSync(join(dist, 'assets'));
  const text = 'const text = "some text";'.repeat(100);
  writeFileSync(join(dist, 'assets/index-abc.js'), text);
  writeFileSync(join(dist, 'assets/index-abc.js.br'), brotliCompressSync(text));
  writeFileSync(join(dist, 'assets/index-abc.js.gz'), gzipSync(text));
  const someone = new CookieClient(await startServer({ dist }));
  const init = { headers: { 'accept-encoding': accepted } };
  const reply = await someone.call('GET', '/assets/index-abc.js', init);
  expect(reply).toMatchObject({ status: 200, body: text });
  expect(reply.headers.get('content-encoding')).toBe(encoding);
  expect(reply.headers.get('content-length')).toBe(
    String(statSync(join(dist, `assets/index-abc.js${suffix}`)).size),
  );
  expect(reply.headers.get('vary')).toBe('accept-encoding');
  expect(reply.headers.get('content-type')).toContain('/javascript');
  expect(reply.headers.get('cache-control')).toContain('immutable');
});

test('the app is not sent again to a browser that has it', async () => {
  const someone = await visitor();
  const etag = (await someone.call('GET', '/')).headers.get('etag') ?? '';
  const again = await someone.call('GET', '/', {
    headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' },
  });
  expect(again).toMatchObject({ status: 304, body: '' });
});

test('HEAD is answered like GET, without the body', async () => {
  const someone = await visitor();
  for (const path of ['/', '/assets/index-abc.js', '/api/v1/projects']) {
    const [get, head] = [await someone.call('GET', path), await someone.call('HEAD', path)];
    expect(head).toMatchObject({ status: get.status, body: '' });
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  }
});

test('answers of the API are kept by nobody', async () => {
  const reply = await (await visitor()).call('GET', '/api/v1/projects');
  expect(reply.headers.get('cache-control')).toBe('no-store');
});

async function visitor() {
  const dist = temporaryFolder();
  writeFileSync(join(dist, 'index.html'), '<!doctype html>');
  mkdirSync(join(dist, 'assets'));
  writeFileSync(join(dist, 'assets/index-abc.js'), '');
  return new CookieClient(await startServer({ dist }));
}
