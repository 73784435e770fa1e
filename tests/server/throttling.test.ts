import { describe, expect, test } from 'vitest';
import { createPasswords } from '../../server/auth/passwords.ts';
import { networkOf } from '../../server/auth/throttle.ts';
import { CookieClient, type Reply } from '../support/cookie-client.ts';
import { freshDatabase, refusal, startServer, storeNames } from './support.ts';

const slowDown = refusal('tooManyAttempts');
const wrong = refusal('wrongCredentials');
const minute = 60_000; // milliseconds

/** Hashing as cheap as it gets, and counted. */
function countingPasswords() {
  const cheap = createPasswords({ memory: 8, passes: 1, parallelism: 1 });
  const counted = { hashed: 0 };
  return Object.assign(counted, cheap, {
    verify: (...args: Parameters<typeof cheap.verify>) => {
      counted.hashed += 1;
      return cheap.verify(...args);
    },
  });
}

describe.each(storeNames)('throttling on %s', (name) => {
  test('after ten wrong passwords the eleventh attempt is refused unread, right or wrong', async () => {
    const { passwords, guess, signIn } = await start();
    for (let i = 0; i < 10; i += 1) expect(await guess()).toMatchObject(wrong);
    for (const reply of [await guess(), await signIn()]) {
      expect(reply).toMatchObject(slowDown);
      expect(reply.headers.get('retry-after')).toBe('6');
    }
    expect(passwords.hashed).toBe(10);
  });

  test('whoever waits as long as they are told gets in, and begins anew', async () => {
    const { guess, signIn, wait } = await start();
    for (let i = 0; i < 10; i += 1) await guess();
    wait(Number((await signIn()).headers.get('retry-after')) * 1000);
    expect((await signIn()).status).toBe(200);
    for (let i = 0; i < 10; i += 1) expect(await guess()).toMatchObject(wrong);
    expect(await guess()).toMatchObject(slowDown);
  });

  test('the waits of somebody who keeps guessing grow to thirteen minutes, and no further', async () => {
    const { guess, wait } = await start();
    const waits: number[] = [];
    while (waits.length < 90) {
      const reply = await guess();
      if (reply.status !== 429) continue;
      waits.push(Number(reply.headers.get('retry-after')));
      wait(waits.at(-1)! * 1000);
    }
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect([...new Set(waits)]).toEqual([6, 12, 24, 48, 96, 192, 384, 768]);
  });

  test('an email without an account is throttled like one with an account', async () => {
    const { guess } = await start();
    const replies: Reply[] = [];
    for (let i = 0; i < 12; i += 1) {
      replies.push(await guess(), await guess({ email: 'nobody@example.org' }));
    }
    for (let i = 0; i < replies.length; i += 2) {
      const [known, unknown] = replies.slice(i, i + 2) as [Reply, Reply];
      expect({ status: unknown.status, body: unknown.body }).toEqual({
        status: known.status,
        body: known.body,
      });
    }
    expect(replies.at(-1)).toMatchObject(slowDown);
  });

  test('somebody who guesses does not lock the person out, who signs in from elsewhere', async () => {
    const { guess, signIn } = await start();
    for (let i = 0; i < 20; i += 1) await guess({ from: '203.0.113.9' });
    expect(await signIn({ from: '203.0.113.9' })).toMatchObject(slowDown);
    expect((await signIn({ from: '192.0.2.1' })).status).toBe(200);
  });

  test('all addresses together get a hundred guesses at an account, then two a minute', async () => {
    const { guess, wait } = await start();
    let tried = 0;
    while ((await guess({ from: `203.0.113.${tried}` })).status === 401) tried += 1;
    expect(tried).toBe(100);
    wait(minute);
    while ((await guess({ from: `198.51.100.${tried}` })).status === 401) tried += 1;
    expect(tried).toBe(102);
  });

  test('guesses from everywhere lock out neither a known address nor a browser with a session', async () => {
    const { guess, signIn, credentials, address } = await start();
    const signedIn = new CookieClient(address);
    await signedIn.login(credentials, forwardedFor('192.0.2.1'));
    for (let i = 0; i < 110; i += 1) await guess({ from: `203.0.113.${i}` });
    expect(await signIn({ from: '192.0.2.200' })).toMatchObject(slowDown);
    expect((await signIn({ from: '192.0.2.1' })).status).toBe(200);
    for (let i = 0; i < 110; i += 1) await guess({ from: `203.0.113.${i + 110}` });
    expect((await signedIn.login(credentials, forwardedFor('192.0.2.200'))).status).toBe(200);
  });

  test('one address gets a thousand attempts at once, whoever they are for, registrations among them', async () => {
    const { guess, address, wait } = await start();
    const statuses = new Set<number>();
    for (let done = 0; done < 1000; done += 50) {
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, i) => guess({ email: `${done + i}@example.org` })),
      );
      for (const { status } of replies) statuses.add(status);
    }
    expect([...statuses]).toEqual([401]);
    const newcomer = new CookieClient(address);
    expect(await newcomer.register(undefined, forwardedFor('192.0.2.1'))).toMatchObject(slowDown);
    expect((await newcomer.register(undefined, forwardedFor('192.0.2.2'))).status).toBe(201);
    wait(100);
    expect((await newcomer.login(undefined, forwardedFor('192.0.2.1'))).status).toBe(200);
    expect(await newcomer.login(undefined, forwardedFor('192.0.2.1'))).toMatchObject(slowDown);
  });

  test('replicas count together', async () => {
    const open = await freshDatabase(name);
    const options = { now: () => 0 };
    const [one, other] = [
      await startServer({ ...options, database: open() }),
      await startServer({ ...options, database: open() }),
    ];
    const visitors = [new CookieClient(one), new CookieClient(other)] as const;
    const credentials = { email: 'ada@example.org', password: 'wrong horse' };
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, i) => visitors[i % 2]!.login(credentials)),
    );
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(20);
  });

  test('what was counted is forgotten after a day, and holds no email', async () => {
    const database = (await freshDatabase(name))();
    let time = Date.UTC(2030, 0, 1);
    const visitor = new CookieClient(await startServer({ database, now: () => time }));
    await visitor.login();
    const kept = await database.query('select * from attempts');
    expect(kept).toHaveLength(3);
    expect(JSON.stringify(kept)).not.toContain('example.org');
    time += 25 * 60 * minute;
    await new CookieClient(visitor.address).login(undefined, forwardedFor('192.0.2.2'));
    expect(await database.query('select * from attempts')).toHaveLength(3);
  });

  test('signing in moves an account to the cost that passwords are hashed at today', async () => {
    const open = await freshDatabase(name);
    const database = open();
    const before = createPasswords({ memory: 8, passes: 1, parallelism: 1 });
    const visitor = new CookieClient(await startServer({ database, passwords: before }));
    await visitor.register();
    const after = createPasswords({ memory: 16, passes: 1, parallelism: 1 });
    const later = new CookieClient(await startServer({ database: open(), passwords: after }));
    const hash = () => database.query('select password_hash as hash from accounts');
    await later.login({ ...visitor.credentials, password: 'wrong horse' });
    expect(await hash()).toEqual([{ hash: expect.stringContaining('m=8,') }]);
    expect((await later.login(visitor.credentials)).status).toBe(200);
    expect(await hash()).toEqual([{ hash: expect.stringContaining('m=16,') }]);
    expect((await later.login(visitor.credentials)).status).toBe(200);
  });

  /** A server behind a proxy, with a clock of its own and one account. */
  async function start() {
    let time = Date.UTC(2030, 0, 1);
    const passwords = countingPasswords();
    const database = (await freshDatabase(name))();
    const trustedProxies = ['127.0.0.1'];
    const options = { database, passwords, trustedProxies, now: () => time };
    const address = await startServer(options);
    const person = new CookieClient(address);
    await person.register(undefined, forwardedFor('192.0.2.99'));
    const { credentials } = person;
    type Attempt = { from?: string; email?: string };
    return {
      address,
      passwords,
      credentials,
      wait: (milliseconds: number) => (time += milliseconds),
      guess: ({ from = '192.0.2.1', email = credentials.email }: Attempt = {}) =>
        new CookieClient(address).login({ email, password: 'wrong horse' }, forwardedFor(from)),
      signIn: ({ from = '192.0.2.1' }: Attempt = {}) =>
        new CookieClient(address).login(credentials, forwardedFor(from)),
    };
  }
});

test('without a trusted proxy nobody gets more guesses by claiming to come from elsewhere', async () => {
  const address = await startServer({ now: () => 0 });
  const credentials = { email: 'ada@example.org', password: 'wrong horse' };
  const statuses: number[] = [];
  for (let i = 0; i < 12; i += 1) {
    const headers = forwardedFor(`203.0.113.${i}`);
    statuses.push((await new CookieClient(address).login(credentials, headers)).status);
  }
  expect(statuses.slice(-2)).toEqual([429, 429]);
});

test('behind a trusted proxy, what the client itself wrote into X-Forwarded-For counts for nothing', async () => {
  const address = await startServer({ now: () => 0, trustedProxies: ['127.0.0.1'] });
  const credentials = { email: 'ada@example.org', password: 'wrong horse' };
  const statuses: number[] = [];
  for (let i = 0; i < 12; i += 1) {
    const headers = forwardedFor(`203.0.113.${i}, 192.0.2.1`);
    statuses.push((await new CookieClient(address).login(credentials, headers)).status);
  }
  expect(statuses.slice(-2)).toEqual([429, 429]);
});

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:0201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0DB8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['made up', 'unknown'],
  ['', 'unknown'],
])('the address %j counts as %j', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

function forwardedFor(address: string) {
  return { headers: { 'x-forwarded-for': address } };
}
