import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../server/store/database.ts';
import { openSqlite } from '../../server/store/sqlite.ts';
import { CookieClient, signedInClient, type Reply } from '../support/cookie-client.ts';
import { examples, refusal, startServer, temporaryFolder } from './support.ts';

const json = { 'content-type': 'application/json' };
const login = '/api/v1/auth/login';
const password = 'correct horse';

describe('the named refusals of the contract are true of this server', () => {
  const situations: Record<string, (visitor: CookieClient) => Promise<Reply>> = {
    malformedJson: (v) => v.createProject(undefined, { body: '{"title":', headers: json }),
    wrongCredentials: (v) => v.login({ ...v.credentials, password: 'wrong horse' }),
    tooManyAttempts: async (v) => {
      const guess = { email: 'ada@example.org', password: 'wrong horse' };
      for (let i = 0; i < 10; i += 1) await new CookieClient(v.address).login(guess);
      return new CookieClient(v.address).login(guess);
    },
    xsrfTokenMismatch: (v) => v.createProject(undefined, { headers: { 'x-xsrf-token': 'wrong' } }),
    bodyTooLarge: (v) => v.createProject({ title: 'x'.repeat(1024 * 1024), description: 'x' }),
    notJson: (v) => v.call('POST', login, { body: new URLSearchParams({ email: 'x' }) }),
    invalidEmail: (v) => v.register({ email: 'ada', password }),
    passwordTooShort: (v) => v.register({ email: 'ada@example.org', password: '1234567' }),
    emailTaken: (v) => v.register(),
    notSignedIn: (v) => new CookieClient(v.address).listProjects(),
    keyReused: async (v) => {
      const headers = { 'idempotency-key': 'one' };
      await v.createProject({ title: 'a', description: 'b' }, { headers });
      return v.createProject({ title: 'a', description: 'c' }, { headers });
    },
    titleMissing: (v) => v.createProject({ description: 'x' }),
    descriptionMissing: (v) => v.createProject({ title: 'x' }),
    titleTooLong: (v) => v.createProject({ title: 'x'.repeat(10_001), description: 'x' }),
    internalServerError: async () => brokenVisitor(new TypeError('a mistake of ours')),
    unavailable: async () => {
      const database = openSqlite(temporaryFolder());
      const visitor = await signedInClient(await startServer({ database: closeOnce(database) }));
      await database.close();
      return visitor.listProjects();
    },
  };

  test('none is left out', () => {
    const names = [...examples].filter(([, { body }]) => body.message).map(([name]) => name);
    expect(Object.keys(situations).toSorted()).toEqual(names.toSorted());
  });

  test.each(Object.entries(situations))('%s', async (name, produce) => {
    const visitor = await signedInClient(await startServer());
    const { status, body } = await produce(visitor);
    expect({ status, body }).toEqual(refusal(name));
  });
});

describe('a body that is not what it should be', () => {
  test.each([
    ['nothing at all', {}, 415],
    ['nothing, called JSON', { headers: json, body: '' }, 400],
    ['text', { headers: { 'content-type': 'text/plain' }, body: '{}' }, 415],
    ['JSON called text', { headers: { 'content-type': 'text/json' }, body: '{}' }, 415],
    ['almost JSON', { headers: { 'content-type': 'application/jsonp' }, body: '{}' }, 415],
    ['two types', { headers: { 'content-type': 'application/json, text/plain' }, body: '{}' }, 415],
    [
      'JSON in UTF-16',
      { headers: { 'content-type': 'application/json; charset=utf-16' }, body: '{}' },
      415,
    ],
    [
      'JSON that is compressed',
      { headers: { ...json, 'content-encoding': 'gzip' }, body: '{}' },
      415,
    ],
    ['a form with a file', { body: new FormData() }, 415],
    [
      'bytes that are no UTF-8',
      { headers: json, body: Buffer.from('{"email":"\xff"}', 'latin1') },
      400,
    ],
    ['two JSON texts', { headers: json, body: '{}{}' }, 400],
    ['a list', { json: [] }, 422],
    ['a number', { json: 1 }, 422],
    ['null', { headers: json, body: 'null' }, 422],
    ['text in JSON', { json: 'ada@example.org' }, 422],
    ['deeply nested lists', { headers: json, body: '['.repeat(100_000) }, 400],
  ])('is refused: %s', async (_what, init, status) => {
    const reply = await new CookieClient(await startServer()).call('POST', login, init);
    expect(reply).toMatchObject({ status, body: { message: expect.stringMatching(/\.$/) } });
  });

  test.each([
    ['a charset', 'application/json; charset=utf-8'],
    ['a charset in quotes', 'application/json;charset="UTF-8"'],
    ['capitals', 'Application/JSON'],
  ])('but a content type with %s is JSON', async (_what, type) => {
    const visitor = await signedInClient(await startServer());
    expect((await visitor.login(undefined, { headers: { 'content-type': type } })).status).toBe(
      200,
    );
  });

  test('keys named like parts of JavaScript change nothing', async () => {
    const visitor = await signedInClient(await startServer());
    const body = '{"__proto__":{"title":"x"},"constructor":1,"description":"d"}';
    const without = await visitor.createProject(undefined, { headers: json, body });
    expect(without).toMatchObject(refusal('titleMissing'));
    const reply = await visitor.createProject(undefined, {
      headers: json,
      body: body.replace('{', '{"title":"t",'),
    });
    expect(reply).toMatchObject({ status: 201, body: { title: 't', description: 'd' } });
  });

  test.each([
    [{ title: '', description: 'x' }, 'Title is required.'],
    [{ title: 'x', description: '' }, 'Description is required.'],
    [{ title: 7, description: 'x' }, 'Title must be text.'],
    [{ title: null, description: 'x' }, 'Title must be text.'],
    [{ title: ['x'], description: 'x' }, 'Title must be text.'],
    [
      { title: 'x', description: 'x'.repeat(100_001) },
      'Description must be at most 100000 characters.',
    ],
    [{ title: 'x\u0000', description: 'x' }, 'Title contains a character that cannot be kept.'],
    [
      { title: 'x', description: '\ud83d' },
      'Description contains a character that cannot be kept.',
    ],
    [{}, 'Title is required.'],
    [[], 'The request body must be a JSON object.'],
  ])('a project %j is refused in words for the person', async (project, message) => {
    const visitor = await signedInClient(await startServer());
    expect(await visitor.createProject(project)).toMatchObject({ status: 422, body: { message } });
    expect((await visitor.listProjects()).body).toEqual([]);
  });

  test.each([
    [{}, 'Email is required.'],
    [{ email: '', password }, 'Email is required.'],
    [{ email: 'ada@example.org' }, 'Password is required.'],
    [{ email: 'ada@example.org', password: '' }, 'Password is required.'],
    [{ email: 'ada@example.org', password: 12_345_678 }, 'Password must be text.'],
    [
      { email: 'ada@example.org', password: 'x'.repeat(129) },
      'Password must be at most 128 characters.',
    ],
    [
      { email: `${'a'.repeat(243)}@example.org`, password },
      'Email must be at most 254 characters.',
    ],
    [{ email: 'ada@example.org\u0000', password }, 'Invalid email address.'],
    // In UTF-8, all such halves would read alike.
    [
      { email: 'ada@example.org', password: `${password}\ud83d` },
      'Password contains a character that cannot be kept.',
    ],
  ])('credentials %j are refused in words for the person', async (credentials, message) => {
    const visitor = new CookieClient(await startServer());
    expect(await visitor.register(credentials)).toMatchObject({ status: 422, body: { message } });
    expect(await visitor.login(credentials)).toMatchObject({ status: 422, body: { message } });
  });

  test('an Idempotency-Key of more than 255 characters is refused', async () => {
    const visitor = await signedInClient(await startServer());
    const headers = { 'idempotency-key': 'x'.repeat(256) };
    expect((await visitor.createProject(undefined, { headers })).status).toBe(422);
  });
});

describe('an address that is not there', () => {
  test.each([
    '/api',
    '/api/',
    '/api/v1/nothing',
    '/api/v1/projects/',
    '/nothing',
    '/..%2f..%2fetc/passwd',
  ])('%s is answered 404 with a message', async (path) => {
    const visitor = new CookieClient(await startServer());
    const init = { headers: json, body: 'no JSON' };
    for (const reply of [await visitor.call('GET', path), await visitor.call('POST', path, init)]) {
      expect(reply).toMatchObject({
        status: 404,
        body: { message: 'There is nothing at this address.' },
      });
    }
  });

  test.each([
    ['GET', login, 'POST'],
    ['PUT', '/api/v1/projects', 'GET, HEAD, POST'],
    ['OPTIONS', '/api/v1/users/register', 'POST'],
    ['DELETE', '/api/v1/projects?all=1', 'GET, HEAD, POST'],
  ])('%s %s is answered 405 with the methods that are', async (method, path, allow) => {
    const reply = await new CookieClient(await startServer()).call(method, path);
    expect(reply).toMatchObject({ status: 405, body: { message: expect.any(String) } });
    expect(reply.headers.get('allow')).toBe(allow);
  });

  test('an address that cannot be decoded is answered 400 with a message', async () => {
    const reply = await new CookieClient(await startServer()).call('GET', '/%E0%A4%A');
    expect(reply).toMatchObject({ status: 400, body: { message: expect.any(String) } });
  });
});

test('bytes that are no HTTP are answered 400 with a message', async () => {
  const { port } = new URL(await startServer());
  const socket = connect(Number(port), '127.0.0.1');
  socket.end('what?\r\n\r\n');
  const answer = await socket.setEncoding('utf8').toArray();
  expect(answer.join('')).toMatch(/^HTTP\/1.1 400 [^]*\r\n\r\n{"message":".+\."}$/);
});

test('bytes that are no HTTP, right after a request, do not take its answer away', async () => {
  const visitor = await signedInClient(await startServer());
  const socket = connect(Number(new URL(visitor.address).port), '127.0.0.1');
  const body = JSON.stringify({ title: 'Website', description: 'Pages.' });
  const headers = [
    'POST /api/v1/projects HTTP/1.1',
    'host: x',
    'content-type: application/json',
    `content-length: ${body.length}`,
    `cookie: ${[...visitor.cookies].map((cookie) => cookie.join('=')).join('; ')}`,
    `x-xsrf-token: ${visitor.cookies.get('XSRF-TOKEN')}`,
  ];
  socket.write(`${headers.join('\r\n')}\r\n\r\n${body}what?\r\n\r\n`);
  const answer = (await socket.setEncoding('utf8').toArray()).join('');
  expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 201']);
  const { body: list } = await visitor.listProjects();
  expect([JSON.parse(answer.split('\r\n\r\n')[1]!)]).toEqual(list);
});

test('a failing store is told apart from a mistake of ours, and says when to come back', async () => {
  const database = openSqlite(temporaryFolder());
  const visitor = await signedInClient(await startServer({ database: closeOnce(database) }));
  await database.close();
  for (const reply of [
    await visitor.listProjects(),
    await visitor.login(),
    await visitor.register(),
  ]) {
    expect(reply).toMatchObject(refusal('unavailable'));
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  }
});

test('nothing of an unexpected error reaches the person', async () => {
  const { body } = await brokenVisitor(new TypeError('secret'));
  expect(JSON.stringify(body)).not.toContain('secret');
});

/** Lists projects on a store with a bug. */
async function brokenVisitor(bug: Error): Promise<Reply> {
  const database = openSqlite(temporaryFolder());
  const query: Database['query'] = (sql, values) => {
    if (sql.includes('from projects')) throw bug;
    return database.query(sql, values);
  };
  const visitor = await signedInClient(await startServer({ database: { ...database, query } }));
  return visitor.listProjects();
}

/** For a test that closes the database before the server does. */
function closeOnce(database: Database): Database {
  return { ...database, close: () => database.close().catch(() => {}) };
}
