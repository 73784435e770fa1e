import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { bodyFields } from '../../../generated/operations.ts';
import { paths } from '../../../testing/contract.ts';
import { signedInClient, CookieClient } from '../../../testing/cookie-client.ts';
import { escapedJson, longestProject, projectOf } from '../../../testing/projects.ts';
import { refusal, useReferenceServer } from '../../../testing/server-fixtures.ts';

const headers = { 'content-type': 'application/json' };
const address = useReferenceServer();

test('accepts the longest valid texts in the longest JSON notation', async () => {
  const credentials = {
    email: `${'a'.repeat(64)}@${'b'.repeat(60)}.org`,
    password: '🐎'.repeat(bodyFields.registerUser.password.maxLength),
  };
  const client = new CookieClient(address(), credentials);
  const body = `{"extra":"${'x'.repeat(10_000)}",${escapedJson(credentials).slice(1)}`;
  expect((await client.register(undefined, { body, headers })).status).toBe(201);
  expect((await client.login(undefined, { body, headers })).status).toBe(200);
  const project = longestProject();
  const created = await client.createProject(undefined, { body: escapedJson(project), headers });
  expect(created).toMatchObject({ status: 201, body: project });
});

/** Returns 2,000 values of JSON. */
const values = <Value>(value: (i: number) => Value) =>
  Array.from({ length: 2_000 }, (_, i) => value(i));

test.each<[string, (project: object) => unknown, number]>([
  ['with small objects', (project) => ({ ...project, extra: values(() => ({})) }), 400],
  ['in a list of lists', (project) => [project, ...values(() => [])], 400],
  [
    'with many names',
    (project) => ({ ...project, ...Object.fromEntries(values((i) => [i, i])) }),
    400,
  ],
  [
    'with some other fields',
    (project) => ({ ...project, tags: values(String).slice(0, 500) }),
    201,
  ],
])('a project %s', async (_case, change, status) => {
  const client = await signedInClient(address());
  const project = projectOf((_, maxLength) => '"\\,[{'.repeat(maxLength / 5));
  const body = JSON.stringify(change(project));
  expect((await client.createProject(undefined, { body, headers })).status).toBe(status);
});

test.each([
  [paths.login, 'content-length: 100000', '{"email":"'],
  [paths.registerUser, 'content-length: 100000', '{"email":"'],
  [paths.login, 'transfer-encoding: chunked', `7530\r\n${'x'.repeat(0x7530)}\r\n`],
])('%s with %s refuses a body that is too long before all is sent', async (path, line, start) => {
  const { socket, receive } = post(path, [line]);
  socket.write(start);
  expect(await receive()).toContain('HTTP/1.1 413 ');
});

test('reads the rest of a refused body, then answers the next request', async () => {
  const { socket, receive } = post(paths.login, ['content-length: 5000000']);
  expect(await receive()).toContain('HTTP/1.1 413 ');
  socket.write('x'.repeat(5_000_000));
  socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
  const [next] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  expect(String(next)).toContain('HTTP/1.1 200 ');
});

test('closes the connection of a refused body that does not end', async () => {
  const { socket, receive } = post(paths.login, ['content-length: 1000000000']);
  expect(await receive()).toContain('HTTP/1.1 413 ');
  socket.write('x'.repeat(11_000_000));
  // Not `once` of node:events: it rejects when the connection is reset.
  await new Promise((resolve) => socket.once('close', resolve));
  expect(socket.destroyed).toBe(true);
});

test('refuses the 17th long body that an account sends at once, but no short one', async () => {
  const client = await signedInClient(address());
  // The longest that is valid. The server counts those that are longer than 64 KiB.
  const long = { body: escapedJson(longestProject()), headers };
  expect(long.body.length).toBeGreaterThan(64 * 1024);
  // A body in chunks may be long.
  const lengths = [`content-length: ${long.body.length}`, 'transfer-encoding: chunked'];
  const cookies = Object.entries(client.cookieHeaders()).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const posts = Array.from({ length: 17 }, (_, index) =>
    post(paths.listProjects, [lengths[index % 2]!, ...cookies]),
  );
  const answers: string[] = [];
  for (const { receive } of posts) void receive().then((answer) => answers.push(answer));
  await expect.poll(() => answers).toEqual([expect.stringContaining('HTTP/1.1 429 ')]);
  const createLong = (owner: CookieClient) => owner.createProject(undefined, long);
  const tooMany = { ...refusal('tooManyAttempts'), headers: { 'retry-after': '10' } };
  expect(await createLong(client)).toMatchObject(tooMany);
  expect((await client.createProject()).status).toBe(201);
  expect((await createLong(await signedInClient(address()))).status).toBe(201);
  for (const { socket } of posts) socket.destroy();
  await expect.poll(async () => (await createLong(client)).status).toBe(201);
});

/** Sends the headers of a POST. `receive` resolves with the first bytes of the response. */
function post(path: string, lines: string[]) {
  const socket: Socket = connect(Number(new URL(address()).port), '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  const head = [`POST ${path} HTTP/1.1`, 'host: x', 'content-type: application/json', ...lines];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const received = once(socket, 'data');
  return { socket, receive: async () => String((await received)[0]) };
}
