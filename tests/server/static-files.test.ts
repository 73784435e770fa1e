import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { CookieClient } from '../support/cookie-client.ts';
import { fakeDist, startServer } from './support.ts';

test('the app is served at / and revalidated on every visit', async () => {
  const reply = await (await startClient()).call('GET', '/');
  expect(reply).toMatchObject({ status: 200, body: expect.stringContaining('<!doctype html>') });
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

const browserHeaders = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test.each([
  ['/login', './#/login'],
  ['/login/', '../#/login'],
  ['/login?next=1', './?next=1#/login'],
  ['/projects', './#/projects'],
])('%s is redirected to the screen, in any folder', async (path, location) => {
  const address = await startServer({ dist: createDist() });
  for (const method of ['GET', 'HEAD']) {
    const response = await fetch(address + path, { method, redirect: 'manual' });
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe(location);
  }
});

test.each([
  ['/nothing', './'],
  ['/nothing?at=/all/', './'],
  ['/some/deep/address', '../../'],
  ['/login/nothing', '../'],
  ['/assets/', '../'],
  ['/apis', './'],
  ['/*', './'],
])('a browser at %s gets a page with a link to the start page', async (path, link) => {
  const reply = await (await startClient()).call('GET', path, { headers: browserHeaders });
  expect(reply).toMatchObject({ status: 404, body: `<a href="${link}">Start</a>` });
  expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(reply.headers.get('vary')).toBe('accept');
  expect(reply.headers.get('content-security-policy')).toContain("default-src 'self'");
  expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
});

test('a browser at an address that cannot be decoded gets the page', async () => {
  const reply = await (await startClient()).call('GET', '/%E0%A4%A', { headers: browserHeaders });
  expect(reply).toMatchObject({ status: 400, body: '<a href="./">Start</a>' });
  expect(reply.headers.get('content-security-policy')).toContain("default-src 'self'");
});

test.each([
  ['/nothing', {}],
  ['/nothing', { accept: 'application/json' }],
  ['/nothing', { accept: '*/*' }],
  ['/api', browserHeaders],
  ['/api?x', browserHeaders],
  ['/api/v1/nothing', browserHeaders],
])('%s with %o gets JSON', async (path, headers) => {
  const reply = await (await startClient()).call('GET', path, { headers });
  expect(reply).toMatchObject({
    status: 404,
    body: { message: 'There is nothing at this address.' },
  });
});

test('a browser gets JSON if the build has no page for unknown addresses', async () => {
  const client = new CookieClient(await startServer({ dist: fakeDist() }));
  const reply = await client.call('GET', '/nothing', { headers: browserHeaders });
  expect(reply).toMatchObject({ status: 404, body: { message: expect.any(String) } });
});

async function startClient() {
  return new CookieClient(await startServer({ dist: createDist() }));
}

function createDist(source = ''): string {
  const dist = fakeDist();
  const templates = ['/', '/login', '/projects', '/*', 'row'];
  writeFileSync(
    join(dist, 'index.html'),
    `<!doctype html>${templates.map((name) => `<template id="template:${name}"></template>`).join('')}`,
  );
  writeFileSync(join(dist, '404.html'), '<a href="./">Start</a>');
  mkdirSync(join(dist, 'assets'));
  writeFileSync(join(dist, 'assets/index-abc.js'), source);
  return dist;
}
