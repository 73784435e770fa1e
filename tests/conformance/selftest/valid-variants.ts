import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { incomingOf, startServer, type Running } from './fault-proxy.ts';

/**
 * Backends that keep to the specification and choose otherwise wherever it is silent. The kit must find nothing to fail in any of
 * them.
 */
export type ValidVariant = {
  name: string;
  /** Where its app lives, when that is elsewhere. */
  origin: string | undefined;
  start: () => Promise<Running>;
};

type Choices = {
  /** Everybody sees every project, whoever they are. */
  shared?: boolean;
  /** Visitors may read. */
  openReading?: boolean;
  /** Nobody has to be signed in, and signing in leaves no cookie. */
  stateless?: boolean;
  numericIds?: boolean;
  /** The status of every success that the contract has as 201, and of every refusal. */
  created?: number;
  refused?: number;
  loginStatus?: number;
  loginBody?: string;
  registerBody?: string;
  /** Each body of a refusal says more, as a problem. */
  problems?: boolean;
  extraKeys?: boolean;
  /** Neither addresses nor lengths nor types are looked at. */
  lax?: boolean;
  /** Passwords need letters of both cases, a digit and a sign; blank titles and long texts are refused. */
  strict?: boolean;
  /** A token is given with the first list, percent-encoded, and asked for. */
  xsrf?: boolean;
  /** Registering signs in. */
  registerSignsIn?: boolean;
  cookie?: (token: string) => string;
  /** Every so many sign-ins and registrations are asked to wait. */
  throttleEvery?: number;
  /** Nothing is kept alive, and bodies come in chunks. */
  chunked?: boolean;
  caseSensitive?: boolean;
  honoursKeys?: boolean;
  /** No two projects of a person may have one title. */
  ownTitles?: boolean;
  /** The app lives there: it may read answers, and nobody else may. */
  origin?: string;
  /** Errors of reading a body, unknown addresses and wrong methods come as a framework gives them. */
  plainErrors?: boolean;
};

type Account = { email: string; password: string; projects: { title: string }[] };
type Reply = {
  status: number;
  body?: unknown;
  text?: string;
  headers?: Record<string, string | string[]>;
};

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const validVariants: ValidVariant[] = [
  choosing('everything is shared and open, ids are numbers, and signing in leaves no cookie', {
    stateless: true,
    shared: true,
    openReading: true,
    numericIds: true,
    created: 200,
    registerBody: '',
  }),
  choosing(
    'every refusal is 400 with a problem, successes are 200, and bodies say more than they need',
    {
      refused: 400,
      created: 200,
      problems: true,
      extraKeys: true,
      loginBody: '{"ok":true,"token":"abcdefgh"}',
      registerBody:
        '{"id":7,"passwordChangedAt":"2030-01-01T00:00:00Z","mustChangePassword":false}',
    },
  ),
  choosing('signing in is 204, registering signs in, and the session is kept to /api/v1', {
    loginStatus: 204,
    loginBody: '',
    registerSignsIn: true,
    cookie: (token) => `sid=${token}; Path=/api/v1; HttpOnly; SameSite=Strict; Max-Age=600`,
  }),
  choosing('rules are strict, and who tries often has to wait', {
    strict: true,
    throttleEvery: 25,
    refused: 422,
  }),
  choosing('nothing is validated, and lists are shared', {
    lax: true,
    shared: true,
    openReading: true,
    caseSensitive: true,
    numericIds: true,
  }),
  choosing('a percent-encoded token comes with the first list and is asked for', {
    xsrf: true,
    refused: 403,
    honoursKeys: true,
  }),
  choosing('connections are closed, bodies come in chunks, and errors are those of a framework', {
    chunked: true,
    plainErrors: true,
    created: 202,
  }),
  choosing('titles have to differ, and the app lives on another origin', {
    ownTitles: true,
    origin: 'https://app.example.org',
  }),
];

function choosing(name: string, choices: Choices): ValidVariant {
  return { name, origin: choices.origin, start: () => startDifferent(choices) };
}

function startDifferent(choices: Choices): Promise<Running> {
  const accounts: Account[] = [];
  const sessions = new Map<string, Account>();
  const tokens = new Map<string, string>();
  const everything: object[] = [];
  const keys = new Map<string, object>();
  let count = 0;
  let attempts = 0;
  const { shared, openReading, stateless, lax, strict, refused } = choices;

  const cookieFor = (account: Account): Record<string, string | string[]> => {
    if (stateless) return {};
    const token = randomBytes(16).toString('hex');
    sessions.set(token, account);
    return {
      'set-cookie': choices.cookie?.(token) ?? `id=${token}; Path=/; HttpOnly; SameSite=Lax`,
    };
  };
  const tokenOf = (message: IncomingMessage) =>
    /(?:^|; )(?:id|sid)=([^;]*)/.exec(message.headers.cookie ?? '')?.[1] ?? '';
  const refuse = (status: number, message: string): never => {
    throw new Refusal(refused ?? status, message);
  };
  const sameEmail = (one: string, other: string) =>
    choices.caseSensitive ? one === other : one.toLowerCase() === other.toLowerCase();
  const wait = (): Reply | undefined => {
    if (!choices.throttleEvery || ++attempts % choices.throttleEvery !== 0) return undefined;
    return {
      status: 429,
      body: { message: 'Please wait a moment.' },
      headers: { 'retry-after': '0' },
    };
  };

  const calls: Record<string, (body: Record<string, unknown>, message: IncomingMessage) => Reply> =
    {
      'POST /api/v1/users/register'({ email, password }) {
        if (typeof email !== 'string' || typeof password !== 'string')
          return refuse(422, 'Email and password are required.');
        if (!lax && !email.includes('@')) refuse(422, 'This is no email address.');
        if (!lax && password.length < 8) refuse(422, 'This password is too short.');
        if (
          strict &&
          !(
            /[a-z]/.test(password) &&
            /[A-Z]/.test(password) &&
            /\d/.test(password) &&
            /[^\w]/.test(password)
          )
        )
          refuse(422, 'A password needs letters, digits and signs.');
        if (strict && password.length > 64) refuse(422, 'A password has at most 64 characters.');
        if (accounts.some((each) => sameEmail(each.email, email)))
          refuse(409, 'This email is taken.');
        const account = { email, password, projects: [] };
        accounts.push(account);
        return {
          status: choices.created ?? 201,
          text: choices.registerBody ?? '{"role":"owner"}',
          ...(choices.registerSignsIn && { headers: cookieFor(account) }),
        };
      },
      'POST /api/v1/auth/login'({ email, password }) {
        const account = accounts.find(
          (each) =>
            typeof email === 'string' && sameEmail(each.email, email) && each.password === password,
        );
        if (!account) return refuse(401, 'Email or password is wrong.');
        return {
          status: choices.loginStatus ?? 200,
          text: choices.loginBody ?? 'null',
          headers: cookieFor(account),
        };
      },
      'GET /api/v1/projects'(_, message) {
        const account = sessions.get(tokenOf(message));
        if (!account && !openReading) refuse(401, 'Please sign in.');
        const headers: Record<string, string | string[]> = {};
        if (choices.xsrf && account && !tokens.has(tokenOf(message))) {
          const token = `${randomBytes(8).toString('base64')}/+=`;
          tokens.set(tokenOf(message), token);
          headers['set-cookie'] = `XSRF-TOKEN=${encodeURIComponent(token)}; Path=/; SameSite=Lax`;
        }
        return { status: 200, body: shared ? everything : (account?.projects ?? []), headers };
      },
      'POST /api/v1/projects'(body, message) {
        const account = sessions.get(tokenOf(message));
        if (!account && !stateless) refuse(401, 'Please sign in.');
        if (choices.xsrf && message.headers['x-xsrf-token'] !== tokens.get(tokenOf(message)))
          refuse(403, 'Please reload the page and try again.');
        const { title, description } = body as { title: string; description: string };
        if (!lax && (typeof title !== 'string' || typeof description !== 'string'))
          refuse(422, 'Title and description are required.');
        if (strict && (title.trim() === '' || description.trim() === ''))
          refuse(422, 'Title and description are required.');
        if (strict && (title.length > 120 || description.length > 2000))
          refuse(422, 'This text is too long.');
        const key = `${tokenOf(message)} ${String(message.headers['idempotency-key'])}`;
        const known = choices.honoursKeys ? keys.get(key) : undefined;
        if (known) return { status: 200, body: known };
        if (choices.ownTitles && account?.projects.some((each) => each.title === title))
          refuse(409, 'There is a project with this title.');
        const id = choices.numericIds ? ++count : `p-${++count}`;
        const project = {
          id,
          title,
          description,
          ...(choices.extraKeys && { createdAt: '2030-01-01', owner: { id: 1 }, tags: [] }),
        };
        keys.set(key, project);
        everything.push(project);
        account?.projects.push(project);
        return { status: choices.created ?? 201, body: project };
      },
    };

  return startServer(async (message, response) => {
    const { body, method, path } = await incomingOf(message);
    const { origin } = message.headers;
    if (origin !== undefined && origin === choices.origin) {
      response.setHeader('access-control-allow-origin', origin);
      response.setHeader('access-control-allow-credentials', 'true');
      response.setHeader('vary', 'Origin');
      if (method === 'OPTIONS') {
        response.setHeader('access-control-allow-headers', 'Content-Type, Idempotency-Key');
        return send(response, { status: 204, text: '' }, choices);
      }
    }
    return send(response, answerTo(method, path, body, message), choices);
  });

  function answerTo(method: string, path: string, body: string, message: IncomingMessage): Reply {
    const call = calls[`${method} ${path}`];
    try {
      if (!call) {
        if (choices.plainErrors)
          return { status: 404, text: '{"message":"Not found","statusCode":404}' };
        return refuse(404, 'There is nothing here.');
      }
      const throttled = path.includes('projects') ? undefined : wait();
      if (throttled) return throttled;
      if (method === 'GET') return call({}, message);
      if (body.length > 1_000_000) return refuse(413, 'This is too much.');
      const parsed: unknown = JSON.parse(body);
      if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
        return refuse(400, 'This is no object.');
      return call(parsed as Record<string, unknown>, message);
    } catch (error) {
      if (!(error instanceof Refusal))
        return { status: refused ?? 400, body: { message: 'This is no JSON.' } };
      const { status, message: text } = error;
      const more = choices.problems
        ? { type: 'about:blank', title: 'Refused', status, detail: text }
        : {};
      return { status, body: { ...more, message: text } };
    }
  }
}

function send(
  response: ServerResponse,
  { status, body, text, headers = {} }: Reply,
  { problems, chunked }: Choices,
) {
  const out = text ?? JSON.stringify(body);
  const type =
    problems && status >= 400 ? 'application/problem+json' : 'application/json; charset=utf-8';
  response.writeHead(status, {
    ...headers,
    ...(out !== '' && { 'content-type': type }),
    ...(chunked && { connection: 'close', 'transfer-encoding': 'chunked' }),
  });
  if (chunked) for (const letter of out.match(/[\s\S]{1,64}/g) ?? []) response.write(letter);
  response.end(chunked || status === 204 ? undefined : out);
}
