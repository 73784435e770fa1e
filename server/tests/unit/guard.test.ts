import { describe, expect, test } from 'vitest';
import { paths } from '../../../testing/contract.ts';
import { CookieClient, signedInClient } from '../../../testing/cookie-client.ts';
import { logOptions } from '../../http/log.ts';
import { refusal, startServer, useReferenceServer } from '../../../testing/server-fixtures.ts';

const forged = refusal('xsrfTokenMismatch');
const otherOrigin = refusal('otherOrigin');
const address = useReferenceServer();

describe('a browser without cookies', () => {
  test.each<[string, () => Record<string, string>]>([
    ['a page of the app', () => ({ 'sec-fetch-site': 'same-origin' })],
    ['a page of the app in an old browser', () => ({ origin: address() })],
    ['a client that is not a browser', () => ({})],
  ])('may register and sign in from %s', async (_case, headers) => {
    const client = new CookieClient(address());
    expect((await client.register(undefined, { headers: headers() })).status).toBe(201);
    expect((await client.login(undefined, { headers: headers() })).status).toBe(200);
  });

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['another site in an old browser', { origin: 'https://evil.example' }],
  ])('is refused from %s', async (_case, headers) => {
    const client = new CookieClient(address());
    await client.register();
    expect(await client.login(undefined, { headers })).toMatchObject(otherOrigin);
    expect(await client.register(undefined, { headers })).toMatchObject(otherOrigin);
    expect(client.cookies.size).toBe(0);
  });
});

describe('a browser with a session', () => {
  test('creates nothing without the XSRF token of that session', async () => {
    const [client, other] = [await signedInClient(address()), await signedInClient(address())];
    for (const token of ['', 'invented', other.cookies.get('XSRF-TOKEN')!]) {
      const reply = await client.createProject(undefined, { headers: { 'x-xsrf-token': token } });
      expect(reply).toMatchObject(forged);
    }
    expect((await client.listProjects()).body).toEqual([]);
  });

  test('cannot be signed in to another account without the token', async () => {
    const [victim, attacker] = [await signedInClient(address()), await signedInClient(address())];
    const headers = { 'x-xsrf-token': '' };
    expect(await victim.login(attacker.credentials, { headers })).toMatchObject(forged);
  });

  // Other apps of the domain may have set XSRF-TOKEN, so that the app sends their token or none.
  test.each([() => ({ 'sec-fetch-site': 'same-origin' }), () => ({ origin: address() })])(
    'creates with any token if it says that a page of the app asks, case %#',
    async (headers) => {
      const client = await signedInClient(address());
      for (const token of ['', "another app's"]) {
        const sent = { headers: { ...headers(), 'x-xsrf-token': token } };
        expect((await client.createProject(undefined, sent)).status).toBe(201);
      }
      expect((await client.login(undefined, { headers: headers() })).status).toBe(200);
    },
  );

  test('gets no token again while it has it among those of other apps', async () => {
    const client = await signedInClient(address());
    const { cookie } = client.cookieHeaders();
    const headers = { cookie: `XSRF-TOKEN=a; ${cookie}; XSRF-TOKEN="%"; XSRF-TOKEN` };
    const reply = await client.call('GET', paths.listProjects, { headers });
    expect(reply.setCookies).toEqual([]);
  });

  test('gets a lost token again, so that a retry works', async () => {
    const client = await signedInClient(address());
    client.cookies.delete('XSRF-TOKEN');
    expect(await client.createProject()).toMatchObject(forged);
    expect((await client.createProject()).status).toBe(201);
    client.cookies.set('XSRF-TOKEN', 'stale');
    await client.listProjects();
    expect((await client.createProject()).status).toBe(201);
    expect((await client.listProjects()).setCookies).toEqual([]);
  });
});

async function startWithWarnings() {
  const warnings: Record<string, unknown>[] = [];
  const write = (line: string) => void warnings.push(JSON.parse(line) as (typeof warnings)[number]);
  const logger = { ...((await logOptions('warn')) as object), stream: { write } };
  return { warnings, origin: await startServer({ logger }) };
}

test('the log names the headers of a refused request, and no token', async () => {
  const { warnings, origin } = await startWithWarnings();
  const client = await signedInClient(origin);
  const sent = { origin: 'http://tracker.lan:8080', 'x-forwarded-host': 'tracker.lan' };
  await client.createProject(undefined, { headers: sent });
  await client.createProject(undefined, { headers: { 'sec-fetch-site': 'cross-site' } });
  await client.createProject(undefined, { headers: { 'x-xsrf-token': 'secret' } });
  const { host } = new URL(origin);
  expect(warnings).toMatchObject([
    { level: 'warn', host, ...sent, msg: expect.stringContaining('another origin') },
    { host, 'sec-fetch-site': 'cross-site' },
    { msg: 'refused: no Sec-Fetch-Site, no Origin and not the XSRF token' },
  ]);
  expect(JSON.stringify(warnings)).not.toContain('secret');
});

test('a browser with cookies of a deleted session may sign in', async () => {
  const client = new CookieClient(address());
  await client.register();
  client.cookies.set('tracker-session', 'deleted').set('XSRF-TOKEN', 'deleted');
  expect((await client.login()).status).toBe(200);
  expect((await client.createProject()).status).toBe(201);
});

describe('a browser with several session cookies', () => {
  const https = { 'x-forwarded-proto': 'https' };

  async function twoClients() {
    const clients = [await signedInClient(address()), await signedInClient(address())] as const;
    return { clients, tokens: clients.map(({ cookies }) => cookies.get('tracker-session')!) };
  }

  /** Lists with these cookies. Returns the status. */
  const listWith = async (client: CookieClient, cookie: string) =>
    (
      await new CookieClient(client.address).call('GET', paths.listProjects, {
        headers: { cookie },
      })
    ).status;

  test('is signed in by the valid one, wherever it stands', async () => {
    const { clients, tokens } = await twoClients();
    for (const cookie of [
      `tracker-session=invalid; tracker-session=${tokens[0]}`,
      `tracker-session=${tokens[0]}; tracker-session=invalid`,
      `tracker-session=${tokens[0]}; tracker-session=${tokens[0]}`,
      `tracker-session=; tracker-session=${tokens[0]}`,
    ]) {
      expect(await listWith(clients[0], cookie)).toBe(200);
    }
  });

  test('is signed in if they are sessions of one account', async () => {
    const { clients, tokens } = await twoClients();
    const other = new CookieClient(clients[0].address, clients[0].credentials);
    await other.login();
    const cookie = `tracker-session=${tokens[0]}; tracker-session=${other.cookies.get('tracker-session')}`;
    expect(await listWith(clients[0], cookie)).toBe(200);
  });

  test('is not signed in if they are sessions of different accounts', async () => {
    const { clients, tokens } = await twoClients();
    const cookie = `tracker-session=${tokens[0]}; tracker-session=${tokens[1]}`;
    expect(await listWith(clients[0], cookie)).toBe(401);
    const reversed = `tracker-session=${tokens[1]}; tracker-session=${tokens[0]}`;
    expect(await listWith(clients[0], reversed)).toBe(401);
    expect(await listWith(clients[0], `tracker-session=${tokens[0]}`)).toBe(200);
  });

  test('may sign in, which ends the sessions of the other cookies', async () => {
    const { clients, tokens } = await twoClients();
    const browser = new CookieClient(clients[0].address, clients[0].credentials);
    const cookie = `tracker-session=${tokens[0]}; tracker-session=${tokens[1]}`;
    expect((await browser.login(undefined, { headers: { cookie } })).status).toBe(200);
    // The new cookie replaces one of the two.
    const now = `tracker-session=${tokens[1]}; tracker-session=${browser.cookies.get('tracker-session')}`;
    expect(await listWith(clients[0], now)).toBe(200);
  });

  test('looks up a bounded number of them', async () => {
    const { clients, tokens } = await twoClients();
    const planted = (start: string) =>
      Array.from(
        { length: 200 },
        (_, i) => `tracker-session=${`${start}${i}`.padEnd(43, 'x')}`,
      ).join('; ');
    expect(await listWith(clients[0], `${planted('x')}; tracker-session=${tokens[0]}`)).toBe(401);
    expect(await listWith(clients[0], `${planted('x')}; __Host-tracker-session=${tokens[0]}`)).toBe(
      200,
    );
    // Cookies of other apps are no tokens of this one.
    expect(await listWith(clients[0], `${planted('.')}; tracker-session=${tokens[0]}`)).toBe(200);
  });

  test('on https is signed in by the one that other hosts cannot set', async () => {
    const { clients } = await twoClients();
    const [client, other] = clients;
    const planted = other.cookies.get('tracker-session');
    const browser = new CookieClient(client.address, client.credentials);
    await browser.login(undefined, { headers: https });
    const cookie = `tracker-session=${planted}; __Host-tracker-session=${browser.cookies.get('__Host-tracker-session')}`;
    await other.createProject();
    const reply = await browser.call('GET', paths.listProjects, { headers: { ...https, cookie } });
    expect(reply).toMatchObject({ status: 200, body: [] });
  });

  test('on https is not signed in by one that another host of the domain may have set', async () => {
    const { clients, tokens } = await twoClients();
    const browser = new CookieClient(clients[0].address);
    browser.cookies.set('tracker-session', tokens[0]!);
    const requests = [
      browser.call('GET', paths.listProjects, {
        headers: { ...https, 'sec-fetch-site': 'same-origin' },
      }),
      browser.createProject(undefined, {
        headers: { origin: 'https://tracker.lan', 'x-forwarded-host': 'tracker.lan' },
      }),
    ];
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([401, 401]);
  });

  test('leaves a cookie named "session" to the other app that set it', async () => {
    const client = new CookieClient(address());
    client.cookies.set('session', "another app's");
    await client.signUp();
    expect((await client.createProject()).status).toBe(201);
    expect(client.cookies.get('session')).toBe("another app's");
  });
});

describe('the cookies of a sign-in', () => {
  const [http, https] = ['http://tracker.lan', 'https://tracker.lan'];

  test.each<[isSecure: boolean, isWarned: boolean, origin?: string | undefined, proto?: string]>([
    [false, false],
    [false, false, undefined, 'http'],
    [false, false, undefined, 'http, https'],
    [true, false, undefined, 'https'],
    [true, false, undefined, 'HTTPS , http'],
    [false, false, http],
    [false, false, http, 'http'],
    [true, false, https, 'https'],
    // The proxy is wrong.
    [false, true, http, 'https'],
    [true, true, https],
    [true, true, https, 'http'],
    [true, true, https, 'wss'],
  ])('are Secure: %s, with a warning: %s, for %s by %s', async (isSecure, isWarned, ...sent) => {
    const { warnings, origin } = await startWithWarnings();
    const client = new CookieClient(origin);
    await client.register();
    const [pageOrigin, proto] = sent;
    const headers = {
      'x-forwarded-host': 'tracker.lan',
      ...(pageOrigin && { origin: pageOrigin }),
      ...(proto && { 'x-forwarded-proto': proto }),
    };
    await client.login(undefined, { headers });
    const { setCookies } = await client.login(undefined, { headers });
    const end = (attributes: string) =>
      `[\\w-]{43}; Max-Age=2592000; Path=/;${attributes}${isSecure ? ' Secure;' : ''} SameSite=Lax$`;
    const name = isSecure ? '__Host-tracker-session' : 'tracker-session';
    expect(setCookies).toEqual([
      expect.stringMatching(new RegExp(`^${name}=${end(' HttpOnly;')}`)),
      expect.stringMatching(new RegExp(`^XSRF-TOKEN=${end('')}`)),
    ]);
    const warning = { ...headers, msg: expect.stringContaining('X-Forwarded-Proto') };
    expect(warnings).toMatchObject(isWarned ? [warning] : []);
  });
});
