import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createApi, type Api } from '../../../src/api/api.ts';

const credentials = { email: 'ada@example.org', password: 'correct horse' };
const project = { title: 'Website relaunch', description: 'New pages.' };
const { signal } = new AbortController();

const call = {
  login: (api: Api) => api.login(credentials, signal),
  registerUser: (api: Api) => api.registerUser(credentials, signal),
  listProjects: (api: Api) => api.listProjects(signal),
  createProject: (api: Api) => api.createProject(project, signal),
} as const;
type OperationId = keyof typeof call;
const operations = Object.keys(call) as OperationId[];

/** The real client against a server that gives every request this answer. */
async function answered(listener: RequestListener): Promise<Api> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => listener(request, response));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const client = (origin: string) =>
  createApi({ origin, fetch: (request) => fetch(request), cookies: () => '' });

const body = (status: number, text: string, type = 'application/json') =>
  answered((_, response) => void response.writeHead(status, { 'content-type': type }).end(text));

const failed = { ok: false, message: 'Internal Server Error' };
const html = '<!doctype html><title>502 Bad Gateway</title><h1>502 Bad Gateway</h1>';

test.each(operations)(
  '[ERROR-1, ERROR-5] %s: the message of an error is the message',
  async (operation) => {
    const api = await body(422, JSON.stringify({ message: 'Title is required.', status: 422 }));
    expect(await call[operation](api)).toEqual({ ok: false, message: 'Title is required.' });
  },
);

test.each(operations)(
  '[CHOICE-13] %s: the message is read from problem+json too',
  async (operation) => {
    const api = await body(409, '{"message":"Taken."}', 'application/problem+json');
    expect(await call[operation](api)).toEqual({ ok: false, message: 'Taken.' });
  },
);

test.each([
  ['is empty', '{"message":""}'],
  ['is blank', '{"message":" \\t\\n"}'],
  ['is null', '{"message":null}'],
  ['is a number', '{"message":42}'],
  ['is a list', '{"message":["Taken."]}'],
  ['is an object', '{"message":{"text":"Taken."}}'],
  ['is missing', '{"detail":"Taken."}'],
  ['is missing: a list', '["message"]'],
  ['is missing: a text', '"message"'],
  ['is missing: null', 'null'],
  ['is cut off', '{"message":"Tak'],
])('[ERROR-2, ERROR-6, CHOICE-14] a message that %s counts as missing', async (_, text) => {
  const api = await body(400, text);
  expect(await call.login(api)).toEqual(failed);
  expect(await call.createProject(api)).toEqual(failed);
});

test.each(operations)('[CHOICE-11] %s: an empty 500 is a failed request', async (operation) => {
  expect(await call[operation](await body(500, ''))).toEqual(failed);
});

test.each(operations)(
  '[CHOICE-11] %s: a 500 without any body is a failed request',
  async (operation) => {
    const api = await answered((_, response) => void response.writeHead(500).end());
    expect(await call[operation](api)).toEqual(failed);
  },
);

test.each(operations)('[CHOICE-11] %s: an HTML 502 is a failed request', async (operation) => {
  expect(await call[operation](await body(502, html, 'text/html'))).toEqual(failed);
});

test.each(operations)('[CHOICE-11] %s: a 304 is not a success', async (operation) => {
  const api = await answered((_, response) => void response.writeHead(304).end());
  expect(await call[operation](api)).toEqual(failed);
});

test.each(operations)('[CHOICE-12] %s: no network is a failed request', async (operation) => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((ready) => server.once('listening', ready));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  expect(await call[operation](client(`http://127.0.0.1:${port}`))).toEqual(failed);
});

test.each(operations)(
  '[CHOICE-12] %s: a connection that breaks off is a failed request',
  async (operation) => {
    const api = await answered((_, response) => void response.destroy());
    expect(await call[operation](api)).toEqual(failed);
  },
);

test.each([200, 500])(
  '[CHOICE-12] an answer of %i that breaks off in the middle is a failed request',
  async (status) => {
    for (const operation of operations) {
      const api = await answered((_, response) => {
        response.writeHead(status, { 'content-type': 'application/json', 'content-length': 1000 });
        response.write('{"message":', () => response.destroy());
      });
      expect(await call[operation](api)).toEqual(failed);
    }
  },
);

test.each([
  ['HTML', html],
  ['truncated JSON', '[{"id":"1","title":"Web'],
  ['nothing at all', ''],
  ['an error under a 200', '{"error":"no"}'],
  ['null', 'null'],
  ['a text', '"ok"'],
])('[CHOICE-15, CHOICE-16, CHOICE-17, CHOICE-18, CHOICE-19] 200 with %s', async (_, text) => {
  const api = await body(200, text);
  expect(await call.login(api)).toEqual({ ok: true, value: undefined });
  expect(await call.registerUser(api)).toEqual({ ok: true, value: {} });
  await expect(call.listProjects(api)).rejects.toThrow(/JSON|not a list of projects/);
  await expect(call.createProject(api)).rejects.toThrow(/JSON|not a project/);
});

test('[CHOICE-16, CHOICE-17] an answer of 204 signs in, and registers a user without a role', async () => {
  const api = await answered((_, response) => void response.writeHead(204).end());
  expect(await call.login(api)).toEqual({ ok: true, value: undefined });
  expect(await call.registerUser(api)).toEqual({ ok: true, value: {} });
});

test.each([
  ['{"role":"member","email":"ada@example.org"}', { role: 'member' }],
  ['{"role":7}', {}],
  ['{"role":null}', {}],
  ['[]', {}],
])('[CHOICE-17, ROLE-2] of the registered user %s the role is understood', async (text, value) => {
  expect(await call.registerUser(await body(201, text))).toEqual({ ok: true, value });
});

test.each(['"1"', '1'])('[ENTITY-1] a project whose id is %s is a project', async (id) => {
  const text = `{"id":${id},"title":"T","description":"","more":true}`;
  const value = JSON.parse(text) as unknown;
  expect(await call.createProject(await body(201, text))).toEqual({ ok: true, value });
  expect(await call.listProjects(await body(200, `[${text}]`))).toEqual({
    ok: true,
    value: [value],
  });
});

test.each([
  '{"title":"T","description":"D"}',
  '{"id":null,"title":"T","description":"D"}',
  '{"id":"1","description":"D"}',
  '{"id":"1","title":1,"description":"D"}',
  '{"id":"1","title":"T"}',
  '{"id":"1","title":"T","description":null}',
])('[CHOICE-18, CHOICE-19] %s is no project', async (text) => {
  await expect(call.createProject(await body(201, text))).rejects.toThrow('not a project');
  const list = await body(200, `[{"id":"0","title":"","description":""},${text}]`);
  await expect(call.listProjects(list)).rejects.toThrow('not a list of projects');
});

test('[CALL-8, CONST-4] an empty list is a list', async () => {
  expect(await call.listProjects(await body(200, '[]'))).toEqual({ ok: true, value: [] });
});
