import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { logOptions } from '../../server/http/log.ts';
import { runServer } from '../support/server-process.ts';
import { CookieClient } from '../support/cookie-client.ts';
import { builtApp, startServer, temporaryFolder } from './support.ts';

interface Line {
  level: string;
  time: string;
  requestId?: string;
  method?: string;
  path?: string;
  status?: number;
  ms?: number;
}

test('each request is one line of JSON with the id that its answer carries', async () => {
  const { lines, visitor } = await start();
  const reply = await visitor.call('GET', '/api/v1/projects?page=secret');
  await visitor.call('GET', '/nothing');
  await visitor.call('GET', '/%E0%A4%A');
  expect(await lines(3)).toEqual([
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

test('a log that cannot be written, as on a full disk, stops nobody', async () => {
  const file = join(temporaryFolder(), 'log');
  writeFileSync(file, '');
  const descriptor = openSync(file, 'r');
  onTestFinished(() => closeSync(descriptor));
  const visitor = new CookieClient(await startServer({ logger: logOptions('info', descriptor) }));
  for (let i = 0; i < 3; i += 1) expect((await visitor.call('GET', '/readyz')).status).toBe(200);
});

describe('the log of the real process', () => {
  test('holds no password, email, cookie, token or text of anybody, whatever goes wrong', async () => {
    const running = runServer({
      DATA_DIR: temporaryFolder(),
      DIST_DIR: builtApp(),
      LOG_LEVEL: 'trace',
      DRAIN_SECONDS: '0',
    });
    onTestFinished(async () => {
      await running.kill();
    });
    const visitor = new CookieClient(await running.ready());
    const password = 'log-secret-password';
    const credentials = { email: 'log-secret-email@example.org', password };
    const headers = { authorization: 'Bearer log-secret-header' };
    await visitor.register(credentials);
    await visitor.register(credentials);
    await visitor.login({ ...credentials, password: 'log-secret-wrong' });
    await visitor.login(credentials);
    const project = { title: 'log-secret-title', description: 'log-secret-description' };
    await visitor.createProject(project, { headers });
    await visitor.createProject({ ...project, title: 7 });
    await visitor.createProject(undefined, { headers: { 'x-xsrf-token': 'log-secret-token' } });
    await visitor.createProject(undefined, {
      headers: { 'content-type': 'application/json', 'idempotency-key': 'log-secret-key' },
      body: '{"log-secret-json":',
    });
    await visitor.call('GET', '/api/v1/projects?password=log-secret-query');
    const { errors } = await running.kill('SIGTERM');

    expect(errors.trim().split('\n').length).toBeGreaterThanOrEqual(9);
    for (const line of errors.trim().split('\n')) expect(JSON.parse(line)).toBeTypeOf('object');
    expect(errors).not.toContain('log-secret');
    expect(visitor.cookies.size).toBe(2);
    for (const value of visitor.cookies.values()) expect(errors).not.toContain(value);
  });

  test('holds up nobody when the program that should read it does not', async () => {
    const running = runServer(
      { DATA_DIR: temporaryFolder(), DIST_DIR: builtApp() },
      { readsLog: false },
    );
    onTestFinished(async () => {
      await running.kill();
    });
    const visitor = new CookieClient(await running.ready());
    // More lines than fit into a pipe.
    const path = `/${'x'.repeat(10_000)}`;
    for (let i = 0; i < 20; i += 1) {
      await Promise.all(Array.from({ length: 20 }, () => visitor.call('GET', path)));
    }
    expect((await visitor.call('GET', '/readyz')).status).toBe(200);
  });
});

/** A server whose log is in the hand of the test. */
async function start() {
  const kept: Line[] = [];
  let tell = () => {};
  const write = (line: string) => {
    const parsed = JSON.parse(line) as Line;
    if ('method' in parsed) kept.push(parsed);
    tell();
  };
  const logger = { ...(logOptions('info') as object), stream: { write } };
  const visitor = new CookieClient(await startServer({ logger }));
  return {
    visitor,
    /** So many lines about requests, once they are there: a line is written after its answer. */
    lines: async (count: number) => {
      while (kept.length < count) await new Promise<void>((resolve) => (tell = resolve));
      return kept;
    },
  };
}
