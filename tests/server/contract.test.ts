import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { mountContract, readContract, type Operations } from '../../server/http/contract.ts';
import { contractText } from './support.ts';

const project = { id: '1', title: 'Website', description: 'Pages.' };
const working: Operations = {
  login: async () => ({ status: 200, body: {} }),
  registerUser: async () => ({ status: 201, body: { role: 'member' } }),
  listProjects: async () => ({ status: 200, body: [project] }),
  createProject: async () => ({ status: 201, body: project }),
};

test('the server does not start without one of the operations', () => {
  const { login: _missing, ...rest } = working;
  expect(() => mount(rest)).toThrow('Missing here: login.');
});

test('the server does not start with an operation that the contract does not know', () => {
  const more = { ...working, somethingElse: working.login };
  expect(() => mount(more)).toThrow('Missing there: somethingElse.');
});

test('the server does not start when the contract opens an operation to everybody', () => {
  const text = contractText.replace('- session: []', '- {}').replaceAll('security: []', '');
  expect(() => mount(working, text)).toThrow('operations without a session');
});

test('the server does not start when the contract lacks a refusal that it gives', () => {
  expect(() => readContract(contractText.replaceAll('emailTaken:', 'other:'))).toThrow(
    'emailTaken',
  );
});

test('keys that the contract does not declare never leave', async () => {
  const leaking = { ...project, owner: 'secret', nested: { passwordHash: 'secret' } };
  const app = mount({ ...working, listProjects: async () => ({ status: 200, body: [leaking] }) });
  expect((await app.inject('/api/v1/projects')).json()).toEqual([project]);
});

test.each([
  ['lacks a key', { status: 200, body: [{ id: '1', title: 'Website' }] }],
  ['has another type', { status: 200, body: {} }],
  ['has an undeclared status', { status: 202, body: [] }],
])('an answer that %s is a failure of ours, and does not leave', async (_what, answer) => {
  const operations = { ...working, listProjects: async () => answer } as unknown as Operations;
  const reply = await mount(operations).inject('/api/v1/projects');
  expect(reply.statusCode).toBe(500);
  expect(reply.json()).toMatchObject({
    message: expect.stringContaining('listProjects broke the contract'),
  });
});

test('a request in the wrong shape never reaches its operation', async () => {
  let calls = 0;
  const app = mount({
    ...working,
    createProject: async () => {
      calls += 1;
      return { status: 201, body: project };
    },
  });
  const url = '/api/v1/projects';
  for (const payload of ['', 'null', '[]', '{}', '{"title":1,"description":"x"}', '{"title":']) {
    for (const type of ['application/json', 'text/plain', '']) {
      await app.inject({ method: 'POST', url, payload, headers: { 'content-type': type } });
    }
  }
  await app.inject({ method: 'POST', url });
  expect(calls).toBe(0);
  await app.inject({ method: 'POST', url, payload: { title: 'x', description: 'x' } });
  expect(calls).toBe(1);
});

test('a fifth call may have parameters in its path, and an answer without a body', async () => {
  const text = contractText.replace(
    '\ncomponents:',
    `
  /api/v1/projects/{projectId}:
    delete:
      operationId: fifth
      parameters:
        - { name: projectId, in: path, required: true, schema: { type: string, maxLength: 5 } }
      responses: { '204': { description: Gone. } }

components:`,
  );
  const asked: unknown[] = [];
  const fifth = async ({ path }: { path: unknown }) => {
    asked.push(path);
    return { status: 204 };
  };
  const app = mount({ ...working, fifth } as Partial<Operations>, text);
  const reply = await app.inject({ method: 'DELETE', url: '/api/v1/projects/a%2Fb' });
  expect([reply.statusCode, reply.body]).toEqual([204, '']);
  const tooLong = await app.inject({ method: 'DELETE', url: '/api/v1/projects/123456' });
  expect(tooLong.json()).toMatchObject({ message: 'The address is not valid.' });
  expect(asked).toEqual([{ projectId: 'a/b' }]);
});

/** The mount alone, for somebody who is signed in. */
function mount(operations: Partial<Operations>, text = contractText) {
  const app = Fastify();
  onTestFinished(() => app.close());
  mountContract(app, readContract(text), operations as Operations, async () => ({
    token: 'token',
    accountId: 'account',
  }));
  return app;
}
