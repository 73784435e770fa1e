import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { schemaFields } from '../../../generated/operations.ts';
import type { Outcome } from '../../../machines/types.ts';
import { callNames, type Call } from '../../../model/calls.ts';
import { createApi, type Api } from '../../../src/api/api.ts';
import { callApi } from '../../../testing/call-api.ts';
import { projectWithText, storedProject } from '../../../testing/projects.ts';

const { signal } = new AbortController();

const call = Object.fromEntries(
  callNames.map((name) => [name, (api: Api) => callApi(api, name, signal)]),
) as Record<Call, (api: Api) => Promise<Outcome<unknown>>>;

/** Starts a server with this listener and returns the real client for it. */
async function serve(listener: RequestListener): Promise<Api> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => listener(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return createClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const createClient = (origin: string) =>
  createApi({ origin, fetch: (request) => fetch(request), cookies: () => '' });

const respond = (status: number, text: string, type = 'application/json') =>
  serve((_, response) => void response.writeHead(status, { 'content-type': type }).end(text));

const respondEmpty = (status: number) =>
  serve((_, response) => void response.writeHead(status).end());

/** Returns a client for a port on which no server listens. */
async function unreachable(): Promise<Api> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return createClient(`http://127.0.0.1:${port}`);
}

const truncated = (status: number) =>
  serve((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': 1000 });
    response.write('{"message":', () => response.destroy());
  });

const failed = { ok: false, message: 'Internal Server Error' };
const html = '<!doctype html><title>502 Bad Gateway</title><h1>502 Bad Gateway</h1>';

describe.each(callNames)('%s', (operationId) => {
  test.each<[string, () => Promise<Api>, object]>([
    [
      'an error response fails with its message [ERROR-1, ERROR-5]',
      () => respond(422, JSON.stringify({ message: 'Title is required.', status: 422 })),
      { ok: false, message: 'Title is required.' },
    ],
    [
      'a response of type problem+json fails with its message [CHOICE-13]',
      () => respond(409, '{"message":"Taken."}', 'application/problem+json'),
      { ok: false, message: 'Taken.' },
    ],
    ['an empty JSON 500 is a failed request [CHOICE-11]', () => respond(500, ''), failed],
    ['a 500 without a body is a failed request [CHOICE-11]', () => respondEmpty(500), failed],
    ['an HTML 502 is a failed request [CHOICE-11]', () => respond(502, html, 'text/html'), failed],
    ['a 304 is not a success [CHOICE-11]', () => respondEmpty(304), failed],
    ['an unreachable backend is a failed request [CHOICE-12]', unreachable, failed],
    [
      'a connection that closes without a response is a failed request [CHOICE-12]',
      () => serve((_, response) => void response.destroy()),
      failed,
    ],
    [
      'a truncated 200 is a failed request, except of an account form [CHOICE-12, CHOICE-17, CHOICE-122]',
      () => truncated(200),
      ['login', 'registerUser'].includes(operationId) ? { ok: true, value: {} } : failed,
    ],
    ['a truncated 500 is a failed request [CHOICE-12]', () => truncated(500), failed],
  ])('%s', async (_, start, outcome) => {
    expect(await call[operationId](await start())).toEqual(outcome);
  });
});

test.each([
  ['is empty', '{"message":""}'],
  ['is blank', '{"message":" \\t\\n"}'],
  ['is null', '{"message":null}'],
  ['is a number', '{"message":42}'],
  ['is a list', '{"message":["Taken."]}'],
  ['is an object', '{"message":{"text":"Taken."}}'],
  ['is missing', '{"detail":"Taken."}'],
  ['is missing: a list', '["message"]'],
  ['is missing: a string', '"message"'],
  ['is missing: null', 'null'],
  ['is truncated', '{"message":"Tak'],
])('a message that %s counts as missing [ERROR-2, ERROR-6, CHOICE-14]', async (_, text) => {
  const api = await respond(400, text);
  expect(await call.login(api)).toEqual(failed);
  expect(await call.createProject(api)).toEqual(failed);
});

test.each([
  ['HTML', html],
  ['truncated JSON', '[{"id":"1"'],
  ['an empty body', ''],
  ['an error object', '{"error":"no"}'],
  ['null', 'null'],
  ['a string', '"ok"'],
])(
  'a 200 with %s succeeds for accounts and throws for projects [CALL-6, CHOICE-15, CHOICE-16, CHOICE-17, CHOICE-18, CHOICE-19]',
  async (_, text) => {
    const api = await respond(200, text);
    expect(await call.login(api)).toEqual({ ok: true, value: {} });
    expect(await call.registerUser(api)).toEqual({ ok: true, value: {} });
    await expect(call.listProjects(api)).rejects.toThrow(/JSON|not a list of projects/);
    await expect(call.createProject(api)).rejects.toThrow(
      /JSON|response to createProject breaks the contract/,
    );
  },
);

test('a 204 signs in, registers a user without a role and is no list [CHOICE-16, CHOICE-17]', async () => {
  const api = await respondEmpty(204);
  expect(await call.login(api)).toEqual({ ok: true, value: {} });
  expect(await call.registerUser(api)).toEqual({ ok: true, value: {} });
  await expect(call.listProjects(api)).rejects.toThrow('JSON');
});

test('a list that is not one of projects is cancelled before its end [CHOICE-19]', async () => {
  const cancel = vi.fn<() => void>();
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('[{}')),
    cancel,
  });
  const fetch = async () => new Response(body);
  const api = createApi({ origin: 'http://app.test', fetch, cookies: () => '' });
  await expect(call.listProjects(api)).rejects.toThrow('not a list of projects');
  expect(cancel).toHaveBeenCalledOnce();
});

test.each([
  ['{"role":"member","email":"ada@example.org"}', { role: 'member' }],
  ['{"role":7}', {}],
  ['{"role":null}', {}],
  ['[]', {}],
])('the registration response %s decodes to %j [CHOICE-17, ROLE-2]', async (text, value) => {
  expect(await call.registerUser(await respond(201, text))).toEqual({ ok: true, value });
});

test.each(['1', 1])('a project with the id %j is a project [ENTITY-1]', async (id) => {
  const value = { ...storedProject({ id }), more: true };
  const api = await respond(201, JSON.stringify(value));
  expect(await call.createProject(api)).toEqual({ ok: true, value });
  const list = await respond(200, JSON.stringify([value]));
  expect(await call.listProjects(list)).toEqual({ ok: true, value: [value] });
});

test.each(
  Object.entries(schemaFields.Project).flatMap(([name, { types, isRequired }]) =>
    [...(isRequired ? [undefined] : []), null, types.length > 1 ? {} : 1].map(
      (value) => [name, value] as const,
    ),
  ),
)('a project whose %s is %j is not a project [CHOICE-18, CHOICE-19]', async (name, value) => {
  const project = { ...storedProject(), [name]: value };
  await expect(call.createProject(await respond(201, JSON.stringify(project)))).rejects.toThrow(
    'response to createProject breaks the contract',
  );
  const list = await respond(200, JSON.stringify([storedProject({}, 2), project]));
  await expect(call.listProjects(list)).rejects.toThrow('not a list of projects');
});

test('an empty list is a list [CALL-8, CONST-4]', async () => {
  expect(await call.listProjects(await respond(200, '[]'))).toEqual({ ok: true, value: [] });
});

test('a character whose bytes arrive in several chunks is decoded once [LIST-3]', async () => {
  const value = [storedProject(projectWithText('Launch 🚀 é'))];
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const fetch = async () => new Response(body);
  const api = createApi({ origin: 'http://app.test', fetch, cookies: () => '' });
  expect(await call.listProjects(api)).toEqual({ ok: true, value });
});
