import { describe, expect, test } from 'vitest';
import { CookieClient, signedInClient } from '../support/cookie-client.ts';
import { refusal, startServer } from './support.ts';

const forged = refusal('xsrfTokenMismatch');

describe('a browser without cookies', () => {
  test.each([
    ['a page of the app', { 'sec-fetch-site': 'same-origin' }],
    ['a typed URL', { 'sec-fetch-site': 'none' }],
    [
      'a development server that proxies calls',
      { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:5173' },
    ],
    ['a client that is not a browser', {}],
  ])('may register and sign in from %s', async (_case, headers) => {
    const client = new CookieClient(await startServer());
    expect((await client.register(undefined, { headers })).status).toBe(201);
    expect((await client.login(undefined, { headers })).status).toBe(200);
  });

  test('may sign in if it sends only Origin', async () => {
    const address = await startServer();
    const client = new CookieClient(address);
    await client.register(undefined, { headers: { origin: address } });
    expect((await client.login(undefined, { headers: { origin: address } })).status).toBe(200);
  });

  test('may register through a proxy that sets X-Forwarded-Host', async () => {
    const headers = { origin: 'https://tracker.example', 'x-forwarded-host': 'tracker.example' };
    const client = new CookieClient(await startServer());
    expect((await client.register(undefined, { headers })).status).toBe(201);
  });

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['another port of this machine', { 'sec-fetch-site': 'same-site' }],
    ['a sandboxed frame', { origin: 'null' }],
    ['a page without a referrer', { 'sec-fetch-site': 'none', origin: 'null' }],
    ['another site in an old browser', { origin: 'https://evil.example' }],
    ['an invalid origin', { origin: 'evil' }],
  ])('is refused from %s', async (_case, headers) => {
    const client = new CookieClient(await startServer());
    await client.register();
    expect(await client.login(undefined, { headers })).toMatchObject(forged);
    expect(await client.register(undefined, { headers })).toMatchObject(forged);
    expect(client.cookies.size).toBe(0);
  });
});

describe('a browser with a session', () => {
  test('creates nothing without the XSRF token of that session', async () => {
    const address = await startServer();
    const [client, other] = [await signedInClient(address), await signedInClient(address)];
    for (const token of ['', 'invented', other.cookies.get('XSRF-TOKEN')!]) {
      const reply = await client.createProject(undefined, { headers: { 'x-xsrf-token': token } });
      expect(reply).toMatchObject(forged);
    }
    expect((await client.listProjects()).body).toEqual([]);
  });

  test('cannot be signed in to another account without the token', async () => {
    const address = await startServer();
    const [victim, attacker] = [await signedInClient(address), await signedInClient(address)];
    const headers = { 'x-xsrf-token': '' };
    expect(await victim.login(attacker.credentials, { headers })).toMatchObject(forged);
  });

  test('is refused from another site, even with the token', async () => {
    const client = await signedInClient(await startServer());
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect(await client.createProject(undefined, { headers })).toMatchObject(forged);
  });

  test('gets a lost token again, so that a retry works', async () => {
    const client = await signedInClient(await startServer());
    client.cookies.delete('XSRF-TOKEN');
    expect(await client.createProject()).toMatchObject(forged);
    expect((await client.createProject()).status).toBe(201);
    client.cookies.set('XSRF-TOKEN', 'stale');
    await client.listProjects();
    expect((await client.createProject()).status).toBe(201);
  });
});

test('a browser with cookies of a deleted session may sign in', async () => {
  const client = new CookieClient(await startServer());
  await client.register();
  client.cookies.set('session', 'deleted').set('XSRF-TOKEN', 'deleted');
  expect((await client.login()).status).toBe(200);
  expect((await client.createProject()).status).toBe(201);
});
