import { describe, expect, onTestFinished, test } from 'vitest';
import { bodyFields } from '../../../generated/operations.ts';
import { canonicalEmail } from '../../auth/emails.ts';
import { StoreUnavailable } from '../../store/database.ts';
import { openStore } from '../../store/store.ts';
import { CookieClient, signedInClient } from '../../../testing/cookie-client.ts';
import { withClock } from '../../../testing/database.ts';
import {
  copyClient,
  freshDatabase,
  refusal,
  startServer,
  storeNames,
  useReferenceServer,
} from '../../../testing/server-fixtures.ts';
import { startWithProjects } from '../lists.ts';

const password = 'correct horse';
const { minLength, maxLength } = bodyFields.registerUser.password;

describe.each(storeNames)('accounts on %s', (name) => {
  // A clock that stands still, because the server allows a further attempt each six seconds.
  const address = useReferenceServer(async () => ({
    database: (await freshDatabase(name))(),
    now: () => Date.UTC(2030, 0, 1),
  }));

  test('a new user registers, signs in and gets an empty list [CHOICE-46]', async () => {
    const client = new CookieClient(address());
    expect(await client.register()).toMatchObject({ status: 201, body: { role: 'member' } });
    expect(client.cookies.size).toBe(0);
    expect(await client.listProjects()).toMatchObject(refusal('notSignedIn'));
    expect(await client.createProject()).toMatchObject(refusal('notSignedIn'));
    expect(await client.login()).toMatchObject({ status: 200, body: {} });
    const headers = { 'cache-control': 'no-store', vary: 'accept-encoding' };
    expect(await client.listProjects()).toMatchObject({ status: 200, headers, body: [] });
  });

  test.each([
    ['Ada@Example.org', 'ada@example.ORG', 'ADA@example.org'],
    ['Root@localhost', 'root@LOCALHOST', 'root@localhost'],
    ['ada@münchen.example', 'ada@XN--MNCHEN-3ya.example', 'ADA@MU\u0308NCHEN。example'],
  ])('an email has one account, however it is typed: %s [CHOICE-45]', async (...emails) => {
    const client = new CookieClient(address());
    const [first, second, third] = emails.map((email) => ({ email, password }));
    expect((await client.register(first)).status).toBe(201);
    expect(await client.register(second)).toMatchObject(refusal('emailTaken'));
    const wrong = { ...second, password: 'wrong horse' };
    for (let i = 0; i < 10; i += 1) await new CookieClient(address()).login(wrong);
    // Attempts are counted for the account.
    expect((await client.login(third)).status).toBe(429);
  });

  test('a password is not trimmed and may contain any characters, up to its maximum', async () => {
    const client = new CookieClient(address());
    for (const [i, unusual] of [
      '  spaces  ',
      '🐎'.repeat(maxLength),
      'nul\u0000 and é',
      'ÄÖÜ ß 漢字',
    ].entries()) {
      const credentials = { email: `ada${i}@example.org`, password: unusual };
      const trimmed = { ...credentials, password: unusual.trim() + ' ' };
      expect((await client.register(credentials)).status).toBe(201);
      expect((await client.login(trimmed)).status).not.toBe(200);
      expect((await client.login(credentials)).status).toBe(200);
    }
  });

  test('a password is long enough in the form with the fewest characters', async () => {
    const client = new CookieClient(address());
    const [short, long] = [minLength - 1, minLength].map((length) =>
      'é'.repeat(length).normalize('NFD'),
    );
    const tooShort = { email: 'short@example.org', password: short };
    expect(await client.register(tooShort)).toMatchObject(refusal('passwordTooShort'));
    const email = 'long@example.org';
    expect((await client.register({ email, password: long })).status).toBe(201);
    expect((await client.login({ email, password: 'é'.repeat(minLength) })).status).toBe(200);
  });

  test('a session lasts thirty days', async () => {
    let time = Date.UTC(2030, 0, 1);
    const client = await signedInClient(
      await startServer({ database: (await freshDatabase(name))(), now: () => time }),
    );
    time += 30 * 24 * 3_600_000 - 1;
    expect((await client.listProjects()).status).toBe(200);
    time += 1;
    expect(await client.listProjects()).toMatchObject(refusal('notSignedIn'));
    expect((await client.login()).status).toBe(200);
    expect((await client.listProjects()).status).toBe(200);
  });

  test('a network is known for thirty days, also by a clock that was corrected', async () => {
    let time = 0;
    const store = await openStore(withClock((await freshDatabase(name))(), () => time));
    onTestFinished(() => store.close());
    const email = canonicalEmail('ada@example.org');
    await store.createAccount({ id: '1', email, passwordHash: '', role: 'member' });
    await store.rememberNetwork('1', '192.0.2.1');
    const limit = 30 * 24 * 3_600_000;
    for (time of [limit - 1, limit, 1 - limit, -limit])
      expect(await store.findAccount(email, '192.0.2.1')).toMatchObject({
        isKnown: Math.abs(time) < limit,
      });
  });

  test('signing in ends the previous session of the browser, also of another user', async () => {
    const client = await signedInClient(address());
    const otherBrowser = new CookieClient(address());
    await otherBrowser.login(client.credentials);
    const { credentials } = await signedInClient(address());

    for (const next of [client.credentials, credentials]) {
      const thief = copyClient(client);
      await client.login(next);
      expect((await client.listProjects()).status).toBe(200);
      expect((await otherBrowser.listProjects()).status).toBe(200);
      expect((await thief.listProjects()).status).toBe(401);
    }
  });

  test('a sign-in that cannot end the session before is refused', async () => {
    const { client, queries } = await startWithProjects(name);
    queries.before = async (sql) => {
      if (sql.startsWith('delete from sessions')) throw new StoreUnavailable('The test broke it.');
    };
    expect(await client.login()).toMatchObject(refusal('unavailable'));
  });

  test('the store has neither the token of a session nor a password', async () => {
    const database = (await freshDatabase(name))();
    const client = await signedInClient(await startServer({ database }));
    const sessions = JSON.stringify(await database.query('select * from sessions'));
    expect(sessions).not.toContain(client.cookies.get('tracker-session'));
    expect(JSON.stringify(await database.query('select * from accounts'))).not.toContain(password);
  });
});
