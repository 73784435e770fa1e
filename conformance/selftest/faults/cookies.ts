import type { Incoming } from '../layer.ts';
import {
  login,
  isCall,
  fault,
  json,
  cookieOf,
  cookiesSet,
  cookies,
  onlyOf,
  type Fault,
} from '../spoil.ts';

/** What is wrong with cookies and the XSRF token. */
export const cookieFaults: Fault[] = [
  fault(
    'the cookies are for another host',
    'COOKIE-1',
    cookies((line) => `${line}; Domain=example.com`),
  ),
  fault('two cookies are joined in one Set-Cookie line', 'COOKIE-1', () => ({
    reply: (reply) =>
      cookiesSet(reply).length > 1
        ? { ...reply, headers: { ...reply.headers, 'set-cookie': [cookiesSet(reply).join(', ')] } }
        : undefined,
  })),
  fault(
    'the session cookie ends the moment it is set',
    'COOKIE-1',
    cookies(onlyOf('session', (line) => line.replace(/Max-Age=\d+/, 'Max-Age=0'))),
  ),
  fault(
    'the session cookie is SameSite=None without Secure',
    'COOKIE-1',
    cookies(onlyOf('session', (line) => line.replace('SameSite=Lax', 'SameSite=None'))),
  ),
  fault(
    'the session cookie comes without Path',
    'COOKIE-2',
    cookies(onlyOf('session', (line) => line.replace('; Path=/', ''))),
  ),
  fault(
    'the session cookie has the path /api/v1/auth',
    'COOKIE-2',
    cookies(onlyOf('session', (line) => line.replace('Path=/', 'Path=/api/v1/auth'))),
  ),
  fault(
    'the session cookie is not HttpOnly',
    'COOKIE-3',
    cookies(onlyOf('session', (line) => line.replace('; HttpOnly', ''))),
  ),
  fault(
    'the session cookie says nothing of SameSite',
    'COOKIE-4',
    cookies(onlyOf('session', (line) => line.replace('; SameSite=Lax', ''))),
  ),
  fault(
    'the cookies are Secure, on http',
    'COOKIE-5',
    cookies((line) => `${line}; Secure`),
  ),
  fault('signing in takes over whatever session the browser came with', 'COOKIE-6', () => {
    const planted = new Map<string, string>();
    const inside = (incoming: Incoming): Incoming => {
      const real = planted.get(cookieOf(incoming, 'session') ?? '');
      return real
        ? {
            ...incoming,
            headers: {
              ...incoming.headers,
              cookie: String(incoming.headers['cookie']).replace(
                /session=[^;]*/,
                `session=${real}`,
              ),
            },
          }
        : incoming;
    };
    return {
      request: (incoming) => (isCall(incoming, login) ? undefined : inside(incoming)),
      reply(reply, incoming) {
        const own = cookieOf(incoming, 'session');
        const given = cookiesSet(reply)
          .map((line) => /^session=([^;]*)/.exec(line)?.[1])
          .find(Boolean);
        if (!isCall(incoming, login) || !own || !given) return undefined;
        planted.set(own, given);
        return {
          ...reply,
          headers: {
            ...reply.headers,
            'set-cookie': cookiesSet(reply).filter((line) => !line.startsWith('session=')),
          },
        };
      },
    };
  }),
  fault('the last characters of a session cookie do not matter', 'COOKIE-7', () => {
    const known: string[] = [];
    return {
      request(incoming) {
        const given = cookieOf(incoming, 'session');
        const real = given && known.find((one) => one.slice(0, 20) === given.slice(0, 20));
        return real
          ? {
              ...incoming,
              headers: {
                ...incoming.headers,
                cookie: String(incoming.headers['cookie']).replace(
                  /session=[^;]*/,
                  `session=${real}`,
                ),
              },
            }
          : undefined;
      },
      reply(reply) {
        for (const line of cookiesSet(reply)) {
          const value = /^session=([^;]*)/.exec(line)?.[1];
          if (value) known.push(value);
        }
      },
    };
  }),
  fault('the first POST of a fresh browser is refused for want of a token', 'XSRF-1', () => ({
    request: (incoming) =>
      incoming.method === 'POST' && !incoming.headers['x-xsrf-token']
        ? json(403, { message: 'The token is missing.' })
        : undefined,
    reply: (reply, incoming) =>
      cookieOf(incoming, 'XSRF-TOKEN')
        ? undefined
        : {
            ...reply,
            headers: {
              ...reply.headers,
              'set-cookie': [
                ...cookiesSet(reply).filter((line) => !line.startsWith('XSRF')),
                ...(cookiesSet(reply).some((line) => line.startsWith('XSRF'))
                  ? cookiesSet(reply).filter((line) => line.startsWith('XSRF'))
                  : ['XSRF-TOKEN=first-token; Path=/']),
              ],
            },
          },
  })),
  fault(
    'the XSRF cookie is HttpOnly',
    'XSRF-2',
    cookies(onlyOf('XSRF-TOKEN', (line) => `${line}; HttpOnly`)),
  ),
  fault(
    'the XSRF cookie has the path /api',
    'XSRF-2',
    cookies(onlyOf('XSRF-TOKEN', (line) => line.replace('Path=/', 'Path=/api'))),
  ),
  fault('the XSRF cookie is named CSRF-TOKEN', 'XSRF-2', () => ({
    ...cookies(onlyOf('XSRF-TOKEN', (line) => line.replace('XSRF-TOKEN=', 'CSRF-TOKEN=')))(),
    request: (incoming) => ({
      ...incoming,
      headers: {
        ...incoming.headers,
        cookie: String(incoming.headers['cookie'] ?? '').replace('CSRF-TOKEN=', 'XSRF-TOKEN='),
      },
    }),
  })),
  fault('the token is percent-encoded, and the header compared without decoding', 'XSRF-3', () => ({
    ...cookies(
      onlyOf('XSRF-TOKEN', (line) => line.replace('XSRF-TOKEN=', 'XSRF-TOKEN=a%2Fb%3D')),
    )(),
    request: (incoming) => {
      const token = String(incoming.headers['x-xsrf-token'] ?? '');
      const cookie = String(incoming.headers['cookie'] ?? '').replace(
        'XSRF-TOKEN=a%2Fb%3D',
        'XSRF-TOKEN=',
      );
      const given = token.startsWith('a%2Fb%3D')
        ? token.slice('a%2Fb%3D'.length)
        : token && 'wrong';
      return {
        ...incoming,
        headers: { ...incoming.headers, cookie, ...(token && { 'x-xsrf-token': given }) },
      };
    },
  })),
  fault('the XSRF token is the same for everybody, for good', 'XSRF-4', () => {
    const real = new Map<string, string>();
    return {
      ...cookies(
        onlyOf('XSRF-TOKEN', (line) =>
          line.replace(/^XSRF-TOKEN=[^;]*/, 'XSRF-TOKEN=one-token-for-all-of-you'),
        ),
      )(),
      request(incoming) {
        const token = real.get(cookieOf(incoming, 'session') ?? '');
        if (!token || incoming.headers['x-xsrf-token'] !== 'one-token-for-all-of-you')
          return undefined;
        const cookie = String(incoming.headers['cookie']).replace(
          /XSRF-TOKEN=[^;]*/,
          `XSRF-TOKEN=${token}`,
        );
        return { ...incoming, headers: { ...incoming.headers, cookie, 'x-xsrf-token': token } };
      },
      reply(reply) {
        const lines = cookiesSet(reply);
        const [session, token] = ['session', 'XSRF-TOKEN'].map((name) =>
          lines.map((line) => new RegExp(`^${name}=([^;]*)`).exec(line)?.[1]).find(Boolean),
        );
        if (session && token) real.set(session, token);
        return {
          ...reply,
          headers: {
            ...reply.headers,
            ...(lines.length > 0 && {
              'set-cookie': lines.map((line) =>
                line.replace(/^XSRF-TOKEN=[^;]*/, 'XSRF-TOKEN=one-token-for-all-of-you'),
              ),
            }),
          },
        };
      },
    };
  }),
  fault('any token at all is accepted, so long as there is one', 'XSRF-5', () => ({
    request: (incoming) => {
      const own = cookieOf(incoming, 'XSRF-TOKEN');
      return own && incoming.headers['x-xsrf-token']
        ? { ...incoming, headers: { ...incoming.headers, 'x-xsrf-token': own } }
        : undefined;
    },
  })),
];
