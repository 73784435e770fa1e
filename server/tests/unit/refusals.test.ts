import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../store/database.ts';
import { openSqlite } from '../../store/sqlite.ts';
import { bodyFields, type OperationId, type RefusalName } from '../../../generated/operations.ts';
import { definitionOf, formNames, requiredFields, type FormName } from '../../../model/calls.ts';
import { forms } from '../../../shared/forms.ts';
import { fieldMessages, type FieldRule } from '../../../shared/field-rules.ts';
import { newProject, tooLargeProject, type TextName } from '../../../testing/projects.ts';
import { operations, paths } from '../../../testing/contract.ts';
import { CookieClient, signedInClient, type Reply } from '../../../testing/cookie-client.ts';
import {
  refusal,
  refusalExamples,
  startServer,
  useReferenceServer,
} from '../../../testing/server-fixtures.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { exchange } from '../exchange.ts';

const json = { 'content-type': 'application/json' };
const { login } = paths;
const password = 'correct horse';
// A clock that stands still, because the server allows a further attempt each six seconds.
const address = useReferenceServer(async () => ({ now: () => Date.UTC(2030, 0, 1) }));

type Send = (client: CookieClient) => Promise<Reply>;

describe('the server gives each refusal that the contract names', () => {
  const requests: { [Name in Exclude<RefusalName, `${TextName | 'password'}${string}`>]: Send } = {
    malformedJson: (c) => c.createRaw(undefined, { body: '{"', headers: json }),
    wrongCredentials: (c) => c.login({ ...c.credentials, password: 'wrong horse' }),
    tooManyAttempts: async (c) => {
      const guess = { email: 'ada@example.org', password: 'wrong horse' };
      for (let i = 0; i < 10; i += 1) await new CookieClient(c.address).login(guess);
      return new CookieClient(c.address).login(guess);
    },
    xsrfTokenMismatch: (c) => c.createProject(undefined, { headers: { 'x-xsrf-token': 'wrong' } }),
    otherOrigin: (c) => c.createProject(undefined, { headers: { origin: 'https://evil.example' } }),
    bodyTooLarge: (c) => c.createRaw(tooLargeProject()),
    notJson: (c) => c.call('POST', login, { body: new URLSearchParams({ email: 'x' }) }),
    invalidEmail: (c) => c.register({ email: 'ada', password }),
    emailTaken: (c) => c.register(),
    notSignedIn: (c) => new CookieClient(c.address).listProjects(),
    keyReused: async (c) => {
      const headers = { 'idempotency-key': 'one' };
      await c.createProject(newProject({}, 1), { headers });
      return c.createProject(newProject({}, 2), { headers });
    },
    malformedHeaders: (c) => sendRaw(c.address, `GET ${paths.listProjects}`, 'Host: x\r\n: x\r\n'),
    expectationFailed: (c) =>
      sendRaw(c.address, `GET ${paths.listProjects}`, 'Host: x\r\nExpect: x\r\n'),
    headersTooLarge: (c) => sendRaw(c.address, `GET /${'x'.repeat(20_000)}`, 'Host: x\r\n'),
    internalServerError: () => listWithBug(new TypeError('a secret')),
    unavailable: async () => (await clientWithoutStore()).listProjects(),
  };
  const wrongTexts = new Map(
    (['createProject', 'registerUser'] as const).flatMap((form) =>
      wrongBodies(form).map(([message, body]) => [message, { form, body }] as const),
    ),
  );

  test.each([...new Set(refusalExamples.map(({ name }) => name))])('%s', async (name) => {
    const expected = refusal(name);
    const { message } = expected.body as { message: string };
    const ofText: Send = (c) => {
      const { form, body } = wrongTexts.get(message)!;
      return c.callOperation(form, body);
    };
    const send = requests[name as keyof typeof requests] ?? ofText;
    const { status, body, headers } = await send(await signedInClient(address()));
    expect({ status, body }).toEqual(expected);
    expect(headers).toMatchObject({ 'content-type': 'application/json' });
    const sent = ['etag', 'retry-after', 'set-cookie'].filter((header) => headers[header]);
    for (const example of refusalExamples.filter((each) => each.name === name))
      expect(example).toMatchObject({ headers: sent });
  });
});

test('the examples of requests get the responses of their names', async () => {
  const client = new CookieClient(await startServer());
  const inOrder = operations.toSorted(
    (a, b) => Number(b.id === 'registerUser') - Number(a.id === 'registerUser'),
  );
  for (const operation of inOrder) {
    for (const { name, value } of operation.body?.examples ?? []) {
      const reply = await client.callOperation(operation.id as OperationId, value);
      const response = operation.responses.find(({ status }) => status === reply.status);
      const example = response?.examples.find((each) => each.name === name);
      const { id: _, ...expected } = example!.value as Record<string, string>;
      const headers = { 'content-type': 'application/json' };
      expect({ name, ...reply }).toMatchObject({ name, headers, body: expected });
    }
  }
});

describe('a request body', () => {
  test.each([
    ['no body', {}, 415],
    ['an empty body declared as JSON', { headers: json, body: '' }, 400],
    ['text', { headers: { 'content-type': 'text/plain' }, body: '{}' }, 415],
    ['JSON declared as text', { headers: { 'content-type': 'text/json' }, body: '{}' }, 415],
    ['a similar type', { headers: { 'content-type': 'application/jsonp' }, body: '{}' }, 415],
    ['two types', { headers: { 'content-type': 'application/json, text/plain' }, body: '{}' }, 415],
    [
      'JSON in UTF-16',
      { headers: { 'content-type': 'application/json; charset=utf-16' }, body: '{}' },
      415,
    ],
    ['compressed JSON', { headers: { ...json, 'content-encoding': 'gzip' }, body: '{}' }, 415],
    ['invalid UTF-8', { headers: json, body: Buffer.from('{"email":"\xff"}', 'latin1') }, 400],
    ['two JSON values', { headers: json, body: '{}{}' }, 400],
    ['an array', { json: [] }, 422],
    ['null', { headers: json, body: 'null' }, 422],
    ['deeply nested arrays', { headers: json, body: '['.repeat(20_000) }, 400],
  ])('is refused: %s', async (_case, init, status) => {
    const reply = await new CookieClient(address()).call('POST', login, init);
    expect(reply).toMatchObject({ status, body: { message: expect.stringMatching(/\.$/) } });
  });

  test.each([
    ['a charset in quotes', 'application/json;charset="UTF-8"'],
    ['capital letters', 'Application/JSON'],
  ])('is accepted if its content type has %s', async (_case, type) => {
    const client = await signedInClient(address());
    const reply = await client.login(undefined, { headers: { 'content-type': type } });
    expect(reply.status).toBe(200);
  });

  test('may contain keys like __proto__, without effect', async () => {
    const client = await signedInClient(address());
    const project = JSON.stringify(newProject());
    const start = `{"__proto__":${project},"constructor":1`;
    const withoutTexts = await client.createRaw(undefined, { headers: json, body: `${start}}` });
    const [[, label] = []] = requiredFields('createProject');
    expect(withoutTexts).toMatchObject({ status: 422, body: { message: `${label} is required.` } });
    const body = `${start},${project.slice(1)}`;
    const reply = await client.createRaw(undefined, { headers: json, body });
    expect(reply).toMatchObject({ status: 201, body: newProject() });
  });

  test.each(formNames)('of %s is refused with a message for each wrong text', async (form) => {
    const client = await signedInClient(address());
    const refused = [];
    const wrong = wrongBodies(form);
    for (const [, body] of wrong) {
      const reply = await client.callOperation(form, body);
      refused.push([reply.status, (reply.body as { message: string }).message]);
    }
    expect(refused).toEqual(wrong.map(([message]) => [422, message]));
    expect((await client.listProjects()).body).toEqual([]);
  });

  test.each(['registerUser', 'login'] as const)('of %s has a valid email', async (form) => {
    const reply = await new CookieClient(address()).callOperation(form, { email: 'ada', password });
    expect(reply).toMatchObject({ status: 422, body: { message: 'Invalid email address.' } });
  });
});

/** Returns bodies that are wrong in one field at most, each after the message that it gets. */
function wrongBodies(form: FormName): [message: string, body: unknown][] {
  const input = definitionOf(form).input!(1) as Record<string, string>;
  const rules: Record<string, FieldRule> = bodyFields[form];
  const wrongTexts = Object.entries<string>(forms[form].fields).flatMap(([name, label]) => {
    const { format, isRequired, minLength = 0, maxLength = 0 } = rules[name]!;
    const missing = isRequired ? [undefined, ''] : [];
    const tooShort = minLength > 1 ? ['x'.repeat(minLength - 1)] : [];
    // A password may have NUL. All half surrogate pairs have the same encoding in UTF-8.
    const nul = format === 'password' ? [] : ['\0', '\0x'];
    const unstorable = [...nul, '\ud800', '\udbffx', '\udc00\ud800', '🐎\udfff'];
    const texts: [message: string, texts: unknown[]][] = [
      [fieldMessages.required(label), missing],
      [`${label} must be text`, [7, null, ['x']]],
      [fieldMessages.minLength(label, minLength), tooShort],
      [fieldMessages.maxLength(label, maxLength), ['x'.repeat(maxLength + 1)]],
      [
        `${label} contains a character that cannot be kept`,
        unstorable.map((end) => input[name] + end),
      ],
    ];
    return texts.flatMap(([message, wrong]) =>
      wrong.map((text): [string, unknown] => [`${message}.`, { ...input, [name]: text }]),
    );
  });
  return [
    ['The request body must be a JSON object.', []],
    [`${requiredFields(form)[0]![1]} is required.`, {}],
    ...wrongTexts,
  ];
}

test('an Idempotency-Key of more than 255 characters is refused with its name', async () => {
  const client = await signedInClient(address());
  const headers = { 'idempotency-key': 'x'.repeat(256) };
  expect(await client.createProject(undefined, { headers })).toMatchObject({
    status: 422,
    body: { message: 'The header Idempotency-Key is not valid.' },
  });
});

test.each(['/api/', `${paths.listProjects}/`, '/..%2f..%2fetc/passwd'])(
  'the unknown address %s gets 404 with a message, before the body is read',
  async (path) => {
    const client = new CookieClient(address());
    const init = { headers: json, body: 'no JSON' };
    for (const reply of [await client.call('GET', path), await client.call('POST', path, init)]) {
      expect(reply).toMatchObject({
        status: 404,
        body: { message: 'There is nothing at this address.' },
      });
    }
  },
);

test.each([
  ['GET', login, 'POST'],
  ['PUT', paths.listProjects, 'GET, HEAD, POST'],
  ['OPTIONS', paths.registerUser, 'POST'],
  ['DELETE', `${paths.listProjects}?all=1`, 'GET, HEAD, POST'],
])('%s %s gets 405 with the allowed methods', async (method, path, allow) => {
  const reply = await new CookieClient(address()).call(method, path);
  const body = { message: expect.any(String) };
  expect(reply).toMatchObject({ status: 405, headers: { allow }, body });
});

test.each([
  ['a header without a name', 400, 'Host: x\r\n: x\r\n'],
  ['no host', 400, ''],
  ['two hosts', 400, 'Host: x\r\nhost: y\r\n'],
  ['an HTTP version that does not exist', 400, 'Host: x\r\n', '7.0'],
  ['a length that is no number', 400, 'Host: x\r\nContent-Length: x\r\n'],
  ['an unknown expectation', 417, 'Host: x\r\nExpect: x\r\n'],
  ['headers of 20 kB', 431, `Host: x\r\nX: ${'x'.repeat(20_000)}\r\n`],
  ['cookies of 60 kB', 431, `Host: x\r\nCookie: x=${'x'.repeat(60_000)}\r\n`],
  ['an address of 20 kB', 431, 'Host: x\r\n', '1.1', `?${'x'.repeat(20_000)}`],
])(
  'each operation answers a request with %s as the contract declares',
  async (_case, status, headers, version = '1.1', query = '') => {
    for (const { method, path, responses } of operations) {
      const reply = await sendRaw(address(), `${method} ${path}${query}`, headers, version);
      expect(reply).toMatchObject({ status, body: { message: expect.stringMatching(/\.$/) } });
      expect(responses.map((response) => response.status)).toContain(status);
    }
  },
);

test.each([
  ['no host in HTTP 1.0', 200, 'GET /healthz', '', '1.0'],
  ['an unknown method', 400, 'BREW /'],
  ['a rare method', 404, 'PROPFIND /'],
  ['an absolute URL', 200, 'GET http://x/healthz'],
  ['CONNECT to another server', 400, 'CONNECT y:443'],
  ['an address that cannot be decoded', 400, 'GET /%E0%A4%A'],
  ['cookies of 20 kB', 200, 'GET /healthz', `Host: x\r\nCookie: x=${'x'.repeat(20_000)}\r\n`],
  ['the usual expectation', 200, 'GET /healthz', 'Host: x\r\nExpect: 100-continue\r\n'],
])(
  'a request with %s is answered',
  async (_case, status, start, headers = 'Host: x\r\n', version = '1.1') => {
    const reply = await sendRaw(address(), start, headers, version);
    expect(reply.status).toBe(status);
    expect(reply.body).toHaveProperty(status === 200 ? 'status' : 'message');
  },
);

describe('the cookies of other apps', () => {
  const cookiesOf = (bytes: number) =>
    Array.from({ length: Math.ceil(bytes / 1000) }, (_, i) => `other-app-${i}=${'x'.repeat(985)}`);

  test('of 30 kB are accepted beside those of the app', async () => {
    const client = await signedInClient(address());
    for (const pair of cookiesOf(30_000))
      client.cookies.set(...(pair.split('=') as [string, string]));
    expect((await client.listProjects()).status).toBe(200);
    expect((await client.createProject()).status).toBe(201);
  });

  test.each([
    ['of 40 kB beside other headers of 20 kB', 40_000, `X: ${'x'.repeat(20_000)}\r\n`],
    ['of 47 kB beside other headers of 20 kB', 47_000, `X: ${'x'.repeat(20_000)}\r\n`],
    ['of 60 kB', 60_000, ''],
    ['of 900 kB', 900_000, ''],
  ])(
    '%s get a browser a page that says what to do, and a client JSON',
    async (_case, bytes, more) => {
      const cookie = `${more}Cookie: ${cookiesOf(bytes).join('; ')}\r\n`;
      const page = await sendText(address(), 'GET /', `Host: x\r\nAccept: text/html\r\n${cookie}`);
      expect(statusOf(page)).toBe(431);
      expect(page).toContain('content-type: text/html');
      expect(page).toContain('delete the cookies');
      const ofClient = await sendText(address(), 'GET /', `Host: x\r\n${cookie}`);
      expect(JSON.parse(ofClient.split('\r\n\r\n')[1]!)).toEqual(refusal('headersTooLarge').body);
    },
  );
});

describe('a target that is neither a path nor an absolute URL', () => {
  test.each(['*', '*%ff', '*login', '*/../%00', 'x:443', 'ftp://x/', 'http://', 'file:///etc'])(
    '%s gets 400 with a message, also in a browser',
    async (target) => {
      for (const method of ['GET', 'OPTIONS']) {
        for (const accept of ['text/html', '*/*']) {
          const headers = `Host: x\r\nAccept: ${accept}\r\n`;
          const reply = await sendRaw(address(), `${method} ${target}`, headers);
          const message = expect.stringMatching(/^The (address|request) .+\.$/);
          expect(reply).toMatchObject({ status: 400, body: { message } });
        }
      }
    },
  );
});

test.each([
  ['http://x/%ff', '/%ff', 400],
  ['HTTP://x', '/', 200],
  ['http://x?a=/b', '/?a=/b', 200],
  ['http://ada:pass@x/login', '/login', 302],
  ['https://x/deep/unknown', '/deep/unknown', 404],
])('the absolute URL %s has the response of %s', async (url, path, status) => {
  const dist = temporaryFolder();
  writeFileSync(join(dist, 'index.html'), 'Home');
  writeFileSync(join(dist, '404.html'), '<a href="./">Home</a>');
  const origin = await startServer({ dist });
  const responses = [url, path].map((target) =>
    sendText(origin, `GET ${target}`, 'Host: x\r\nAccept: text/html\r\n'),
  );
  const [ofUrl = '', ofPath] = await Promise.all(responses);
  expect(statusOf(ofUrl)).toBe(status);
  expect(withoutRequestId(ofUrl)).toBe(withoutRequestId(ofPath ?? ''));
});

const withoutRequestId = (response: string) =>
  response.replaceAll(/^(date|x-request-id|last-modified): .*$/gim, '');

test.each(['CONNECT x:443', 'CONNECT /', 'CONNECT *'])(
  '"%s" in the packet of another request closes the connection after its response',
  async (start) => {
    for (const path of ['/healthz', paths.listProjects, '/nothing']) {
      const first = `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n${start}`;
      const text = await sendText(address(), first, 'Host: x\r\n');
      const { status } = await new CookieClient(address()).call('GET', path);
      expect(text.match(/HTTP\/1.1 \d+/g)?.[0]).toBe(`HTTP/1.1 ${status}`);
    }
  },
);

describe('bytes that are not HTTP', () => {
  test('get 400 with a message', async () => {
    expect(await exchange(address(), 'what?\r\n\r\n')).toMatch(
      /^HTTP\/1.1 400 [^]*\r\n\r\n{"message":".+\."}$/,
    );
  });

  test('do not prevent the response to the request before them', async () => {
    const client = await signedInClient(address());
    const body = JSON.stringify(newProject());
    const headers = {
      host: 'x',
      ...json,
      'content-length': body.length,
      ...client.cookieHeaders(),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const request = `POST ${paths.listProjects} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
    const response = await exchange(client.address, `${request}what?\r\n\r\n`);
    expect(response.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 201']);
    const { body: list } = await client.listProjects();
    expect([JSON.parse(response.split('\r\n\r\n')[1]!)]).toEqual(list);
  });
});

test('a server without its store is alive but not ready, and refuses with Retry-After', async () => {
  const client = await clientWithoutStore();
  expect((await client.call('GET', '/healthz')).status).toBe(200);
  for (const reply of [
    await client.call('GET', '/readyz'),
    await client.listProjects(),
    await client.login(),
    await client.register(),
  ]) {
    expect(reply).toMatchObject(refusal('unavailable'));
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
  }
});

/** Sends a request that `fetch` cannot send. Returns the whole response. */
const sendText = (origin: string, start: string, headers: string, version = '1.1') =>
  exchange(origin, `${start} HTTP/${version}\r\n${headers}Connection: close\r\n\r\n`);

const statusOf = (response: string) => Number(response.split(' ')[1]);

/** Sends a request that `fetch` cannot send. Returns the status and the JSON of the response. */
async function sendRaw(...request: Parameters<typeof sendText>) {
  // Skips the response to `Expect: 100-continue`.
  const [head = '', body = ''] = (await sendText(...request)).split('\r\n\r\n').slice(-2);
  const [, type = ''] = /^content-type: (.+)$/im.exec(head) ?? [];
  const headers = { 'content-type': type };
  return { status: statusOf(head), headers, setCookies: [], body: JSON.parse(body) as unknown };
}

async function listWithBug(bug: Error): Promise<Reply> {
  const database = openSqlite(temporaryFolder());
  const query: Database['query'] = (sql, values) => {
    if (sql.includes('from projects')) throw bug;
    return database.query(sql, values);
  };
  const client = await signedInClient(await startServer({ database: { ...database, query } }));
  return client.listProjects();
}

/** Returns a signed-in client of a server whose database was closed. */
async function clientWithoutStore(): Promise<CookieClient> {
  const database = openSqlite(temporaryFolder());
  const close = () => database.close().catch(() => {});
  const client = await signedInClient(await startServer({ database: { ...database, close } }));
  await database.close();
  return client;
}
