import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { logOptions } from '../../http/log.ts';
import { paths } from '../../../testing/contract.ts';
import { CookieClient, signedInClient } from '../../../testing/cookie-client.ts';
import { freshDatabase, startServer } from '../../../testing/server-fixtures.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';

test('each request is one line of JSON with the id of its response', async () => {
  const lines: unknown[] = [];
  let notify = () => {};
  const write = (line: string) => {
    const parsed = JSON.parse(line) as object;
    if ('method' in parsed) lines.push(parsed);
    notify();
  };
  const logger = { ...((await logOptions('info')) as object), stream: { write } };
  const client = new CookieClient(await startServer({ logger }));
  const reply = await client.call('GET', `${paths.listProjects}?page=secret`);
  await client.call('GET', '/nothing');
  await client.call('GET', '/%E0%A4%A');
  const { hostname, port } = new URL(client.address);
  const absolute = { hostname, port, path: 'http://user:secret@host/absolute#secret' };
  get(absolute, (response) => response.resume());
  // A line is written after its response.
  while (lines.length < 4) await new Promise<void>((resolve) => (notify = resolve));
  expect(lines).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-.+Z$/),
      pid: process.pid,
      hostname: expect.any(String),
      requestId: reply.headers['x-request-id'],
      method: 'GET',
      path: paths.listProjects,
      status: 401,
      ms: expect.any(Number),
      msg: 'request',
    },
    expect.objectContaining({ path: '/nothing', status: 404 }),
    expect.objectContaining({ path: '/%E0%A4%A', status: 400 }),
    expect.objectContaining({ path: '/absolute' }),
  ]);
});

test('the error behind a 500 is logged', async () => {
  const errors: unknown[] = [];
  const write = (line: string) => {
    const { level, err } = JSON.parse(line) as { level: string; err?: { message: string } };
    if (level === 'error') errors.push(err?.message);
  };
  const database = (await freshDatabase('SQLite'))();
  const logger = { ...((await logOptions('info')) as object), stream: { write } };
  const client = await signedInClient(await startServer({ database, logger }));
  vi.spyOn(database, 'query').mockRejectedValueOnce(new TypeError('A bug.'));
  expect((await client.listProjects()).status).toBe(500);
  expect(errors).toEqual(['A bug.']);
});

describe('security events', () => {
  async function startWithEvents() {
    const events: Record<string, unknown>[] = [];
    const write = (line: string) => {
      const { event, accountId, network, reason, requestId, ...rest } = JSON.parse(line) as LogLine;
      if (rest['msg'] !== 'security') return;
      const { restOfMinute } = rest;
      events.push({ event, accountId, network, reason, requestId, restOfMinute });
    };
    const logger = { ...((await logOptions('info')) as object), stream: { write } };
    // A clock that stands still, because the server allows a further attempt each six seconds.
    return { events, address: await startServer({ logger, now: () => Date.UTC(2030, 0, 1) }) };
  }
  type LogLine = Record<string, unknown>;

  const network = '127.0.0.1';
  const requestId = expect.stringMatching(/^[\da-f-]{36}$/);
  const accountId = expect.stringMatching(/^[\da-f-]{36}$/);

  test('name account, network and reason, and neither emails nor passwords', async () => {
    const { events, address } = await startWithEvents();
    const client = new CookieClient(address);
    const { email, password } = client.credentials;
    await client.login();
    await client.register();
    await client.register();
    await client.login({ email: 'typed-password@example.org', password });
    await client.login({ email, password: 'wrong password' });
    await client.login({ email });
    await client.login(undefined, { headers: { origin: 'null' } });
    await client.login();
    await client.login();
    const common = { network, requestId };
    expect(events).toEqual([
      { event: 'signInRefused', reason: 'wrongCredentials', ...common },
      { event: 'registered', accountId, ...common },
      { event: 'registrationRefused', reason: 'emailTaken', ...common },
      { event: 'signInRefused', reason: 'wrongCredentials', ...common },
      { event: 'signInRefused', accountId, reason: 'wrongCredentials', ...common },
      { event: 'signInRefused', reason: 'invalidRequest', ...common },
      { event: 'signInRefused', reason: 'otherOrigin', ...common },
      { event: 'signedIn', accountId, ...common },
      { event: 'signedIn', accountId, ...common },
      { event: 'sessionEnded', accountId, reason: 'signedIn', ...common },
    ]);
    expect(new Set(events.flatMap((event) => event['accountId'] ?? [])).size).toBe(1);
    const log = JSON.stringify(events);
    for (const secret of [
      email,
      password,
      'wrong',
      'typed',
      client.cookies.get('tracker-session'),
    ]) {
      expect(log.replaceAll('wrongCredentials', '')).not.toContain(secret);
    }
  });

  test('include an account that is locked, and sessions of conflicting cookies', async () => {
    const { events, address } = await startWithEvents();
    const clients = [await signedInClient(address), await signedInClient(address)];
    const cookie = clients
      .map(({ cookies }) => `tracker-session=${cookies.get('tracker-session')}`)
      .join('; ');
    const browser = new CookieClient(address, clients[0]!.credentials);
    events.length = 0;
    await browser.login(undefined, { headers: { cookie } });
    const wrong = { ...browser.credentials, password: 'wrong password' };
    while ((await new CookieClient(address).login(wrong)).status === 401);
    expect(events).toMatchObject([
      { event: 'sessionEnded', accountId, reason: 'cookieConflict' },
      { event: 'sessionEnded', accountId, reason: 'cookieConflict' },
      { event: 'signedIn', accountId },
      ...Array.from({ length: 10 }, () => ({ event: 'signInRefused', accountId })),
      { event: 'locked', accountId, network, reason: 'tooManyAttempts' },
    ]);
  });

  test('include bytes that are no HTTP, sixty lines a minute at most', async () => {
    const { events, address } = await startWithEvents();
    const now = vi.spyOn(performance, 'now');
    onTestFinished(() => now.mockRestore());
    const sendAt = async (ms: number) => {
      now.mockReturnValue(ms);
      const socket = connect(Number(new URL(address).port), '127.0.0.1');
      socket.end('no HTTP: a secret\r\n\r\n');
      await once(socket.resume(), 'close');
    };
    for (let i = 0; i < 70; i += 1) await sendAt(i * 850);
    await sendAt(60_001);
    const line = { event: 'brokenRequest', network, reason: 'HPE_INVALID_METHOD' };
    expect(events).toEqual([
      ...Array.from({ length: 59 }, () => line),
      { ...line, restOfMinute: 'not logged' },
      line,
    ]);
  });
});

test('a log that cannot be written, as on a full disk, fails no request', async () => {
  const file = join(temporaryFolder(), 'log');
  writeFileSync(file, '');
  const descriptor = openSync(file, 'r');
  onTestFinished(() => closeSync(descriptor));
  const logger = await logOptions('info', descriptor);
  const client = new CookieClient(await startServer({ logger }));
  for (let i = 0; i < 3; i += 1) expect((await client.call('GET', '/readyz')).status).toBe(200);
});

test('a terminal gets one line of text for each request', async () => {
  const file = join(temporaryFolder(), 'log');
  const descriptor = openSync(file, 'w');
  onTestFinished(() => closeSync(descriptor));
  const logger = await logOptions('info', descriptor, true);
  const client = new CookieClient(await startServer({ logger }));
  await client.call('GET', `${paths.listProjects}?page=secret`);
  await client.call('POST', '/nothing');
  const lines = () => stripVTControlCharacters(readFileSync(file, 'utf8')).trim().split('\n');
  await expect.poll(() => lines().at(-1)).toContain('/nothing');
  expect(lines().slice(-2)).toEqual([
    expect.stringMatching(/^\[\d\d:\d\d:\d\d\] INFO: GET \/api\/v1\/projects 401, [\d.]+ ms$/),
    expect.stringMatching(/^\[\d\d:\d\d:\d\d\] INFO: POST \/nothing 404, [\d.]+ ms$/),
  ]);
});
