import { describe, expect, test } from 'vitest';
import { createPasswords } from '../../auth/passwords.ts';
import type { Database } from '../../store/database.ts';
import { CookieClient, type Reply } from '../../../testing/cookie-client.ts';
import { cheapestCost } from '../../../testing/reference-server.ts';
import { openDatabase } from '../../../testing/database.ts';
import {
  beginTransaction,
  emptyStore,
  freshDatabase,
  refusal,
  startServer,
  storeNames,
} from '../../../testing/server-fixtures.ts';

const tooMany = refusal('tooManyAttempts');
const wrongCredentials = refusal('wrongCredentials');
const minuteMs = 60_000;

describe.each(storeNames)('throttling on %s', (name) => {
  test('after ten wrong passwords, attempts are refused without hashing', async () => {
    const { hashes, guess, signIn } = await start();
    for (let i = 0; i < 10; i += 1) expect(await guess()).toMatchObject(wrongCredentials);
    for (const reply of [await guess(), await signIn()])
      expect(reply).toMatchObject({ ...tooMany, headers: { 'retry-after': '6' } });
    expect(hashes.count).toBe(10);
  });

  test('a user who waits for Retry-After signs in, which resets the count', async () => {
    const { guess, signIn, wait } = await start();
    for (let i = 0; i < 10; i += 1) await guess();
    wait(5999);
    expect(await signIn()).toMatchObject({ ...tooMany, headers: { 'retry-after': '1' } });
    wait(1000);
    expect((await signIn()).status).toBe(200);
    for (let i = 0; i < 10; i += 1) expect(await guess()).toMatchObject(wrongCredentials);
    expect(await guess()).toMatchObject(tooMany);
  });

  test('the wait doubles up to thirteen minutes while the guesses continue', async () => {
    const { guess, wait } = await start();
    const waits: number[] = [];
    while (waits.length < 90) {
      const reply = await guess();
      if (reply.status !== 429) continue;
      waits.push(Number(reply.headers['retry-after']));
      wait(waits.at(-1)! * 1000);
    }
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect([...new Set(waits)]).toEqual([6, 12, 24, 48, 96, 192, 384, 768]);
  });

  test('an email without an account is hashed and throttled like one with an account', async () => {
    const { guess, hashes } = await start();
    const replies: Reply[] = [];
    for (let i = 0; i < 12; i += 1) {
      replies.push(await guess(), await guess({ email: 'unknown@example.org' }));
    }
    for (let i = 0; i < replies.length; i += 2) {
      const [known, unknown] = replies.slice(i, i + 2) as [Reply, Reply];
      expect({ status: unknown.status, body: unknown.body }).toEqual({
        status: known.status,
        body: known.body,
      });
    }
    expect(replies.at(-1)).toMatchObject(tooMany);
    expect(hashes.count).toBe(20);
    const from = '203.0.113.9';
    const elsewhere = [await guess({ from }), await guess({ from, email: 'unknown@example.org' })];
    expect(elsewhere.map(({ status }) => status)).toEqual([401, 401]);
  });

  test('guesses from one IP do not lock out the user at another IP', async () => {
    const { guess, signIn } = await start();
    for (let i = 0; i < 20; i += 1) await guess({ from: '203.0.113.9' });
    expect(await signIn({ from: '203.0.113.9' })).toMatchObject(tooMany);
    expect((await signIn({ from: '192.0.2.1' })).status).toBe(200);
  });

  test('all IPs together get a hundred guesses at an account, then two a minute', async () => {
    const { guess, wait, fillAllIps } = await start();
    await guess();
    await fillAllIps(97);
    for (const from of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) {
      expect(await guess({ from })).toMatchObject(wrongCredentials);
    }
    expect(await guess({ from: '203.0.113.4' })).toMatchObject(tooMany);
    wait(minuteMs);
    for (const from of ['198.51.100.1', '198.51.100.2']) {
      expect(await guess({ from })).toMatchObject(wrongCredentials);
    }
    expect(await guess({ from: '198.51.100.3' })).toMatchObject(tooMany);
  });

  test.each([
    ['IP', '192.0.2.1', '192.0.2.1'],
    ['/64 of IPv6', '2001:db8:7:1::1', '2001:db8:7:1::2'],
  ])(
    'guesses from many IPs lock out neither a known %s nor a browser with a session',
    async (_case, first, known) => {
      const { guess, signIn, credentials, address, fillAllIps } = await start();
      const signedIn = new CookieClient(address);
      await signedIn.login(credentials, forwardedFor(first));
      await guess({ from: '203.0.113.1' });
      await fillAllIps(100);
      expect(await signIn({ from: '192.0.2.200' })).toMatchObject(tooMany);
      expect((await signIn({ from: known })).status).toBe(200);
      await fillAllIps(100);
      expect((await signedIn.login(credentials, forwardedFor('192.0.2.200'))).status).toBe(200);
    },
  );

  test.each([
    ['an IP', '192.0.2.1', '192.0.2.2', '192.0.2.1', 1000, 100],
    ['a /48 of IPv6', '2001:db8:7:1::1', '2001:db8:8::1', '2001:db8:7::/48', 2000, 50],
  ])(
    '%s gets a number of attempts at once, for all emails and registrations',
    async (_case, from, otherIp, network, burst, intervalMs) => {
      const { guess, address, database, wait } = await start();
      await guess({ from, email: '1@example.org' });
      await database.query(
        `update attempt_buckets set debt_ms = ${burst - 1} * ${intervalMs}
         where network = '${network}' and email_hash = ''`,
      );
      expect(await guess({ from, email: '2@example.org' })).toMatchObject(wrongCredentials);
      expect(await guess({ from, email: '3@example.org' })).toMatchObject(tooMany);
      const client = new CookieClient(address);
      expect(await client.register(undefined, forwardedFor(from))).toMatchObject(tooMany);
      expect((await client.register(undefined, forwardedFor(otherIp))).status).toBe(201);
      wait(intervalMs);
      expect((await client.login(undefined, forwardedFor(from))).status).toBe(200);
      expect(await client.login(undefined, forwardedFor(from))).toMatchObject(tooMany);
    },
  );

  test('replicas share the counts', async () => {
    const open = await freshDatabase(name);
    const startReplica = async () =>
      new CookieClient(await startServer({ now: () => 0, database: open() }));
    const replicas = [await startReplica(), await startReplica()];
    const credentials = { email: 'ada@example.org', password: 'wrong horse' };
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, i) => replicas[i % 2]!.login(credentials)),
    );
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(20);
  });

  test('counts contain no email, and a refused attempt writes nothing', async () => {
    const { guess, signIn, database, transactions } = await start();
    const stored = () =>
      database.query<{ made: number }>(
        'select * from attempt_buckets order by network, email_hash',
      );
    for (let i = 0; i < 10; i += 1) await guess();
    const counts = await stored();
    expect(counts.map(({ made }) => made)).toEqual([10, 10, 10, 1]);
    expect(JSON.stringify(counts)).not.toContain('example.org');
    const { count } = transactions;
    for (const reply of await Promise.all([guess(), signIn(), guess()])) {
      expect(reply).toMatchObject(tooMany);
    }
    expect(await stored()).toEqual(counts);
    expect(transactions.count).toBe(count);
  });

  test('a flood from one IP is bounded, and another IP signs in meanwhile', async () => {
    const gate = Promise.withResolvers<void>();
    const { address, guess, signIn } = await start(gate.promise);
    const refused: Reply[] = [];
    const flood = Array.from({ length: 150 }, async (_, i) => {
      const reply = await guess({ email: `${i}@example.org` });
      if (reply.status === 503) refused.push(reply);
      return reply;
    });
    // Of one email, ten are hashed.
    const ofOneEmail = Array.from({ length: 12 }, () => guess({ from: '203.0.113.9' }));
    await expect.poll(() => refused.length).toBe(22);
    expect(refused[0]).toMatchObject({
      ...refusal('unavailable'),
      headers: { 'retry-after': '5' },
    });
    const user = signIn({ from: '198.51.100.7' });
    const register = new CookieClient(address).register(undefined, forwardedFor('198.51.100.8'));
    gate.resolve();
    expect([(await user).status, (await register).status]).toEqual([200, 201]);
    const statuses = async (replies: Promise<Reply>[], status: number) =>
      (await Promise.all(replies)).filter((reply) => reply.status === status).length;
    expect(await statuses(flood, 401)).toBe(128);
    expect([await statuses(ofOneEmail, 401), await statuses(ofOneEmail, 429)]).toEqual([10, 2]);
  });

  test('signing in rehashes the password if the cost has changed', async () => {
    const open = await freshDatabase(name);
    const database = open();
    const client = new CookieClient(
      await startServer({ database, passwords: createPasswords(cheapestCost) }),
    );
    await client.register();
    const passwords = createPasswords({ ...cheapestCost, memory: 16 });
    const later = new CookieClient(await startServer({ database: open(), passwords }));
    const storedHash = () => database.query('select password_hash as hash from accounts');
    await later.login({ ...client.credentials, password: 'wrong horse' });
    expect(await storedHash()).toEqual([{ hash: expect.stringContaining('m=8,') }]);
    expect((await later.login(client.credentials)).status).toBe(200);
    expect(await storedHash()).toEqual([{ hash: expect.stringContaining('m=16,') }]);
    expect((await later.login(client.credentials)).status).toBe(200);

    // The password is reset while the first one is hashed again.
    const hash: typeof passwords.hash = async (text) => {
      await database.query("update accounts set password_hash = 'reset'");
      return passwords.hash(text);
    };
    const latest = createPasswords({ ...cheapestCost, memory: 24 });
    const slow = await startServer({ database: open(), passwords: { ...latest, hash } });
    await new CookieClient(slow).login(client.credentials);
    expect(await storedHash()).toEqual([{ hash: 'reset' }]);
  });

  /**
   * Starts a server behind a proxy, with a fake clock and one account. Counts its hashes, which end
   * after `gate`.
   */
  async function start(gate?: Promise<void>) {
    let time = Date.UTC(2030, 0, 1);
    const cheap = createPasswords(cheapestCost);
    const hashes = { count: 0 };
    const verify: typeof cheap.verify = async (...args) => {
      hashes.count += 1;
      await gate;
      return cheap.verify(...args);
    };
    const database = (await freshDatabase(name))();
    const transactions = { count: 0 };
    const transact: Database['transact'] = (transaction) => {
      transactions.count += 1;
      return database.transact(transaction);
    };
    const address = await startServer({
      database: { ...database, transact },
      passwords: { ...cheap, verify },
      trustedProxies: ['127.0.0.1'],
      now: () => time,
    });
    const user = new CookieClient(address);
    await user.register(undefined, forwardedFor('192.0.2.99'));
    const { credentials } = user;
    type Attempt = { from?: string; email?: string };
    return {
      address,
      database,
      transactions,
      hashes,
      credentials,
      wait: (milliseconds: number) => (time += milliseconds),
      /** Makes the account look as after guesses from so many IPs. */
      fillAllIps: (guesses: number) =>
        database.query(
          `update attempt_buckets set debt_ms = ${guesses} * 30000
           where network = '' and email_hash <> ''`,
        ),
      guess: ({ from = '192.0.2.1', email = credentials.email }: Attempt = {}) =>
        new CookieClient(address).login({ email, password: 'wrong horse' }, forwardedFor(from)),
      signIn: ({ from = '192.0.2.1' }: Attempt = {}) =>
        new CookieClient(address).login(credentials, forwardedFor(from)),
    };
  }
});

test.each(storeNames.filter((name) => name === 'PostgreSQL'))(
  'while a count of one IP is locked on %s, other IPs sign in',
  async (name) => {
    const settings = await emptyStore(name);
    const database = openDatabase(settings);
    const address = await startServer({ database, trustedProxies: ['127.0.0.1'] });
    const user = new CookieClient(address);
    const from = (ip: string, client = new CookieClient(address)) =>
      client.login(undefined, forwardedFor(ip));
    await user.register(undefined, forwardedFor('192.0.2.1'));
    await from('203.0.113.9');
    const other = await beginTransaction(settings);
    await other.run(`update attempt_buckets set made = 2 where network = '203.0.113.9'`);
    const waiting = Promise.all(Array.from({ length: 20 }, () => from('203.0.113.9')));
    await other.untilAwaited();
    expect((await from('192.0.2.1', user)).status).toBe(200);
    expect((await user.createProject()).status).toBe(201);
    await other.run('rollback');
    for (const reply of await waiting) expect(reply).toMatchObject(wrongCredentials);
  },
);

function forwardedFor(address: string) {
  return { headers: { 'x-forwarded-for': address } };
}
