import type { Project } from '../../../machines/types.ts';
import { createHmac, randomBytes } from 'node:crypto';
import {
  requestCookie,
  exemplary,
  idempotencyKeys,
  jsonResponse,
  startBackend,
  withHeaders,
  type StoredAccount,
  type Change,
} from './backend.ts';
import * as change from './changes.ts';
import type { BackendRequest, BackendResponse } from './stub-server.ts';
import type { TestClock } from './test-clock.ts';

const response = (status: number, body = ''): BackendResponse => ({
  status,
  headers: body === '' ? {} : { 'content-type': 'application/json; charset=utf-8' },
  body,
});

const createdAs =
  (status: number): Change =>
  () => ({
    registered: () => jsonResponse(status, { role: 'owner' }),
    created: (project) => jsonResponse(status, project),
  });

const withExtraFields = (project: Project) => ({
  ...project,
  createdAt: '2030-01-01',
  owner: { id: 1 },
  tags: [],
});

const anyone: StoredAccount = { email: '', password: '', projects: [] };

const refusedAs =
  (status: number): Change =>
  () => ({ refuse: (_status, message) => jsonResponse(status, { message }) });

const numericIds = change.ids((count) => count + 1);

const sign = (text: string) => createHmac('sha256', 'a secret').update(text).digest('base64url');

const encodeSessions =
  (encode: (token: Buffer) => string): Change =>
  () => ({ createToken: () => encode(randomBytes(18)) });

/** Every response sets a new token. The old one is valid for ten more seconds. */
const rotatedSessions: Change = (backend, clock) => {
  const endTimes = new Map<string, number>();
  const isValid = (session: string) => clock.now() < (endTimes.get(session) ?? Infinity);
  return change.all(
    () => ({
      findAccount: (session) => (isValid(session) ? backend.sessions.get(session) : undefined),
    }),
    change.renewedCookies((session, account, request) => {
      if (!endTimes.has(session)) endTimes.set(session, clock.now() + 10_000);
      return [backend.sessionCookie(backend.createSession(account, '', request))];
    }),
  );
};

/** Two sign-ins within one second create the same token. */
const jwtSessions: Change = ({ accounts }) => ({
  createSession({ email }) {
    const claims = { sub: email, iat: Math.floor(Date.now() / 1000) };
    const text = [{ alg: 'HS256' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${text}.${sign(text)}`;
  },
  findAccount(session) {
    const [header, claims = '', signature] = session.split('.');
    if (signature !== sign(`${header}.${claims}`)) return undefined;
    const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sub: string };
    return accounts.get(sub);
  },
});

type Limit = {
  count: number;
  isCounted?: (request: BackendRequest) => boolean;
  keyOf?: (request: BackendRequest) => string;
  status?: number;
  retryAfter?: () => string | undefined;
};

const isAttempt = (request: BackendRequest) => change.isOperation(request, 'login', 'registerUser');

const pleaseWait = (status: number, retryAfter: string | undefined) =>
  withHeaders(jsonResponse(status, { message: 'Please wait.' }), { 'retry-after': retryAfter });

/** Refuses further requests of one minute. By default sign-ins and registrations count. */
const limitPerMinute =
  ({
    count,
    isCounted = isAttempt,
    keyOf = () => '',
    status = 429,
    retryAfter = () => '60',
  }: Limit): Change =>
  (_backend, clock) => {
    const windows = new Map<string, { endMs: number; count: number }>();
    return change.requests((request) => {
      if (!isCounted(request)) return undefined;
      let window = windows.get(keyOf(request));
      if (!window || clock.now() >= window.endMs)
        window = { endMs: clock.now() + 60_000, count: 0 };
      windows.set(keyOf(request), window);
      window.count += 1;
      return window.count > count && pleaseWait(status, retryAfter());
    });
  };

/** Refuses each nth sign-in or registration. It may be repeated at once. */
const throttleEach =
  (attempt: number): Change =>
  () => {
    let count = 0;
    return change.requests(
      (request) => isAttempt(request) && ++count % attempt === 0 && pleaseWait(429, '0'),
    );
  };

/** Sends HTTP/1.0 without Content-Length, and lines that end with LF. */
const oldHttp = (version = 'HTTP/1.0', oddLines = (_length: number): string[] => []): Change =>
  change.responses((sent) => {
    const { status, headers, body } = sent;
    const lines = Object.entries(headers).flatMap(([name, values]) =>
      [values].flat().map((value) => `${name} : ${value}`),
    );
    const odd = oddLines(Buffer.byteLength(body));
    const text = [`${version} ${status} ok`, ...lines, ...odd, '', body].join('\n');
    return { ...sent, write: ({ socket }) => socket!.end(text) };
  });

/** Sends bodies in chunks, and closes the connection. */
const chunked = change.responses((sent) => ({
  ...sent,
  write(serverResponse) {
    serverResponse.writeHead(sent.status, { ...sent.headers, connection: 'close' });
    for (const [chunk] of String(sent.body).matchAll(/[^]{1,64}/gu)) serverResponse.write(chunk);
    serverResponse.end();
  },
}));

export const allowOrigin = (appOrigin: string): Change =>
  change.respond(async (request, next) => {
    const { origin } = request.headers;
    if (origin !== appOrigin) return next(request);
    const headers = {
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'Content-Type, Idempotency-Key',
      vary: 'Origin',
    };
    return request.method === 'OPTIONS'
      ? { status: 204, headers, body: '' }
      : withHeaders(await next(request), headers);
  });

/** The kit needs `--wait` for these. */
const throttling: Record<string, Change> = {
  '20 sign-ins a minute are allowed': limitPerMinute({ count: 20 }),
  '10 sign-ins a minute are allowed per email, and Retry-After is a date': limitPerMinute({
    count: 10,
    keyOf: change.emailOf,
    retryAfter: () => new Date(Date.now() + 60_000).toUTCString(),
  }),
  '100 requests a minute are allowed, and 429 has no Retry-After': limitPerMinute({
    count: 100,
    isCounted: () => true,
    retryAfter: () => undefined,
  }),
  '50 requests a minute are allowed per session, then the status is 503': limitPerMinute({
    count: 50,
    isCounted: () => true,
    keyOf: change.sessionOf,
    status: 503,
  }),
};

const others: Record<string, Change> = {
  'projects are shared and public, ids are numbers, and login sets no cookie': change.all(
    numericIds,
    createdAs(200),
    (backend) => ({
      registered: () => response(200),
      signIn: () => [],
      // Of all users and visitors.
      findAccount: () => anyone,
      projectsOf: () => backend.projects,
    }),
  ),
  'errors are 400 problem documents, successes are 200, and bodies have extra fields': () => ({
    refuse(_status, message) {
      const problem = { type: 'about:blank', title: 'Refused', status: 400, detail: message };
      return withHeaders(jsonResponse(400, { ...problem, message }), {
        'content-type': 'application/problem+json',
      });
    },
    loggedIn: () => response(200, '{"ok":true,"token":"abcdefgh"}'),
    registered: () =>
      response(
        200,
        '{"id":7,"passwordChangedAt":"2030-01-01T00:00:00Z","mustChangePassword":false}',
      ),
    created: (project) => jsonResponse(200, withExtraFields(project)),
    listOf: ({ projects }) => projects.map(withExtraFields),
  }),
  'login returns 204, registering signs in, and the session cookie has the path /api/v1': (
    backend,
  ) => ({
    loggedIn: () => response(204),
    registered(call) {
      const account = backend.accounts.get(backend.emailKey(String(call.json['email'])))!;
      const sent = response(201, '{"role":"owner"}');
      return change.withSetCookies(sent, backend.signIn(account, call));
    },
    sessionCookie: (id) => `session=${id}; Path=/api/v1; HttpOnly; SameSite=Strict; Max-Age=600`,
  }),
  'emails and passwords are restricted, and messages have no spaces': ({
    findCredentialsFault,
  }) => ({
    registered: () => response(201),
    findCredentialsFault(email, password) {
      if (/\+|.{101}/.test(email)) return '邮箱太长。';
      if (!/^[ -~]{8,72}$/.test(password)) return '密码无效。';
      return findCredentialsFault(email, password);
    },
  }),
  'validation is strict and frequent attempts are throttled': change.all(
    throttleEach(25),
    refusedAs(422),
    ({ findCredentialsFault, findProjectFault }) => ({
      findCredentialsFault(email, password) {
        if (password.length > 64) return 'A password has at most 64 characters.';
        return findCredentialsFault(email, password);
      },
      findProjectFault(texts) {
        const values = Object.values(texts).map(String);
        if (values.some((text) => text.trim() === '')) return 'Each text is required.';
        const isLong = values.some((text) => text.length > 120);
        return isLong ? 'This text is too long.' : findProjectFault(texts);
      },
    }),
  ),
  'a body of more than 200 kB is refused': change.requests(
    ({ body }) => Buffer.byteLength(body) > 200_000 && change.error(413),
  ),
  'sessions are JWTs that count seconds': jwtSessions,
  // Like express-session.
  'session cookies are signed': encodeSessions((token) => {
    const id = token.toString('hex');
    return encodeURIComponent(`s:${id}.${sign(id)}=`);
  }),
  'session cookies contain + / and =': encodeSessions((token) => `${token.toString('base64')}+/==`),
  'session cookies are JSON in base64, whose time is not read': ({
    createSession,
    findAccount,
  }) => ({
    createSession(...args) {
      const json = JSON.stringify({ time: 1, token: createSession(...args) });
      return encodeURIComponent(Buffer.from(json).toString('base64'));
    },
    findAccount(session, request) {
      const text = Buffer.from(decodeURIComponent(session), 'base64').toString();
      return findAccount(/[\da-f]{20,}/.exec(text)?.[0] ?? '', request);
    },
  }),
  'session cookies are quoted': encodeSessions((token) => `"${token.toString('hex')}"`),
  'a user who signs in again keeps the session': ({ sessions, createSession }) => ({
    createSession: (account, old, request) =>
      sessions.get(old) === account ? old : createSession(account, '', request),
  }),
  'every response sets another session cookie': rotatedSessions,
  'every response sets the session cookie again': (backend) =>
    change.renewedCookies((session) => [backend.sessionCookie(session)]),
  'signing in also sets cookies of analytics, and deletes one': ({ signIn }) => ({
    signIn: (account, call) => [
      'visitor=0123456789; Path=/',
      'elsewhere=0123456789; Domain=analytics.example; Path=/',
      'short=0123456789; Path=/; Max-Age=5',
      'old=deleted; Path=/; Expires=Thu, 01 Jan 1970 00:00:01 GMT; Max-Age=0',
      ...signIn(account, call),
    ],
  }),
  // Like Django on https.
  'the Referer is checked': change.requests(({ method, headers: { host, referer } }) => {
    const isOwn = String(referer).startsWith(`http://${String(host)}/`);
    return method === 'POST' && !isOwn && change.error(403, 'The Referer is missing.');
  }),
  'responses are HTTP/1.0, and their lines end with LF': oldHttp(),
  // A version in lower case, a line without a name, and the length twice.
  'heads have odd lines that browsers accept': oldHttp('http/1.0', (length) => [
    ': a line without a name',
    `Content-Length: ${length}, ${length}`,
  ]),
  'nothing is validated and projects are shared': change.all(
    numericIds,
    ({ projects, listProjects }) => ({
      emailKey: (email) => email,
      findCredentialsFault: () => undefined,
      findProjectFault: () => undefined,
      projectsOf: () => projects,
      listProjects: (call) => listProjects({ ...call, account: anyone }),
    }),
  ),
  'the first list sets a percent-encoded XSRF token that createProject requires': change.all(
    refusedAs(403),
    idempotencyKeys,
    ({ listProjects }) => {
      const tokens = new Map<string, string>();
      return {
        listProjects(call) {
          const sent = listProjects(call);
          if (!call.account || tokens.has(call.session)) return sent;
          const token = `${randomBytes(8).toString('base64')}/+=`;
          tokens.set(call.session, token);
          const cookie = `XSRF-TOKEN=${encodeURIComponent(token)}; Path=/; SameSite=Lax`;
          return change.withSetCookies(sent, [cookie]);
        },
        isXsrfTokenRight({ request, session }) {
          const token = request.headers['x-xsrf-token'];
          return Boolean(token) && token === tokens.get(session);
        },
      };
    },
  ),
  'connections are closed, bodies are chunked, and errors come from a web framework': change.all(
    createdAs(202),
    change.unknownRequests(jsonResponse(404, { message: 'Not found', statusCode: 404 })),
    // Like http.Error of Go.
    change.refusals((refusal) => withHeaders(refusal, { 'content-type': 'text/plain' })),
    chunked,
  ),
};

export const appOrigin = 'https://app.example.org';

const ofAnotherOrigin: Record<string, Change> = {
  // What XSRF-2 requires.
  'a token is required of its own origin only': change.all(
    exemplary,
    ({ isXsrfTokenRight }) => ({
      isXsrfTokenRight: (call) =>
        call.request.headers['origin'] === appOrigin || isXsrfTokenRight(call),
    }),
    allowOrigin(appOrigin),
  ),
  'cookies are sent from another site': change.all(
    exemplary,
    ({ isXsrfTokenRight }) => ({
      isXsrfTokenRight: (call) =>
        call.request.headers['origin'] === appOrigin || isXsrfTokenRight(call),
    }),
    change.after('sessionCookie', (line) => line.replace('SameSite=Lax', 'SameSite=None; Secure')),
    allowOrigin(appOrigin),
  ),
  'titles are unique and the app has another origin': change.all(
    ({ createProject, refuse }) => ({
      createProject: (call) =>
        call.account?.projects.some(({ title }) => title === call.json['title'])
          ? refuse(409, 'A project with this title exists.')
          : createProject(call),
    }),
    allowOrigin(appOrigin),
  ),
};

/** Each session has one of the ends in turn. No end is read. */
function endingWith(ends: string[]): Change {
  let count = 0;
  return change.all(
    change.after('sessionCookie', (line) =>
      line.replace(/(session=\w+);/, (_, cookie) => `${cookie}${ends[count++ % ends.length]};`),
    ),
    change.requests((request) => {
      const cookie = String(request.headers['cookie'] ?? '');
      const headers = {
        ...request.headers,
        cookie: cookie.replace(/((^|; )session=\w+)[^;]*/, '$1'),
      };
      return { ...request, headers };
    }),
  );
}

/** What routers, sequences and frameworks do, and no user suffers from. They meet every SHOULD. */
export const oddities: Record<string, Change> = {
  ...Object.fromEntries(
    // Jetty and WildFly, Tomcat in a cluster, and WebLogic with a backup.
    ['.node0', '.1 .2', '!-1583928172!tracker-server-2'].map((ends) => [
      `a session cookie ends with the name of a server, which is not compared: ${ends}`,
      endingWith(ends.split(' ')),
    ]),
  ),
  'a session needs a second cookie, which is readable': ({ signIn, findAccount }) => ({
    // The email in it is not trusted.
    signIn: (account, call) => [
      `payload=${encodeURIComponent(account.email)}; Path=/`,
      ...signIn(account, call),
    ],
    findAccount: (session, request) =>
      requestCookie(request, 'payload') === undefined ? undefined : findAccount(session, request),
  }),
  // As signed cookies that two visitors get in one second.
  'a refusal and a registration set the cookie of a visitor, the same for all': change.responses(
    (sent, request, { sessions }) => {
      const cookie = `session=${'no-user-'.repeat(4)}; Path=/; HttpOnly; SameSite=Lax; Max-Age=600`;
      const isVisitor = sent.status === 401 || request.path.endsWith('register');
      return (
        isVisitor &&
        !sessions.has(change.sessionOf(request)) &&
        change.withSetCookies(sent, [cookie])
      );
    },
  ),
  'addresses may end in a slash and have any letter case, and ids are numbers': change.all(
    change.requests((request) => ({
      ...request,
      path: request.path.replace(/(?<=.)\/$/, '').toLowerCase(),
    })),
    numericIds,
  ),
  // The latter like Spring Security.
  'ids are the text of a sequence, and the XSRF token is compared with its cookie only': change.all(
    change.ids(String),
    ({ signIn }) => ({
      // The cookie never changes.
      signIn(account, call) {
        const hasToken = requestCookie(call.request, 'XSRF-TOKEN') !== undefined;
        const cookie = `XSRF-TOKEN=${randomBytes(16).toString('hex')}; Path=/; SameSite=Lax; Max-Age=600`;
        return [...signIn(account, call), ...(hasToken ? [] : [cookie])];
      },
      isXsrfTokenRight({ request }) {
        const token = request.headers['x-xsrf-token'];
        return Boolean(token) && token === requestCookie(request, 'XSRF-TOKEN');
      },
    }),
  ),
  'five wrong passwords lock an account for a minute': change.lockAfter(5, pleaseWait(429, '60')),
  'a refused sign-in repeats its email, and five lock an account with a message': change.all(
    () => ({
      refuseLogin: (_account, { json }) =>
        change.error(401, `The password of ${String(json['email'])} is not right.`),
    }),
    change.lockAfter(5, change.error(403, 'This account is locked.')),
  ),
  // What XSRF-7 and SIGNIN-11 allow.
  'each list sets a new XSRF token, and an old session cookie is refused once': (backend) =>
    change.all(
      change.responsesTo('listProjects', 200, (list, request) => {
        const token = backend.xsrfToken(change.sessionOf(request));
        return token !== undefined && change.withSetCookies(list, [backend.xsrfCookie(token)]);
      }),
      () => ({ xsrfCookie: (token) => `XSRF-TOKEN=${token}; Path=/; SameSite=Lax` }),
      change.requestsTo('login', (request) => {
        const session = change.sessionOf(request);
        const end = ['session=; Max-Age=0; Path=/'];
        const isOld = session !== '' && !backend.sessions.has(session);
        return isOld && change.withSetCookies(change.error(403, 'Please try again.'), end);
      }),
    ),
  'the projects of each user are numbered from 1': () => {
    let count = 0;
    return change.all(
      change.before(
        'createProject',
        (_, { account }) => void (count = account?.projects.length ?? 0),
      ),
      () => ({ createId: () => count + 1 }),
    );
  },
  // Like ObjectId of MongoDB within one second.
  'ids end in a hexadecimal sequence': change.ids(
    (count) => `65f0c0de9a1b2c3d4e${count.toString(16).padStart(6, '0')}`,
  ),
};

/** Backends that meet the specification and differ from each other where they may. */
export const validVariants = Object.entries({ ...throttling, ...others, ...ofAnotherOrigin }).map(
  ([name, changes]) => ({
    name,
    isPatient: name in throttling,
    appOrigin: name in ofAnotherOrigin ? appOrigin : undefined,
    start: (clock: TestClock) => startBackend(clock, changes),
  }),
);
