import {
  changeCreateResponse,
  changeEmptyList,
  changeListResponse,
  changeSetCookies,
  cookieOf,
  createFaults,
  emailOf,
  errorResponse,
  hasSession,
  interceptRequests,
  interceptResponses,
  isOperation,
  newCookieOf,
  sessionOf,
  setCookiesOf,
  withHeaders,
  withJson,
  withSetCookies,
  type FaultTable,
} from '../fault-builders.ts';
import type { Middleware, ProxyRequest } from '../fault-proxy.ts';

const emptySessionCookie = 'session=; Path=/; HttpOnly; SameSite=Lax';

const tokenOf = ({ headers }: ProxyRequest) => String(headers['x-xsrf-token'] ?? '');

type Replacement = [pattern: string | RegExp, replacement: string];

const replaceInSetCookie =
  (name: string) =>
  ([pattern, replacement]: Replacement) =>
    changeSetCookies((line) =>
      line.startsWith(`${name}=`) ? line.replace(pattern, replacement) : line,
    );
const replaceInSessionCookie = replaceInSetCookie('session');
const replaceInXsrfCookie = replaceInSetCookie('XSRF-TOKEN');

/** Faults of cookies and of the XSRF token. */
export const cookieFaults: FaultTable[] = [
  createFaults(changeSetCookies, {
    'the cookies have the domain of another host [COOKIE-1]': (line) =>
      `${line}; Domain=example.com`,
    'the cookies are Secure on http [COOKIE-5]': (line) => `${line}; Secure`,
    'login sets no XSRF cookie although createProject requires the token [XSRF-2]': (line) =>
      line.startsWith('XSRF-TOKEN=') ? undefined : line,
  }),
  createFaults(replaceInSessionCookie, {
    'the session cookie expires at once [COOKIE-1]': [/Max-Age=\d+/, 'Max-Age=0'],
    'the session cookie has an Expires date in the past [COOKIE-1]': [
      /Max-Age=\d+/,
      'Expires=Thu, 01 Jan 1970 00:00:00 GMT',
    ],
    'the session cookie expires after two seconds [COOKIE-1]': [/Max-Age=\d+/, 'Max-Age=2'],
    'the session cookie is SameSite=None without Secure [COOKIE-1]': [
      'SameSite=Lax',
      'SameSite=None',
    ],
    'the session cookie has no Path attribute [COOKIE-2]': ['; Path=/', ''],
    'the session cookie has the path /api/v1/auth [COOKIE-2]': ['Path=/', 'Path=/api/v1/auth'],
    'the session cookie is not HttpOnly [COOKIE-3]': ['; HttpOnly', ''],
    'the session cookie has no SameSite attribute [COOKIE-4]': ['; SameSite=Lax', ''],
  }),
  createFaults(replaceInXsrfCookie, {
    'the XSRF cookie is HttpOnly [XSRF-2]': [/$/, '; HttpOnly'],
    'the XSRF cookie has the path /api [XSRF-2]': ['Path=/', 'Path=/api'],
  }),
  {
    'the session cookie has no Path attribute, and the empty list is null [COOKIE-2]': () => {
      const withoutPath = replaceInSessionCookie(['; Path=/', '']);
      const withNull = changeEmptyList((response) => withJson(response, null));
      return (request, next) => withoutPath(request, async (changed) => withNull(changed, next));
    },
    'the XSRF cookie ends with the browser, and only sign-in sets it [XSRF-7]': () =>
      interceptResponses((response, request) => {
        const lines = setCookiesOf(response).map((line) =>
          line.startsWith('XSRF-TOKEN=') ? line.replace(/; (Max-Age|Expires)=[^;]*/gi, '') : line,
        );
        return withSetCookies(response, isOperation(request, 'login') ? lines : []);
      }),
    'the server joins two cookies in one Set-Cookie header [COOKIE-1]': () =>
      interceptResponses(
        (response) =>
          setCookiesOf(response).length > 1 &&
          withSetCookies(response, [setCookiesOf(response).join(', ')]),
      ),
    'the XSRF cookie replaces the Set-Cookie header of the session [SIGNIN-6]': () =>
      interceptResponses((response) => withSetCookies(response, setCookiesOf(response).slice(-1))),
    'a response sets the session cookie twice, the second time to an empty value [COOKIE-1]': () =>
      interceptResponses(
        (response) =>
          newCookieOf(response, 'session') !== undefined &&
          withSetCookies(response, [...setCookiesOf(response), emptySessionCookie]),
      ),
    'after 12 new projects, the session cookie is longer than browsers accept [COOKIE-1]': () => {
      const counts = new Map<string, number>();
      return changeCreateResponse((response, request) => {
        const session = sessionOf(request);
        counts.set(session, (counts.get(session) ?? 0) + 1);
        const line = `session=${session}${'x'.repeat(4096)}; Path=/; HttpOnly; SameSite=Lax`;
        return counts.get(session)! > 12 && withSetCookies(response, [line]);
      });
    },
    'listProjects deletes the session cookie [COOKIE-1]': () =>
      changeListResponse((response) =>
        withSetCookies(response, [`${emptySessionCookie}; Max-Age=0`]),
      ),
    'the server keeps the session id that the browser sent with the sign-in [COOKIE-6]': () => {
      const realSessions = new Map<string, string>();
      return async (request, next) => {
        const realSession = realSessions.get(sessionOf(request));
        if (!isOperation(request, 'login'))
          return next(realSession ? withCookie(request, 'session', realSession) : request);
        const response = await next(request);
        const session = newCookieOf(response, 'session');
        if (!hasSession(request) || !session) return response;
        realSessions.set(sessionOf(request), session);
        const lines = setCookiesOf(response).filter((line) => !line.startsWith('session='));
        return withSetCookies(response, lines);
      };
    },
    'the session of a visitor becomes that of the user who signs in [COOKIE-6]': () => {
      const realSessions = new Map<string, string>();
      return async (request, next) => {
        const ownSession = sessionOf(request);
        const realSession = realSessions.get(ownSession);
        const response = await next(
          realSession ? withCookie(request, 'session', realSession) : request,
        );
        if (ownSession === '' && response.status === 401) {
          const session = `visitor-${realSessions.size}`;
          realSessions.set(session, '');
          return withSetCookies(response, [`session=${session}; Path=/; HttpOnly; SameSite=Lax`]);
        }
        const session = newCookieOf(response, 'session');
        if (!isOperation(request, 'login') || !session || !realSessions.has(ownSession))
          return response;
        realSessions.set(ownSession, session);
        const lines = setCookiesOf(response).filter((line) => !line.startsWith('session='));
        return withSetCookies(response, lines);
      };
    },
    'a session cookie that is not a token causes a 500 [COOKIE-7]': () =>
      interceptRequests(
        (request) =>
          isOperation(request, 'listProjects') &&
          /^[a_-]{20}/.test(sessionOf(request)) &&
          errorResponse(500, 'Please try again.'),
      ),
    'a cookie of another application causes a 500 [COOKIE-8]': () =>
      interceptRequests(
        (request) =>
          /(^|; )(?!session=|XSRF-TOKEN=)/.test(String(request.headers['cookie'] ?? 'session=')) &&
          errorResponse(500, 'Please try again.'),
      ),
    'the session cookie is a sequential number [COOKIE-7]': () => {
      let count = 0;
      return nameSessions(() => String(++count));
    },
    'a second cookie with the number of the user signs in alone [COOKIE-7, COOKIE-3, COOKIE-4]':
      () => {
        const numbers = new Map<string, number>();
        const sessions = new Map<string, string>();
        return async (request, next) => {
          const remembered = sessions.get(cookieOf(request, 'remember') ?? '');
          const response = await next(
            remembered && !hasSession(request)
              ? withHeaders(request, { cookie: `session=${remembered}` })
              : request,
          );
          const session = newCookieOf(response, 'session');
          if (!isOperation(request, 'login') || !session) return response;
          const number = numbers.get(emailOf(request)) ?? numbers.size + 1;
          numbers.set(emailOf(request), number);
          sessions.set(`${number}`, session);
          return withSetCookies(response, [
            ...setCookiesOf(response),
            `remember=${number}; Path=/; Max-Age=600`,
          ]);
        };
      },
    'the server ignores the last characters of a session cookie [COOKIE-7]': () => {
      const sessions: string[] = [];
      return async (request, next) => {
        const prefix = sessionOf(request).slice(0, 20);
        const session = sessions.find((value) => value.slice(0, 20) === prefix);
        const response = await next(session ? withCookie(request, 'session', session) : request);
        const newSession = newCookieOf(response, 'session');
        if (newSession) sessions.push(newSession);
        return response;
      };
    },
    'the server rejects the first POST of a new browser because it has no XSRF token [XSRF-1]':
      () => async (request, next) => {
        const response =
          request.method === 'POST' && tokenOf(request) === ''
            ? errorResponse(403, 'The token is missing.')
            : await next(request);
        return cookieOf(request, 'XSRF-TOKEN') || newCookieOf(response, 'XSRF-TOKEN')
          ? response
          : withSetCookies(response, [...setCookiesOf(response), 'XSRF-TOKEN=first-token; Path=/']);
      },
    'the XSRF cookie is named CSRF-TOKEN [XSRF-2]': () => {
      const renameCookie = replaceInXsrfCookie(['XSRF-TOKEN=', 'CSRF-TOKEN=']);
      return (request, next) =>
        renameCookie(replaceInCookies(request, 'CSRF-TOKEN=', 'XSRF-TOKEN='), next);
    },
    'the XSRF token contains a plus sign and the server decodes the header as a form [XSRF-3]':
      () => {
        const addPlus = replaceInXsrfCookie(['XSRF-TOKEN=', 'XSRF-TOKEN=a+b']);
        return (request, next) =>
          addPlus(withToken(request, tokenOf(request).replaceAll('+', ' ')), next);
      },
    'the server expects the percent-encoded XSRF cookie without decoding it [XSRF-3]': () => {
      const prefix = 'a%2Fb%3D';
      const addPrefix = replaceInXsrfCookie(['XSRF-TOKEN=', `XSRF-TOKEN=${prefix}`]);
      return (request, next) => {
        const token = tokenOf(request);
        const realToken = token.startsWith(prefix) ? token.slice(prefix.length) : token && 'wrong';
        const cookies = replaceInCookies(request, `XSRF-TOKEN=${prefix}`, 'XSRF-TOKEN=');
        return addPrefix(withToken(cookies, realToken), next);
      };
    },
    'an XSRF token expires after four seconds without a POST [XSRF-6]': (clock) => {
      const lastUses = new Map<string, number>();
      return interceptRequests((request) => {
        clock.increment(10);
        const token = tokenOf(request);
        const idleMs = clock.now() - (lastUses.get(token) ?? clock.now());
        const isPost = request.method === 'POST' && token !== '';
        if (isPost && idleMs > 4000) return errorResponse(403, 'The form has expired.');
        if (isPost || idleMs === 0) lastUses.set(token, clock.now());
        return undefined;
      });
    },
    'the XSRF token is the same for every user and never changes [XSRF-4]': () => {
      const sharedToken = 'shared-token-of-every-user';
      const realTokens = new Map<string, string>();
      return async (request, next) => {
        const realToken = realTokens.get(sessionOf(request));
        const isShared = realToken !== undefined && tokenOf(request) === sharedToken;
        const response = await next(
          isShared ? withToken(withCookie(request, 'XSRF-TOKEN', realToken), realToken) : request,
        );
        const session = newCookieOf(response, 'session');
        const token = newCookieOf(response, 'XSRF-TOKEN');
        if (session && token) realTokens.set(session, token);
        return replaceInXsrfCookie([/=[^;]*/, `=${sharedToken}`])(request, async () => response);
      };
    },
    'the server accepts any XSRF token that is not empty [XSRF-5]': () =>
      interceptRequests(
        (request) =>
          tokenOf(request) !== '' && withToken(request, cookieOf(request, 'XSRF-TOKEN') ?? ''),
      ),
  },
];

/** Replaces the value of each session cookie, and removes the XSRF token. */
function nameSessions(createName: () => string): Middleware {
  const realSessions = new Map<string, string>();
  return async (request, next) => {
    const realSession = realSessions.get(sessionOf(request));
    const response = await next(
      realSession ? withCookie(request, 'session', realSession) : request,
    );
    const session = newCookieOf(response, 'session');
    if (!session) return response;
    const name = createName();
    realSessions.set(name, session);
    const lines = setCookiesOf(response).filter((line) => line.startsWith('session='));
    return withSetCookies(
      response,
      lines.map((line) => line.replace(session, name)),
    );
  };
}

function withToken(request: ProxyRequest, token: string): ProxyRequest {
  return token ? withHeaders(request, { 'x-xsrf-token': token }) : request;
}

function withCookie(request: ProxyRequest, name: string, value: string): ProxyRequest {
  return replaceInCookies(request, new RegExp(`${name}=[^;]*`), `${name}=${value}`);
}

function replaceInCookies(request: ProxyRequest, ...[pattern, replacement]: Replacement) {
  const cookie = String(request.headers['cookie'] ?? '').replace(pattern, replacement);
  return withHeaders(request, { cookie });
}
