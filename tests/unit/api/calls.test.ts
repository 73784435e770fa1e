import { describe, expect, test } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import {
  controlledBackend,
  CREATE,
  LIST,
  LOGIN,
  REGISTER,
  type Call,
} from '../../support/backend.ts';

const origin = 'https://tracker.example';
const { signal } = new AbortController();
const credentials = { email: 'ada@example.org', password: ' correct horse ' };
const project = { title: ' <b>Website</b> ', description: 'line\nline' };

/** What each of the four calls sends, in the order login, registerUser, listProjects, createProject. */
async function sent(cookies: () => string, baseUrl = origin): Promise<Call[]> {
  const backend = controlledBackend();
  const api = createApi({ origin, baseUrl, fetch: backend.fetch, cookies });
  const answered = async (key: string, call: Promise<unknown>) => {
    (await backend.next(key)).answer(500);
    await call;
  };
  await answered(LOGIN, api.login(credentials, signal));
  await answered(REGISTER, api.registerUser(credentials, signal));
  await answered(LIST, api.listProjects(signal));
  await answered(CREATE, api.createProject(project, signal));
  return backend.calls;
}

const tokens = (calls: Call[]) => calls.map(({ headers }) => headers.get('x-xsrf-token'));

describe('what is sent', () => {
  test('[CALL-1, CONST-1, CALL-5, CALL-7, CALL-8, CALL-9] the four calls, their paths and their bodies', async () => {
    const calls = await sent(() => '');
    expect(calls.map(({ method, path, body }) => ({ method, path, body }))).toEqual([
      { method: 'POST', path: '/api/v1/auth/login', body: credentials },
      { method: 'POST', path: '/api/v1/users/register', body: credentials },
      { method: 'GET', path: '/api/v1/projects', body: undefined },
      { method: 'POST', path: '/api/v1/projects', body: project },
    ]);
  });

  test('[CALL-2] bodies are JSON, and JSON is asked for', async () => {
    const [login, register, list, create] = await sent(() => '');
    for (const call of [login, register, create]) {
      expect(call?.headers.get('content-type')).toBe('application/json');
    }
    expect(list?.headers.get('content-type')).toBeNull();
    for (const call of [login, register, list, create]) {
      expect(call?.headers.get('accept')).toBe('application/json');
    }
  });

  test('[CALL-3] cookies go with every call', async () => {
    for (const call of await sent(() => '')) expect(call.credentials).toBe('include');
  });

  test('[CONST-4] the list is asked for as a whole, and never taken from the cache of the browser', async () => {
    const list = (await sent(() => '')).find(({ method }) => method === 'GET');
    expect(list?.cache).toBe('no-store');
    expect(list?.path).toBe('/api/v1/projects');
  });

  test('each creation has a key of its own, so that a repeated request can be told from a second project', async () => {
    const [first] = (await sent(() => '')).slice(3);
    const [second] = (await sent(() => '')).slice(3);
    expect(first?.headers.get('idempotency-key')).toMatch(/^[0-9a-f]{32}$/);
    expect(second?.headers.get('idempotency-key')).not.toBe(first?.headers.get('idempotency-key'));
  });
});

describe('the anti-forgery header', () => {
  test('[CALL-4, CHOICE-21] repeats the cookie in every call, percent-decoded', async () => {
    const token = 'a+b/c="1"';
    const calls = await sent(() => `theme=dark; XSRF-TOKEN=${encodeURIComponent(token)}; x=1`);
    expect(tokens(calls)).toEqual([token, token, token, token]);
  });

  test('[CHOICE-21] is not sent while there is no cookie, or one of a similar name', async () => {
    expect(tokens(await sent(() => 'MY-XSRF-TOKEN=1; XSRF-TOKEN2=2'))).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(tokens(await sent(() => 'XSRF-TOKEN='))).toEqual([null, null, null, null]);
  });

  test('[CHOICE-21] is not sent to another origin', async () => {
    const calls = await sent(() => 'XSRF-TOKEN=abc', 'https://elsewhere.example');
    expect(tokens(calls)).toEqual([null, null, null, null]);
  });

  test.each(['%', '%E0%A4%A', 'a%zz'])(
    '[CHOICE-20] a cookie of %s does not stop a call',
    async (value) => {
      expect(tokens(await sent(() => `XSRF-TOKEN=${value}`))).toEqual([value, value, value, value]);
    },
  );

  test('[CHOICE-20] a value that no header can carry does not stop a call', async () => {
    const calls = await sent(() => `XSRF-TOKEN=${encodeURIComponent('a\nb')}`);
    expect(tokens(calls)).toEqual([null, null, null, null]);
  });

  test('a browser that refuses cookies does not stop a call', async () => {
    const refuse = () => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    };
    expect(tokens(await sent(refuse))).toEqual([null, null, null, null]);
  });
});

test('[CONST-3] a call has no time limit: nothing but its own signal can end it', async () => {
  const backend = controlledBackend();
  const api = createApi({ origin, fetch: backend.fetch, cookies: () => '' });
  const giveUp = new AbortController();
  const list = api.listProjects(giveUp.signal);
  const call = await backend.next(LIST);
  expect(call.signal.aborted).toBe(false);
  giveUp.abort();
  expect(call.signal.aborted).toBe(true);
  expect(await list).toMatchObject({ ok: false });
});
