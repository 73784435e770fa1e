import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { logOptions } from '../../server/http/log.ts';
import { CookieClient } from '../support/cookie-client.ts';
import { startProcess, startServer, temporaryFolder } from './support.ts';

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
  const reply = await client.call('GET', '/api/v1/projects?page=secret');
  await client.call('GET', '/nothing');
  await client.call('GET', '/%E0%A4%A');
  // A line is written after its response.
  while (lines.length < 3) await new Promise<void>((resolve) => (notify = resolve));
  expect(lines).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-.+Z$/),
      pid: process.pid,
      hostname: expect.any(String),
      requestId: reply.headers.get('x-request-id'),
      method: 'GET',
      path: '/api/v1/projects',
      status: 401,
      ms: expect.any(Number),
      msg: 'request',
    },
    expect.objectContaining({ path: '/nothing', status: 404 }),
    expect.objectContaining({ path: '/%E0%A4%A', status: 400 }),
  ]);
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
  await client.call('GET', '/api/v1/projects?page=secret');
  await client.call('POST', '/nothing');
  const lines = () => stripVTControlCharacters(readFileSync(file, 'utf8')).trim().split('\n');
  await expect.poll(() => lines().at(-1)).toContain('/nothing');
  expect(lines().slice(-2)).toEqual([
    expect.stringMatching(/^\[\d\d:\d\d:\d\d\] INFO: GET \/api\/v1\/projects 401, [\d.]+ ms$/),
    expect.stringMatching(/^\[\d\d:\d\d:\d\d\] INFO: POST \/nothing 404, [\d.]+ ms$/),
  ]);
});

describe('the log of the process', () => {
  test('contains no password, email, cookie, token or user text, even on errors', async () => {
    const settings = { LOG_LEVEL: 'trace', DRAIN_SECONDS: '0' };
    const { address, kill } = await startProcess({ DATA_DIR: temporaryFolder(), ...settings });
    const client = new CookieClient(address);
    const password = 'log-secret-password';
    const credentials = { email: 'log-secret-email@example.org', password };
    const headers = { authorization: 'Bearer log-secret-header' };
    await client.register(credentials);
    await client.register(credentials);
    await client.login({ ...credentials, password: 'log-secret-wrong' });
    await client.login(credentials);
    const project = { title: 'log-secret-title', description: 'log-secret-description' };
    await client.createProject(project, { headers });
    await client.createProject({ ...project, title: 7 });
    await client.createProject(undefined, { headers: { 'x-xsrf-token': 'log-secret-token' } });
    await client.createProject(undefined, {
      headers: { 'content-type': 'application/json', 'idempotency-key': 'log-secret-key' },
      body: '{"log-secret-json":',
    });
    await client.call('GET', '/api/v1/projects?password=log-secret-query');
    const { errors: log } = await kill('SIGTERM');

    expect(log.trim().split('\n').length).toBeGreaterThanOrEqual(9);
    for (const line of log.trim().split('\n')) expect(JSON.parse(line)).toBeTypeOf('object');
    expect(log).not.toContain('log-secret');
    expect(client.cookies.size).toBe(2);
    for (const value of client.cookies.values()) expect(log).not.toContain(value);
  });

  test('blocks no request if its reader stops reading', async () => {
    const settings = { DATA_DIR: temporaryFolder() };
    const { address } = await startProcess(settings, { readsLog: false });
    const client = new CookieClient(address);
    // More lines than fit into a pipe.
    const path = `/${'x'.repeat(10_000)}`;
    for (let i = 0; i < 20; i += 1) {
      await Promise.all(Array.from({ length: 20 }, () => client.call('GET', path)));
    }
    expect((await client.call('GET', '/readyz')).status).toBe(200);
  });
});
