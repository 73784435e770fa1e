import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startServer, temporaryFolder, Visitor } from './support.ts';

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
  return new Visitor(await startServer({ dist }));
}
