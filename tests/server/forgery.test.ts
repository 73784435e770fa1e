import { describe, expect, test } from 'vitest';
import { CookieClient, signedInClient } from '../support/cookie-client.ts';
import { refusal, startServer } from './support.ts';

const forged = refusal('xsrfTokenMismatch');

describe('a browser that comes for the first time', () => {
  test.each([
    ['our own page', { 'sec-fetch-site': 'same-origin' }],
    ['an address typed by hand', { 'sec-fetch-site': 'none' }],
    ['a development server that passes calls on', fromDevelopmentServer()],
    ['a program that is no browser', {}],
  ])('may register and sign in from %s', async (_where, headers) => {
    const visitor = new CookieClient(await startServer());
    expect((await visitor.register(undefined, { headers })).status).toBe(201);
    expect((await visitor.login(undefined, { headers })).status).toBe(200);
  });

  test('may sign in from our page in a browser that only sends Origin', async () => {
    const address = await startServer();
    const visitor = new CookieClient(address);
    await visitor.register(undefined, { headers: { origin: address } });
    expect((await visitor.login(undefined, { headers: { origin: address } })).status).toBe(200);
  });

  test('may sign in through a proxy that changes Host and says so', async () => {
    const headers = { origin: 'https://tracker.example', 'x-forwarded-host': 'tracker.example' };
    const visitor = new CookieClient(await startServer());
    expect((await visitor.register(undefined, { headers })).status).toBe(201);
  });

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['another port of this machine', { 'sec-fetch-site': 'same-site' }],
    ['a sandboxed frame', { origin: 'null' }],
    ['a page that hides where it is', { 'sec-fetch-site': 'none', origin: 'null' }],
    ['another site in an old browser', { origin: 'https://evil.example' }],
    ['an unreadable origin', { origin: 'evil' }],
  ])('is refused from %s', async (_where, headers) => {
    const visitor = new CookieClient(await startServer());
    await visitor.register();
    expect(await visitor.login(undefined, { headers })).toMatchObject(forged);
    expect(await visitor.register(undefined, { headers })).toMatchObject(forged);
    expect(visitor.cookies.size).toBe(0);
  });
});

describe('a browser with a session', () => {
  test('creates nothing without the token of that session', async () => {
    const address = await startServer();
    const [visitor, other] = [await signedInClient(address), await signedInClient(address)];
    for (const token of ['', 'made up', other.cookies.get('XSRF-TOKEN')!]) {
      const reply = await visitor.createProject(undefined, { headers: { 'x-xsrf-token': token } });
      expect(reply).toMatchObject(forged);
    }
    expect((await visitor.listProjects()).body).toEqual([]);
  });

  test('cannot be made to sign in as somebody else', async () => {
    const address = await startServer();
    const [victim, attacker] = [await signedInClient(address), await signedInClient(address)];
    const headers = { 'x-xsrf-token': '' };
    expect(await victim.login(attacker.credentials, { headers })).toMatchObject(forged);
  });

  test('is refused from another site, with the token too', async () => {
    const visitor = await signedInClient(await startServer());
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect(await visitor.createProject(undefined, { headers })).toMatchObject(forged);
  });

  test('that lost the token gets it again, so that trying again works', async () => {
    const visitor = await signedInClient(await startServer());
    visitor.cookies.delete('XSRF-TOKEN');
    expect(await visitor.createProject()).toMatchObject(forged);
    expect((await visitor.createProject()).status).toBe(201);
    visitor.cookies.set('XSRF-TOKEN', 'stale');
    await visitor.listProjects();
    expect((await visitor.createProject()).status).toBe(201);
  });
});

test('a browser with cookies of a session that is gone may sign in', async () => {
  const visitor = new CookieClient(await startServer());
  await visitor.register();
  visitor.cookies.set('session', 'gone').set('XSRF-TOKEN', 'gone');
  expect((await visitor.login()).status).toBe(200);
  expect((await visitor.createProject()).status).toBe(201);
});

function fromDevelopmentServer() {
  return { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:5173' };
}
