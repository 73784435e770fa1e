import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { operationTable, type OperationId } from '../../../generated/operations.ts';
import type contractJson from '../../../generated/contract.json';
import { parseContract, type Operation, type Operations } from '../../http/contract.ts';
import { registerErrorHandlers } from '../../http/error-responses.ts';
import { createGuard, type Guard } from '../../http/guard.ts';
import { registerRoutes } from '../../http/routes.ts';
import type { Dependencies } from '../../dependencies.ts';
import { loadOperations } from '../../operations.ts';
import { Refusal } from '../../auth/refusal.ts';
import type { TokenHash } from '../../store/sessions.ts';
import { UsageError } from '../../../shared/usage-error.ts';
import { newProject, textNames } from '../../../testing/projects.ts';

const contractText = readFileSync(
  new URL('../../../generated/contract.json', import.meta.url),
  'utf8',
);
const listVersion = { edits: 0, lastId: null, lastPosition: 0 };
const project = { id: '1', ...newProject() };
const { path } = operationTable.createProject;

test.each(['', '<<<<<<< HEAD\n{}', contractText.slice(0, -9)])(
  'a broken generated/contract.json is reported with the command that writes it: %.9s',
  (text) => {
    expect(errorOf(() => parseContract(text))).toBe(
      'generated/contract.json is missing or broken: run "npm run generate".',
    );
  },
);

test('an operation without handler and a handler without operation are reported', async () => {
  const { operations } = parseContract(contractText.replaceAll('"login"', '"exampleOperation"'));
  const loading = loadOperations({ operations }, {} as Dependencies);
  await expect(loading).rejects.toThrow(
    'The operation exampleOperation of openapi.yaml has no handler: ' +
      'write server/operations/exampleOperation.ts, which exports the function exampleOperation.\n' +
      'openapi.yaml does not declare the operation of server/operations/login.ts.',
  );
});

test('keys that the contract does not declare are not sent', async () => {
  const leaking = { ...project, owner: 'secret', nested: { passwordHash: 'secret' } };
  const listProjects = async () => ({ status: 200 as const, body: [leaking] });
  const app = createRoutes({ listProjects });
  expect((await app.inject(path)).json()).toEqual([project]);
});

test.each([
  ['lacks a key', { status: 200, body: [newProject()] }],
  ['has another type', { status: 200, body: {} }],
  ['has an undeclared status', { status: 202, body: [] }],
])('a response that %s is refused with 500', async (_case, response) => {
  const app = createRoutes({
    listProjects: (async () => response) as unknown as Operation<'listProjects'>,
  });
  const reply = await app.inject(path);
  expect(reply.statusCode).toBe(500);
  expect(reply.json()).toMatchObject({
    message: expect.stringContaining('listProjects broke the contract'),
  });
});

test('an invalid request does not reach its operation', async () => {
  let calls = 0;
  const app = createRoutes({
    createProject: async () => {
      calls += 1;
      return { status: 201, body: project };
    },
  });
  const wrongTypes = textNames.map((name) => JSON.stringify({ ...project, [name]: 1 }));
  for (const payload of ['', 'null', '[]', '{}', ...wrongTypes, '{"']) {
    for (const type of ['application/json', 'text/plain', '']) {
      await app.inject({ method: 'POST', url: path, payload, headers: { 'content-type': type } });
    }
  }
  await app.inject({ method: 'POST', url: path });
  expect(calls).toBe(0);
  await app.inject({ method: 'POST', url: path, payload: newProject() });
  expect(calls).toBe(1);
});

test('a new operation may have path parameters and a response without a body', async () => {
  const contract = JSON.parse(contractText) as { paths: Record<string, object> };
  const schema = { type: 'string', maxLength: 5 };
  contract.paths['/api/v1/examples/{exampleId}'] = {
    delete: {
      operationId: 'exampleOperation',
      parameters: [{ name: 'exampleId', in: 'path', required: true, schema }],
      responses: { '204': { description: 'Gone.' } },
    },
  };
  const received: unknown[] = [];
  const exampleOperation = async ({ params }: { params: unknown }) => {
    received.push(params);
    return { status: 204 };
  };
  const app = createRoutes({ exampleOperation } as object, JSON.stringify(contract));
  const reply = await app.inject({ method: 'DELETE', url: '/api/v1/examples/a%2Fb' });
  expect([reply.statusCode, reply.body]).toEqual([204, '']);
  const tooLong = await app.inject({ method: 'DELETE', url: '/api/v1/examples/123456' });
  expect(tooLong.json()).toMatchObject({ message: 'The address is not valid.' });
  const empty = await app.inject({ method: 'DELETE', url: '/api/v1/examples/' });
  expect(empty.statusCode).toBe(404);
  expect(received).toEqual([{ exampleId: 'a/b' }]);
});

test.each([
  [' ab\n', 422, 'Name must be at least 3 characters.'],
  [' \u00a0', 422, 'Name is required.'],
  [' abc ', 204, 'abc'],
  ['\tabcde\n', 204, 'abcde'],
  [' abcdef', 422, 'Name must be at most 5 characters.'],
])(
  'a trimmed text of a body counts and arrives without outer white space: %j',
  async (name, ...end) => {
    const contract = JSON.parse(contractText) as { paths: Record<string, object> };
    const schema = { type: 'string', minLength: 3, maxLength: 5, 'x-trimmed': true };
    contract.paths['/api/v1/examples'] = {
      post: {
        operationId: 'exampleOperation',
        requestBody: {
          content: {
            'application/json': {
              schema: { type: 'object', required: ['name'], properties: { name: schema } },
            },
          },
        },
        responses: { '204': { description: 'Stored.' } },
      },
    };
    let received: unknown;
    const exampleOperation = async ({ body }: { body: { name: string } }) => {
      received = body.name;
      return { status: 204 };
    };
    const app = createRoutes({ exampleOperation } as object, JSON.stringify(contract));
    registerErrorHandlers(app, parseContract(contractText), {} as never);
    const url = '/api/v1/examples';
    const reply = await app.inject({ method: 'POST', url, payload: { name } });
    const message = () => reply.json<{ message: string }>().message;
    expect([reply.statusCode, received ?? message()]).toEqual(end);
  },
);

test("a refusal has the message of the operation's own example", async () => {
  const contract = JSON.parse(contractText) as typeof contractJson;
  const { post } = contract.paths[path];
  const { examples } = post.responses['401'].content['application/json'];
  examples.notSignedIn.value.message = 'Please sign in to create a project.';
  const text = JSON.stringify(contract);
  const app = createRoutes({}, text, createGuard({ find: async () => undefined } as never));
  registerErrorHandlers(app, parseContract(text), {} as never);
  const list = await app.inject(path);
  expect([list.statusCode, list.json()]).toEqual([
    401,
    { message: 'Please sign in to work with projects.' },
  ]);
  const create = await app.inject({ method: 'POST', url: path, payload: {} });
  expect([create.statusCode, create.json()]).toEqual([
    401,
    { message: 'Please sign in to create a project.' },
  ]);
});

test('a refusal without an example of the operation has that of another', async () => {
  const app = createRoutes({
    listProjects: async () => {
      throw new Refusal('keyReused');
    },
  });
  registerErrorHandlers(app, parseContract(contractText), {} as never);
  const reply = await app.inject(path);
  expect([reply.statusCode, reply.json()]).toEqual([
    409,
    { message: 'This request repeats the key of a different one. Please try again.' },
  ]);
});

test('a response that fails leaves its ETag and its coding to no refusal', async () => {
  const app = Fastify();
  registerErrorHandlers(app, parseContract(contractText), {} as never);
  app.get('/', async (_request, reply) => {
    reply.headers({ etag: '"1"', 'content-encoding': 'gzip' });
    throw new Refusal('unavailable');
  });
  const { etag, 'content-encoding': coding } = (await app.inject('/')).headers;
  expect({ etag, coding }).toEqual({ etag: undefined, coding: undefined });
});

/** Returns what is printed of the `UsageError` that a function throws, its stack included. */
function errorOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof UsageError) return error.stack!;
    throw error;
  }
  throw new Error('Nothing was thrown.');
}

/** Creates an app of the contract's routes with these handlers only, and a signed-in user. */
function createRoutes(
  implemented: { [Id in OperationId]?: Operation<Id> },
  text = contractText,
  guard: Guard = async () => ({
    token: 'token',
    tokenHash: 'hash' as TokenHash,
    accountId: 'account',
    listVersion,
  }),
) {
  const app = Fastify();
  onTestFinished(() => app.close());
  const contract = parseContract(text);
  const operations = contract.operations.map(({ id }) => [
    id,
    { execute: implemented[id as OperationId] },
  ]);
  registerRoutes(app, contract, Object.fromEntries(operations) as Operations, guard);
  return app;
}
