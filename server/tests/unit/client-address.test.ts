import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { networkOf, networksOf } from '../../auth/throttle.ts';
import { registerClientAddress } from '../../http/client-address.ts';
import { CookieClient } from '../../../testing/cookie-client.ts';
import { refusal, startServer } from '../../../testing/server-fixtures.ts';

/** Returns a function that sends a request from an address, and what it logged. */
function createProxiedApp(trustedProxies: string[]) {
  const warnings: unknown[] = [];
  const stream = { write: (line: string) => void warnings.push(JSON.parse(line)) };
  const app = Fastify({ logger: { level: 'warn', stream } });
  registerClientAddress(app, trustedProxies);
  app.get('/', (request) => [request.clientAddress, request.clientAddress]);
  return {
    warnings,
    addressOf: async (
      remoteAddress: string,
      header?: string | string[],
      name = 'x-forwarded-for',
    ): Promise<string> => {
      const headers = header === undefined ? {} : { [name]: header };
      const reply = await app.inject({ path: '/', remoteAddress, headers });
      return reply.json<[string]>()[0];
    },
  };
}

const proxies = ['127.0.0.1', '10.0.0.0/8', 'fd00::/8', 'fe80::1%eth0', '::ffff:192.0.2.0/120'];

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['203.0.113.9:51234', '203.0.113.9'],
  ['203.0.113.9:_port', '203.0.113.9'],
  ['"203.0.113.9"', '203.0.113.9'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['[2001:db8::1]', '2001:db8:0:0::/64'],
  ['[2001:db8::1]:443', '2001:db8:0:0::/64'],
  ['"[2001:db8::1]:443"', '2001:db8:0:0::/64'],
  ['2001:DB8:1:2:3:4:5:6:443', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['[fe80::1%25eth0]:80', 'fe80:0:0:0::/64'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::FFFF:cb00:7109', '203.0.113.9'],
  ['[::ffff:203.0.113.9]:51234', '203.0.113.9'],
  ['::ffff:203.0.113.9:51234', '203.0.113.9'],
  ['for=203.0.113.9', '203.0.113.9'],
  ['198.51.100.7, 203.0.113.9:1', '203.0.113.9'],
  ['made up, 203.0.113.9', '203.0.113.9'],
  ['203.0.113.9:1,10.0.0.2:80', '203.0.113.9'],
  ['203.0.113.9, [fd00::7]:443, ::ffff:10.0.0.2', '203.0.113.9'],
  ['\t203.0.113.9\t, ', '203.0.113.9'],
  ['203.0.113.9,,10.0.0.2,', '203.0.113.9'],
  ['10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['unknown', 'unknown'],
  ['_hidden', 'unknown'],
  ['unix:', 'unknown'],
  ['', 'unknown'],
  [' , ', 'unknown'],
  ['203.0.113.009', 'unknown'],
  ['0xcb007109', 'unknown'],
  ['203.0.113.9 198.51.100.7', 'unknown'],
  ['203.0.113.9, unknown', 'unknown'],
  ['203.0.113.9, unknown, 10.0.0.2', 'unknown'],
  ['client.example:80', 'unknown'],
])('X-Forwarded-For: %j is the network %s', async (value, network) => {
  const { warnings, addressOf } = createProxiedApp(proxies);
  expect(networkOf(await addressOf('10.0.0.1', value))).toBe(network);
  expect(warnings).toHaveLength(network === 'unknown' ? 1 : 0);
});

test.each([
  ['127.0.0.1', '203.0.113.9'],
  ['::ffff:127.0.0.1', '203.0.113.9'],
  ['::FFFF:7F00:1', '203.0.113.9'],
  ['fd12::1', '203.0.113.9'],
  ['fe80::1%eth1', '203.0.113.9'],
  ['192.0.2.7', '203.0.113.9'],
  ['::ffff:192.0.2.7', '203.0.113.9'],
  ['127.0.0.2', '127.0.0.2'],
  ['::1', '::1'],
  ['198.51.100.7', '198.51.100.7'],
])('only a trusted proxy may name an address: %s leads to %s', async (from, expected) => {
  expect(await createProxiedApp(proxies).addressOf(from, '203.0.113.9')).toBe(expected);
  expect(await createProxiedApp(proxies).addressOf(from)).toBe(from);
});

test('several X-Forwarded-For headers are one', async () => {
  const { addressOf } = createProxiedApp(proxies);
  expect(await addressOf('10.0.0.1', ['203.0.113.9', '10.0.0.2:1'])).toBe('203.0.113.9');
});

test('what a proxy names instead of an address is one warning, short and printable', async () => {
  const { warnings, addressOf } = createProxiedApp(proxies);
  await addressOf('10.0.0.1', `${'a,'.repeat(4000)}\u009b[2Junknown`);
  await addressOf('10.0.0.2', 'unknown');
  expect(warnings).toEqual([
    expect.objectContaining({
      level: 40,
      proxy: '10.0.0.1',
      'x-forwarded-for': expect.stringMatching(/^[ -~]{1,100}$/),
      msg: expect.stringMatching(/^X-Forwarded-For .+ proxy$/),
    }),
  ]);
});

const warningWith = (text: string): unknown => expect.stringContaining(text);
const sets = 'Set TRUST_PROXY to its address';
const sends = 'Set it to that of the client in the proxy';
test.each([
  ['127.0.0.1', 'x-forwarded-for', [], sets],
  ['::1', 'x-forwarded-for', ['10.0.0.1'], sets],
  ['::ffff:172.17.0.1', 'x-real-ip', ['127.0.0.1'], sets],
  ['fd00::1', 'forwarded', [], sets],
  ['fe80::1%eth0', 'forwarded', [], sets],
  ['127.0.0.1', 'x-real-ip', ['127.0.0.1'], sends],
  ['10.0.0.1', 'forwarded', ['10.0.0.0/8'], sends],
  ['10.0.0.1', 'via', ['10.0.0.0/8'], sends],
  ['203.0.113.1', 'x-real-ip', ['203.0.113.1'], sends],
  ['127.0.0.1', 'x-forwarded-for', ['127.0.0.1'], undefined],
  ['127.0.0.1', 'via', [], undefined],
  ['9.9.9.9', 'x-forwarded-for', [], undefined],
  ['2001:db9::1', 'forwarded', [], undefined],
])('from %s with %s and TRUST_PROXY=%j, one warning says: %s', async (...row) => {
  const [from, header, trusted, advice] = row;
  const { warnings, addressOf } = createProxiedApp(trusted);
  for (const value of ['198.51.100.7', '198.51.100.8']) await addressOf(from, value, header);
  expect(warnings).toMatchObject(
    advice === undefined ? [] : [{ proxy: from, msg: warningWith(advice) }],
  );
});

test('users whose proxy names no address do not lock each other out', async () => {
  const now = () => Date.UTC(2030, 0, 1);
  const address = await startServer({ trustedProxies: ['127.0.0.1'], now });
  const hidden = { headers: { 'x-forwarded-for': 'unknown' } };
  const user = new CookieClient(address);
  expect((await user.register(undefined, hidden)).status).toBe(201);
  const { email } = user.credentials;
  const guess = () => new CookieClient(address).login({ email, password: 'wrong horse' }, hidden);
  for (let i = 0; i < 20; i += 1) expect(await guess()).toMatchObject(refusal('wrongCredentials'));
  expect((await user.login(undefined, hidden)).status).toBe(200);
  // Guesses at one account are limited all the same, although it has signed in from there.
  const guesses = await Promise.all(Array.from({ length: 101 }, guess));
  expect(guesses.filter(({ status }) => status === 429)).toHaveLength(1);
});

test.each([
  ['192.0.2.1', ['192.0.2.1']],
  ['::ffff:192.0.2.1', ['192.0.2.1']],
  ['2001:db8:1:2:3:4:5:6', ['2001:db8:1:2::/64', '2001:db8:1::/48']],
  ['2001:db8::1', ['2001:db8:0:0::/64', '2001:db8:0::/48']],
])('the address %j belongs to the networks %j', (address, networks) => {
  expect(networksOf(address)).toEqual(networks);
});
