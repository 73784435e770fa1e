import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { controlledBackend, type ReceivedRequest } from '../../../model/controlled-backend.ts';
import { callNames } from '../../../model/calls.ts';
import { operationOf, parseRequest } from '../../../model/requests.ts';
import { callApi, inputFor } from '../../../testing/call-api.ts';
import { credentialsOf } from '../../../testing/credentials.ts';
import { newProject, projectOf } from '../../../testing/projects.ts';

const origin = 'https://tracker.example';
const { signal } = new AbortController();

async function sendAll(cookies: () => string, baseUrl = origin): Promise<ReceivedRequest[]> {
  const backend = controlledBackend();
  const api = createApi({ origin, baseUrl, fetch: backend.fetch, cookies });
  return Promise.all(
    callNames.map(async (call) => {
      const outcome = callApi(api, call, signal);
      const request = await backend.next(call);
      request.answer(500);
      await outcome;
      return request;
    }),
  );
}

describe('the requests', () => {
  test('have the paths and bodies of the contract [CALL-1, CONST-1, CALL-5, CALL-7, CALL-8, CALL-9]', async () => {
    const calls = await sendAll(() => '');
    expect(
      calls.map(({ method, path, body }) => parseRequest(method, origin + path, body)),
    ).toEqual(callNames.map((call) => ({ call, sent: inputFor(call) })));
  });

  test('send JSON and accept JSON [CALL-2]', async () => {
    const calls = await sendAll(() => '');
    const headers = (name: string) => calls.map((call) => call.headers.get(name));
    const json = 'application/json';
    const hasBody = callNames.map((call) => operationOf(call).hasBody);
    expect(headers('content-type')).toEqual(hasBody.map((expected) => (expected ? json : null)));
    expect(headers('accept')).toEqual(callNames.map(() => json));
  });

  test('include cookies [CALL-3]', async () => {
    for (const call of await sendAll(() => '')) expect(call.credentials).toBe('include');
  });

  test('ask for the whole list and bypass the browser cache [CONST-4]', async () => {
    const list = (await sendAll(() => ''))[callNames.indexOf('listProjects')];
    expect(list?.cache).toBe('no-store');
    expect(list?.path).toBe(operationOf('listProjects').path);
  });
});

test('a creation is sent although the tab closes, unless its body is large or there was no answer before [CHOICE-123]', async () => {
  const requests: Request[] = [];
  const answers = [200, 0, 500, 500, 500];
  const api = createApi({
    origin,
    cookies: () => '',
    async fetch(request) {
      requests.push(request);
      const status = answers[requests.length - 1]!;
      return status ? new Response('{}', { status }) : Promise.reject(new TypeError('refused'));
    },
  });
  const create = (project = newProject()) => api.call('createProject', project, signal);
  await api.call('login', credentialsOf(), signal);
  await create();
  await create();
  await create(projectOf(() => '\u00FC'.repeat(12_000)));
  await create(projectOf(() => '\u00FC'.repeat(16_000)));
  expect(requests.map(({ keepalive }) => keepalive)).toEqual([false, true, false, true, false]);
});

describe('the XSRF header', () => {
  const forbidden = () => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  };

  type Case = [title: string, token: string | null, cookies: () => string, baseUrl?: string];
  const decoded = 'a+b/c="1"';
  const encoded = encodeURIComponent(decoded);

  test.each<Case>([
    [
      'repeats the percent-decoded cookie [CALL-4, CHOICE-21]',
      decoded,
      () => `theme=dark; XSRF-TOKEN=${encoded}; x=1`,
    ],
    ...['%', '%E0%A4%A', 'a%zz'].map((value): Case => {
      return [`repeats "${value}" as it is [CHOICE-20]`, value, () => `XSRF-TOKEN=${value}`];
    }),
    ['is absent when no header can carry the value [CHOICE-20]', null, () => 'XSRF-TOKEN=a%0Ab'],
    [
      'is absent when only cookies of similar names exist [CHOICE-21]',
      null,
      () => 'MY-XSRF-TOKEN=1; XSRF-TOKEN2=2',
    ],
    ['is absent when the cookie is empty [CHOICE-21]', null, () => 'XSRF-TOKEN='],
    [
      'is absent when the API has another origin [CHOICE-21]',
      null,
      () => 'XSRF-TOKEN=abc',
      'https://elsewhere.example',
    ],
    ['is absent when the browser blocks cookies', null, forbidden],
  ])('%s, in the request of each call', async (_, token, cookies, baseUrl) => {
    const calls = await sendAll(cookies, baseUrl);
    const tokens = calls.map(({ headers }) => headers.get('x-xsrf-token'));
    expect(tokens).toEqual(callNames.map(() => token));
  });
});

describe('of several XSRF cookies, the header', () => {
  const other = 'XSRF-TOKEN=other';

  /** Creates projects in turn. Each has the cookies at the request, at the answer, and a status. */
  async function createInTurn(steps: [before: string, after: string, status: number][]) {
    const backend = controlledBackend();
    let cookies = '';
    const api = createApi({ origin, fetch: backend.fetch, cookies: () => cookies });
    const sent: (string | null)[] = [];
    for (const [before, after, status] of steps) {
      cookies = before;
      const outcome = callApi(api, 'createProject', signal).catch(() => 'no project');
      const request = await backend.next('createProject');
      sent.push(request.headers.get('x-xsrf-token'));
      cookies = after;
      request.answer(status);
      await outcome;
    }
    return sent;
  }

  test.each(['', `${other}2; `])(
    'has the one that a response set, wherever it stands: after "%s" [CHOICE-94]',
    async (more) => {
      const before = `${more}${other}`;
      for (const after of [`XSRF-TOKEN=ours; ${before}`, `${before}; XSRF-TOKEN=ours`]) {
        const tokens = await createInTurn([
          [before, after, 200],
          [after, after, 422],
          [`${before}3; ${after}`, after, 200],
        ]);
        expect(tokens.slice(1)).toEqual(['ours', 'ours']);
      }
    },
  );

  test.each([403, 419])('has the next one after a refusal with %i [CHOICE-94]', async (status) => {
    const cookies = `${other}; XSRF-TOKEN=ours; ${other}2`;
    const step = (answer: number): [string, string, number] => [cookies, cookies, answer];
    const steps = [step(422), step(status), step(422), step(status), step(status), step(200)];
    expect(await createInTurn(steps)).toEqual([
      'other',
      'other',
      'ours',
      'ours',
      'other2',
      'other',
    ]);
  });

  test('has the first usable one [CHOICE-20, CHOICE-94]', async () => {
    const cookies = 'XSRF-TOKEN=; XSRF-TOKEN=a%0Ab; XSRF-TOKEN=ours';
    expect(await createInTurn([[cookies, cookies, 200]])).toEqual(['ours']);
  });
});

test.each(callNames)(
  'only its own signal ends a call of %s, because there is no timeout [CONST-3]',
  async (name) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    using timeout = vi.spyOn(AbortSignal, 'timeout');
    const backend = controlledBackend();
    const api = createApi({ origin, fetch: backend.fetch, cookies: () => '' });
    const abortController = new AbortController();
    const outcome = callApi(api, name, abortController.signal);
    const call = await backend.next(name);
    vi.advanceTimersByTime(3_600_000);
    expect([call.signal.aborted, timeout.mock.calls]).toEqual([false, []]);
    abortController.abort();
    expect(call.signal.aborted).toBe(true);
    expect(await outcome).toMatchObject({ ok: false });
  },
);
