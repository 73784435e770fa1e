import {
  login,
  list,
  isCall,
  fault,
  json,
  replies,
  cookieGiven,
  cookieOf,
  cookiesSet,
  cookies,
  onlyOf,
  withCookie,
  withCookiesSet,
  type Fault,
} from '../fault-builders.ts';

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
        ? withCookiesSet(reply, [cookiesSet(reply).join(', ')])
        : undefined,
  })),
  fault(
    'the session cookie ends the moment it is set',
    'COOKIE-1',
    cookies(onlyOf('session', (line) => line.replace(/Max-Age=\d+/, 'Max-Age=0'))),
  ),
  fault(
    'the session cookie ends in the past',
    'COOKIE-1',
    cookies(
      onlyOf('session', (line) =>
        line.replace(/Max-Age=\d+/, 'Expires=Thu, 01 Jan 1970 00:00:00 GMT'),
      ),
    ),
  ),
  fault(
    'the session cookie lasts for two seconds',
    'COOKIE-1',
    cookies(onlyOf('session', (line) => line.replace(/Max-Age=\d+/, 'Max-Age=2'))),
  ),
  fault('the session cookie is set twice, the second time to nothing', 'COOKIE-1', () => ({
    reply: (reply) =>
      cookieGiven(reply, 'session')
        ? withCookiesSet(reply, [...cookiesSet(reply), 'session=; Path=/; HttpOnly; SameSite=Lax'])
        : undefined,
  })),
  fault(
    'fetching the list deletes the session cookie',
    'COOKIE-1',
    replies([list], (reply) =>
      reply.status === 200
        ? withCookiesSet(reply, ['session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0'])
        : undefined,
    ),
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
    return {
      request(incoming) {
        const real = planted.get(cookieOf(incoming, 'session') ?? '');
        return real && !isCall(incoming, login) ? withCookie(incoming, 'session', real) : undefined;
      },
      reply(reply, incoming) {
        const own = cookieOf(incoming, 'session');
        const given = cookieGiven(reply, 'session');
        if (!isCall(incoming, login) || !own || !given) return undefined;
        planted.set(own, given);
        return withCookiesSet(
          reply,
          cookiesSet(reply).filter((line) => !line.startsWith('session=')),
        );
      },
    };
  }),
  fault('the last characters of a session cookie do not matter', 'COOKIE-7', () => {
    const known: string[] = [];
    return {
      request(incoming) {
        const given = cookieOf(incoming, 'session');
        const real = given && known.find((one) => one.slice(0, 20) === given.slice(0, 20));
        return real ? withCookie(incoming, 'session', real) : undefined;
      },
      reply(reply) {
        const value = cookieGiven(reply, 'session');
        if (value) known.push(value);
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
        : withCookiesSet(reply, [
            ...cookiesSet(reply),
            ...(cookieGiven(reply, 'XSRF-TOKEN') ? [] : ['XSRF-TOKEN=first-token; Path=/']),
          ]),
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
  fault(
    'signing in gives no XSRF cookie, and creating asks for the token',
    'XSRF-2',
    cookies((line) => (line.startsWith('XSRF-TOKEN=') ? undefined : line)),
  ),
  fault('the token has a plus sign, and the header is read as a form', 'XSRF-3', () => ({
    ...cookies(onlyOf('XSRF-TOKEN', (line) => line.replace('XSRF-TOKEN=', 'XSRF-TOKEN=a+b')))(),
    request: (incoming) => {
      const token = String(incoming.headers['x-xsrf-token'] ?? '').replaceAll('+', ' ');
      return {
        ...incoming,
        headers: { ...incoming.headers, ...(token && { 'x-xsrf-token': token }) },
      };
    },
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
    const forAll = cookies(
      onlyOf('XSRF-TOKEN', (line) =>
        line.replace(/^XSRF-TOKEN=[^;]*/, 'XSRF-TOKEN=one-token-for-all-of-you'),
      ),
    )();
    return {
      request(incoming) {
        const token = real.get(cookieOf(incoming, 'session') ?? '');
        if (!token || incoming.headers['x-xsrf-token'] !== 'one-token-for-all-of-you')
          return undefined;
        const { headers } = withCookie(incoming, 'XSRF-TOKEN', token);
        return { ...incoming, headers: { ...headers, 'x-xsrf-token': token } };
      },
      reply(reply, ...rest) {
        const [session, token] = [cookieGiven(reply, 'session'), cookieGiven(reply, 'XSRF-TOKEN')];
        if (session && token) real.set(session, token);
        return forAll.reply!(reply, ...rest);
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
