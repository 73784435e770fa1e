import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { newProject, storedProject, textNames } from '../../../testing/projects.ts';

const office = newProject();

/** Ends a call: with a response, or without one. */
type End = () => Response | Promise<Response>;

const answer =
  (status: number, body?: unknown): End =>
  () =>
    new Response(body === undefined ? null : JSON.stringify(body), { status });
const created = answer(201, storedProject(office));
const unavailable = answer(503);
const drop: End = () => Promise.reject(new TypeError('fetch failed'));

/** Loses the connection in the middle of the body. */
const truncate =
  (status: number): End =>
  () => {
    const start = (body: ReadableStreamDefaultController) => {
      body.enqueue(new TextEncoder().encode('{"message":'));
      body.error(new TypeError('terminated'));
    };
    return new Response(new ReadableStream({ start }), { status });
  };

/** Returns a client with the calls of a user. */
function createClient() {
  const keys: string[] = [];
  const ends: End[] = [];
  let user: string | undefined;
  const api = createApi({
    origin: 'https://tracker.example',
    async fetch({ headers }) {
      keys.push(headers.get('idempotency-key') ?? '');
      return ends.shift()!();
    },
    cookies: () => '',
    user: () => user,
  });
  const { signal } = new AbortController();
  return {
    /** Submits a project. Returns its key. */
    submit: async (project: typeof office, end: End) => {
      ends.push(end);
      // A copy, as each submit of a form is.
      await api.call('createProject', { ...project }, signal).catch(() => {});
      return keys.at(-1);
    },
    signIn: (key: string) => void (user = key),
  };
}

test.each<[string, End]>([
  ['no response', drop],
  ['a 201 that is no project', answer(201, { created: true })],
  ['a 201 that is cut off', truncate(201)],
  ['a 422 that is cut off', truncate(422)],
  ...[300, 401, 403, 404, 408, 421, 425, 429, 431, 451, 500, 502, 503, 504].map(
    (status): [string, End] => [`a ${status}`, answer(status, { message: 'No.' })],
  ),
])(
  'the same texts have the same key after %s, until they are created [CHOICE-89]',
  async (_, end) => {
    const { submit } = createClient();
    const key = await submit(office, end);
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(await submit(office, end)).toBe(key);
    expect(await submit(office, created)).toBe(key);
    expect(await submit(office, created)).not.toBe(key);
  },
);

test.each([200, 201])(
  'a project that is created with %i ends its key [CHOICE-89]',
  async (status) => {
    const { submit } = createClient();
    const key = await submit(office, answer(status, storedProject(office)));
    expect(await submit(office, created)).not.toBe(key);
  },
);

const decidingStatuses = [400, 409, 413, 415, 422];

test.each(['openapi.yaml', 'docs/specification.md'])(
  '%s names the statuses after which the key is a new one [CHOICE-90]',
  (file) => {
    const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
    const lists = text.replaceAll(/\s+/g, ' ').match(/\d{3}(, \d{3})+ or \d{3}/g);
    expect([...new Set(lists)]).toEqual([
      decidingStatuses.join(', ').replace(/, (\d+)$/, ' or $1'),
    ]);
  },
);

test.each(decidingStatuses)(
  'the same texts have a new key after a %i [CHOICE-90]',
  async (status) => {
    const { submit } = createClient();
    const key = await submit(office, unavailable);
    expect(await submit(office, answer(status))).toBe(key);
    expect(await submit(office, unavailable)).not.toBe(key);
  },
);

test.each(textNames)(
  'each %s has a key of its own, until its own answer decides [CHOICE-89, CHOICE-90]',
  async (name) => {
    const { submit } = createClient();
    const [other, third] = ['Boxes', 'Keys'].map((text) => newProject({ [name]: text }));
    const keys: unknown[] = [];
    for (const project of [office, other!, third!]) keys.push(await submit(project, unavailable));
    expect(new Set(keys).size).toBe(3);
    expect(await submit(other!, answer(422))).toBe(keys[1]);
    expect(await submit(office, unavailable)).toBe(keys[0]);
    expect(await submit(other!, unavailable)).not.toBe(keys[1]);
    expect(await submit(third!, unavailable)).toBe(keys[2]);
  },
);

test('another user has new keys, also when the first one signs in again [CHOICE-91]', async () => {
  const { submit, signIn } = createClient();
  signIn('ada');
  const ada = await submit(office, unavailable);
  signIn('bob');
  const bob = await submit(office, unavailable);
  expect(bob).not.toBe(ada);
  signIn('ada');
  expect([ada, bob]).not.toContain(await submit(office, unavailable));
});

test('the same texts have the same key after the first sign-in in a browser, and another of the same user [CHOICE-89, CHOICE-91]', async () => {
  const { submit, signIn } = createClient();
  const key = await submit(office, unavailable);
  signIn('ada');
  expect(await submit(office, unavailable)).toBe(key);
  signIn('ada');
  expect(await submit(office, unavailable)).toBe(key);
});

test("a late answer to another user's project decides nothing [CHOICE-91]", async () => {
  const { submit, signIn } = createClient();
  const late = Promise.withResolvers<Response>();
  signIn('ada');
  const ofAda = submit(office, () => late.promise);
  signIn('bob');
  const key = await submit(office, unavailable);
  late.resolve(await created());
  await ofAda;
  expect(await submit(office, unavailable)).toBe(key);
});
