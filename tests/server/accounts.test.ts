import { describe, expect, test } from 'vitest';
import { createPasswords } from '../../server/auth/passwords.ts';
import { sessionLifetimeSeconds } from '../../server/auth/sessions.ts';
import { CookieClient, signedInClient } from '../support/cookie-client.ts';
import { freshDatabase, refusal, startServer, storeNames } from './support.ts';

const password = 'correct horse';

describe.each(storeNames)('accounts on %s', (name) => {
  test('[CHOICE-46] a new person registers, signs in, and sees an empty list', async () => {
    const visitor = new CookieClient(await start());
    expect(await visitor.register()).toMatchObject({ status: 201, body: { role: 'member' } });
    expect(await visitor.login()).toMatchObject({ status: 200, body: {} });
    expect(await visitor.listProjects()).toMatchObject({ status: 200, body: [] });
  });

  test('registering does not sign in', async () => {
    const visitor = new CookieClient(await start());
    await visitor.register();
    expect(visitor.cookies.size).toBe(0);
    expect((await visitor.listProjects()).status).toBe(401);
  });

  test('an email has one account, however it is spelt', async () => {
    const visitor = new CookieClient(await start());
    await visitor.register({ email: 'Ada@Example.org', password });
    expect(await visitor.register({ email: 'ada@example.ORG', password })).toMatchObject(
      refusal('emailTaken'),
    );
    expect((await visitor.login({ email: 'ADA@example.org', password })).status).toBe(200);
  });

  test('fifty registrations of one email at once make one account', async () => {
    const address = await start();
    const credentials = { email: 'ada@example.org', password };
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => new CookieClient(address).register(credentials)),
    );
    const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([201, ...Array.from({ length: 49 }, () => 409)]);
  });

  test('a wrong password and an unknown email get the same answer', async () => {
    const visitor = new CookieClient(await start());
    await visitor.register();
    const wrong = await visitor.login({ ...visitor.credentials, password: 'wrong horse' });
    expect(wrong).toMatchObject(refusal('wrongCredentials'));
    const unknown = await visitor.login({ email: 'nobody@example.org', password });
    expect(unknown).toMatchObject({ status: wrong.status, body: wrong.body });
  });

  test('a password is taken as typed: no trimming, any character, up to 128 of them', async () => {
    const visitor = new CookieClient(await start());
    for (const [i, odd] of [
      '  spaces  ',
      '🐎'.repeat(128),
      'nul\u0000 and é',
      'ÄÖÜ ß 漢字',
    ].entries()) {
      const credentials = { email: `ada${i}@example.org`, password: odd };
      expect((await visitor.register(credentials)).status).toBe(201);
      expect((await visitor.login({ ...credentials, password: odd.trim() + ' ' })).status).not.toBe(
        200,
      );
      expect((await visitor.login(credentials)).status).toBe(200);
    }
  });

  test('a session lasts thirty days', async () => {
    let time = Date.UTC(2030, 0, 1);
    const visitor = await signedInClient(await start({ now: () => time }));
    time += sessionLifetimeSeconds * 1000 - 1;
    expect((await visitor.listProjects()).status).toBe(200);
    time += 1;
    expect(await visitor.listProjects()).toMatchObject(refusal('notSignedIn'));
    expect((await visitor.login()).status).toBe(200);
    expect((await visitor.listProjects()).status).toBe(200);
  });

  test('sessions that ended are gone from the store when somebody signs in', async () => {
    const database = (await freshDatabase(name))();
    let time = Date.UTC(2030, 0, 1);
    const visitor = await signedInClient(await startServer({ database, now: () => time }));
    await new CookieClient(visitor.address).login(visitor.credentials);
    const kept = () => database.query<{ hash: string }>('select token_hash as hash from sessions');
    const ended = await kept();
    expect(ended).toHaveLength(2);
    time += sessionLifetimeSeconds * 1000;
    await new CookieClient(visitor.address).login(visitor.credentials);
    const [session, ...others] = await kept();
    expect(others).toEqual([]);
    expect(ended).not.toContainEqual(session);
  });

  test('signing in again ends the session that the browser had, and no other', async () => {
    const address = await start();
    const visitor = await signedInClient(address);
    const elsewhere = new CookieClient(address);
    await elsewhere.login(visitor.credentials);
    const stolen = new CookieClient(address);
    for (const [cookie, value] of visitor.cookies) stolen.cookies.set(cookie, value);

    await visitor.login();
    expect((await visitor.listProjects()).status).toBe(200);
    expect((await elsewhere.listProjects()).status).toBe(200);
    expect((await stolen.listProjects()).status).toBe(401);
  });

  test('the session cookie is out of reach for scripts and other sites, and not in the store', async () => {
    const open = await freshDatabase(name);
    const database = open();
    const visitor = new CookieClient(await startServer({ database, passwords: createPasswords() }));
    await visitor.register();
    const reply = await visitor.login();
    const [session, xsrf] = reply.headers.getSetCookie();
    expect(session).toMatch(
      /^session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(xsrf).toMatch(/^XSRF-TOKEN=[\w-]{43}; Max-Age=2592000; Path=\/; SameSite=Lax$/);
    const kept = JSON.stringify(await database.query('select * from sessions'));
    expect(kept).not.toContain(visitor.cookies.get('session'));
    expect(JSON.stringify(await database.query('select * from accounts'))).not.toContain(password);
  });

  test.each(['https', 'https, http'])('behind %s the cookies are for https only', async (proto) => {
    const visitor = new CookieClient(await start());
    await visitor.register();
    const headers = { 'x-forwarded-proto': proto };
    const reply = await visitor.login(visitor.credentials, { headers });
    expect(reply.headers.getSetCookie()).toEqual([
      expect.stringContaining('; Secure'),
      expect.stringContaining('; Secure'),
    ]);
  });

  async function start(options = {}) {
    const database = (await freshDatabase(name))();
    return startServer({ passwords: createPasswords(), ...options, database });
  }
});
