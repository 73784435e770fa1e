import { requestCookie, type Change } from '../backend.ts';
import * as change from '../changes.ts';
import type { BackendRequest } from '../stub-server.ts';

type Replacement = [pattern: string | RegExp, replacement: string];

const sessionCookie = (...replacement: Replacement) =>
  change.after('sessionCookie', (line) => line.replace(...replacement));

const xsrfCookie = (...replacement: Replacement) =>
  change.after('xsrfCookie', (line) => line.replace(...replacement));

/** Needs a token only of requests without an Origin. */
const tokenWithoutOrigin: Change = ({ isXsrfTokenRight }) => ({
  isXsrfTokenRight: (call) =>
    call.request.headers['origin'] !== undefined || isXsrfTokenRight(call),
});

const ownTokens: Parameters<typeof change.inTwoProcesses>[0] =
  ({ isXsrfTokenRight }, isOwn) =>
  () => ({
    isXsrfTokenRight: (call) => isOwn(call.session, call.request) && isXsrfTokenRight(call),
  });

const tokenOf = ({ headers }: BackendRequest) => String(headers['x-xsrf-token'] ?? '');

/** Faults of cookies and of the XSRF token that break other checks. */
export const cookieFaults: Record<string, Change> = {
  'COOKIE-1: the cookies have the domain of another host': change.after('cookiesOf', (lines) =>
    lines.map((line) => `${line}; Domain=example.com`),
  ),
  'COOKIE-1: the session cookie is SameSite=None without Secure': sessionCookie(
    'SameSite=Lax',
    'SameSite=None',
  ),
  'COOKIE-1: the session cookie is longer than browsers accept': sessionCookie(
    /;/,
    `${'x'.repeat(4096)};`,
  ),
  'COOKIE-1: two cookies are joined in one Set-Cookie header': change.after(
    'cookiesOf',
    (lines) => [lines.join(', ')],
  ),
  'SIGNIN-20: each seventh sign-in sets no session cookie': () => {
    let count = 0;
    return change.after(
      'signIn',
      (cookies) => ++count % 7 === 0 && cookies.filter((line) => !line.startsWith('session=')),
    );
  },
  'SIGNIN-20: one of two sign-ins at once sets no XSRF-TOKEN': change.atOnce(
    'login',
    async (place, request, next) => {
      const response = await next(request);
      const lines = [response.headers['set-cookie'] ?? []].flat();
      return place > 1
        ? change.withSetCookies(
            response,
            lines.filter((line) => !line.startsWith('XSRF-TOKEN=')),
          )
        : response;
    },
  ),
  'COOKIE-1: listProjects deletes the session cookie': change.responsesTo(
    'listProjects',
    200,
    (response) =>
      change.withSetCookies(response, ['session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0']),
  ),
  'COOKIE-2: the session cookie has no Path attribute, and the empty list is null': change.all(
    sessionCookie('; Path=/', '; Version=1'),
    () => ({ listOf: ({ projects }) => (projects.length > 0 ? projects : null) }),
  ),
  'COOKIE-2: the session cookie has the path of the sign-in, and visitors get one for all paths':
    change.all(
      sessionCookie('; Path=/', '; Path=/api/v1/auth'),
      change.responsesTo('listProjects', 401, (response) =>
        change.withSetCookies(response, ['session=visitor; Path=/; HttpOnly; SameSite=Lax']),
      ),
    ),
  'XSRF-1: the first POST of a new browser is refused because it has no XSRF token': change.respond(
    async (request, next) => {
      const response =
        request.method === 'POST' && tokenOf(request) === ''
          ? change.error(403, 'The token is missing.')
          : await next(request);
      const lines = [response.headers['set-cookie'] ?? []].flat();
      const hasToken = [requestCookie(request, 'XSRF-TOKEN'), ...lines.slice(1)].some(Boolean);
      return hasToken
        ? response
        : change.withSetCookies(response, [...lines, 'XSRF-TOKEN=first-token; Path=/']);
    },
  ),
  'XSRF-2: login sets no XSRF cookie although createProject requires the token': change.after(
    'cookiesOf',
    (lines) => lines.slice(0, 1),
  ),
  'XSRF-2: the XSRF cookie is HttpOnly': xsrfCookie(/$/, '; HttpOnly'),
  'XSRF-2: the XSRF cookie has the path /api': xsrfCookie('Path=/', 'Path=/api'),
  'XSRF-2: the XSRF cookie is named CSRF-TOKEN': xsrfCookie('XSRF-TOKEN=', 'CSRF-TOKEN='),
  'XSRF-3: the percent-encoded XSRF cookie is expected without decoding': change.after(
    'xsrfToken',
    (token) => `a%2Fb%3D${token}`,
  ),
  'XSRF-3: the XSRF cookie is in quotes, which are no part of the token': xsrfCookie(
    /=([^;]*)/,
    '="$1"',
  ),
  'XSRF-3: each token is refused as a page that has expired': change.refuse(
    'createProject',
    419,
    (_, { headers }) => 'x-xsrf-token' in headers,
  ),
  'XSRF-3: an XSRF token with "+" is refused': ({ createToken, isXsrfTokenRight }) => {
    let count = 0;
    return change.all(
      () => ({
        createToken: () => `${++count % 4 === 0 ? 'odd' : ''}${createToken()}`,
        isXsrfTokenRight: (call) => !tokenOf(call.request).includes('+') && isXsrfTokenRight(call),
      }),
      change.after('xsrfToken', (token, session) => session.startsWith('odd') && `${token}+`),
    );
  },
  'XSRF-3: a new project is refused if it has an Origin': change.refuse(
    'createProject',
    403,
    (_json, { headers }) => headers['origin'] !== undefined,
  ),
  'XSRF-3: a sign-in in another browser ends the tokens of a user': ({ sessions, xsrfToken }) => ({
    xsrfToken: (session) =>
      xsrfToken([...sessions].findLast(([, each]) => each === sessions.get(session))?.[0] ?? ''),
  }),
  'XSRF-3: the XSRF token is expected in another header': ({ xsrfToken }) => ({
    isXsrfTokenRight: ({ request, session }) =>
      request.headers['x-csrf-token'] === xsrfToken(session),
  }),
  // Like XorCsrfTokenRequestAttributeHandler of Spring Security 6.
  'XSRF-3: the XSRF token is expected after a mask': ({ xsrfToken }) => ({
    isXsrfTokenRight({ request, session }) {
      const sent = Buffer.from(tokenOf(request), 'base64url');
      const length = sent.length / 2;
      const token = Buffer.from(sent.subarray(length).map((byte, index) => byte ^ sent[index]!));
      return length > 0 && String(token) === xsrfToken(session);
    },
  }),
  'XSRF-3: each of two processes has a key of its own for tokens': change.inTwoProcesses(ownTokens),
  'XSRF-3: a list changes the token, and sets no cookie': ({ isXsrfTokenRight }) => {
    const listed = new Set<string>();
    return change.all(
      () => ({
        isXsrfTokenRight: (call) => !listed.has(call.session) && isXsrfTokenRight(call),
      }),
      change.responsesTo(
        'listProjects',
        200,
        (_, request) => void listed.add(change.sessionOf(request)),
      ),
    );
  },
  'XSRF-3: an XSRF token works once': ({ isXsrfTokenRight }) => {
    const used = new Set<string>();
    return {
      isXsrfTokenRight: (call) =>
        isXsrfTokenRight(call) && !used.has(call.session) && Boolean(used.add(call.session)),
    };
  },
  // Like a token that the session replaces at each POST.
  'PROJECT-10: of several projects at once, only one has the right token': ({ xsrfToken }) => {
    const counts = new Map<string, number>();
    const tokenNow = (session: string) => `${xsrfToken(session)}${counts.get(session) ?? 0}`;
    return change.all(
      () => ({ xsrfToken: tokenNow }),
      (backend) =>
        change.responsesTo('createProject', 201, (response, request) => {
          const session = change.sessionOf(request);
          counts.set(session, (counts.get(session) ?? 0) + 1);
          return change.withSetCookies(response, [backend.xsrfCookie(tokenNow(session))]);
        }),
    );
  },
};

/** Other faults of cookies. */
export const otherCookieFaults: Record<string, Change> = {
  'COOKIE-1: the session cookie expires after a minute': sessionCookie(/Max-Age=\d+/, 'Max-Age=60'),
  'COOKIE-1: the XSRF cookie expires after a second': xsrfCookie(/Max-Age=\d+/, 'Max-Age=1'),
  'COOKIE-3: the session cookie is not HttpOnly': sessionCookie('; HttpOnly', ''),
  'COOKIE-4: the session cookie has no SameSite attribute': sessionCookie('; SameSite=Lax', ''),
  'COOKIE-4: the session cookie is sent for other sites': sessionCookie(
    'SameSite=Lax',
    'SameSite=None; Secure',
  ),
  'COOKIE-5: the cookies are Secure on http': change.after('cookiesOf', (lines) =>
    lines.map((line) => `${line}; Secure`),
  ),
  'COOKIE-6: the session id that the browser sent is kept': ({ sessions }) =>
    change.after('createSession', (_session, account, old) => {
      if (old) sessions.set(old, account);
      return old;
    }),
  'COOKIE-6: a sign-in gives the session of its browser to the new user': ({
    createSession,
    sessions,
  }) => ({
    createSession(account, old, request) {
      if (!sessions.has(old)) return createSession(account, old, request);
      sessions.set(old, account);
      return old;
    },
  }),
  'COOKIE-7: the session cookie is the number of the user in base64': ({ accounts }) => {
    const encode = (user: number) => Buffer.from(JSON.stringify({ user })).toString('base64');
    return {
      createSession: (account) => encode([...accounts.values()].indexOf(account) + 1),
      findAccount: (session) =>
        [...accounts.values()].find((_, index) => encode(index + 1) === session),
    };
  },
  'COOKIE-7: the session cookie is a sequential number': () => {
    let count = 0;
    return { createToken: () => String(++count) };
  },
  'COOKIE-7: the session cookie is the time, and the number of the server': () => {
    let timeMs = Date.UTC(2030, 0, 1);
    return { createToken: () => `${(timeMs += 1234).toString(16).padStart(16, '0')}-5f2c1b7a` };
  },
  'COOKIE-7: a second cookie with the number of the user signs in alone': ({
    accounts,
    signIn,
    findAccount,
  }) => ({
    signIn: (account, call) => [
      ...signIn(account, call),
      `remember=${[...accounts.values()].indexOf(account) + 1}; Path=/; Max-Age=600`,
    ],
    findAccount: (session, request) =>
      findAccount(session, request) ??
      [...accounts.values()][Number(requestCookie(request, 'remember')) - 1],
  }),
  'COOKIE-7: the last characters of a session cookie are ignored': ({ sessions }) => ({
    findAccount: (session) =>
      [...sessions].find(([name]) => session && name.startsWith(session.slice(0, 20)))?.[1],
  }),
  'COOKIE-8: a cookie of another application causes a 500': change.requests(
    ({ headers }) =>
      /(^|; )(?!session=|XSRF-TOKEN=)/.test(String(headers['cookie'] ?? 'session=')) &&
      change.error(500),
  ),
  'COOKIE-8: a cookie with "=" in its value causes a 500': change.requests(
    ({ headers }) => /=[^;]*=/.test(String(headers['cookie'])) && change.error(500),
  ),
  'COOKIE-8: a cookie whose name ends like that of the session is taken for it': change.requests(
    (request) => {
      const [cookie] = /session=[^;]*/.exec(String(request.headers['cookie'])) ?? [];
      return { ...request, headers: { ...request.headers, cookie } };
    },
  ),
  'COOKIE-8: two cookies with one name cause a 500': change.requests(
    ({ headers }) => /\b(\w+)=.*; \1=/.test(String(headers['cookie'])) && change.error(500),
  ),
  'COOKIE-8: a cookie with a letter outside ASCII signs the user out': change.requests(
    ({ headers }) => /[^ -~]/.test(String(headers['cookie'])) && change.error(401),
  ),
  'XSRF-5: any XSRF token that is not empty is accepted': () => ({
    isXsrfTokenRight: ({ request }) => tokenOf(request) !== '',
  }),
  'XSRF-5: without an Origin, any XSRF token that is not empty is accepted': () => ({
    isXsrfTokenRight: ({ request }) =>
      request.headers['origin'] !== undefined || tokenOf(request) !== '',
  }),
  'XSRF-5: a token is needed without an Origin, and its cookie is HttpOnly': change.all(
    xsrfCookie(/$/, '; HttpOnly'),
    tokenWithoutOrigin,
  ),
  'XSRF-5: without an Origin, a token is needed that only pages of the API can read': change.all(
    xsrfCookie(/Path=\//, 'Path=/api/v1'),
    tokenWithoutOrigin,
  ),
  'XSRF-5: without an Origin, the token is read from another header': change.all(
    change.requests((request) => ({
      ...request,
      headers: { ...request.headers, 'x-xsrf-token': request.headers['x-csrf-token'] },
    })),
    tokenWithoutOrigin,
  ),
  'XSRF-5: without an Origin, no XSRF token is right': change.all(
    () => ({ isXsrfTokenRight: () => false }),
    tokenWithoutOrigin,
  ),
  'XSRF-5: without an Origin, a missing token ends the session': ({ sessions }) =>
    change.all(
      change.responsesTo('createProject', 403, (_, request) => {
        sessions.delete(change.sessionOf(request));
      }),
      tokenWithoutOrigin,
    ),
  'XSRF-5: an XSRF token of another length causes a 500': ({ xsrfToken }) =>
    change.requestsTo('createProject', (request) => {
      const { length } = xsrfToken(change.sessionOf(request)) ?? '';
      return tokenOf(request) !== '' && tokenOf(request).length !== length && change.error(500);
    }),
  'XSRF-5: a part of the XSRF token is accepted': ({ xsrfToken }) => ({
    isXsrfTokenRight: ({ request, session }) =>
      tokenOf(request) !== '' && xsrfToken(session)!.includes(tokenOf(request)),
  }),
  'XSRF-5: the XSRF token of another user is accepted': ({ sessions, xsrfToken }) => ({
    isXsrfTokenRight: ({ request }) =>
      [...sessions.keys()].some((session) => xsrfToken(session) === tokenOf(request)),
  }),
  'XSRF-3: two processes take turns of four requests, each with a key of its own': () => {
    let count = 0;
    return change.all(
      change.requests(() => void count++),
      change.inTwoProcesses(ownTokens, () => Math.floor(count / 4) % 2),
    );
  },
  'XSRF-3: no XSRF token is right': () => ({ isXsrfTokenRight: () => false }),
  'XSRF-7: the XSRF cookie ends with the browser, and only sign-in sets it': xsrfCookie(
    /; Max-Age=[^;]*/,
    '',
  ),
};
