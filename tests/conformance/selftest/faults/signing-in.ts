import { setTimeout as passed } from 'node:timers/promises';
import {
  login,
  register,
  list,
  creating,
  isCall,
  fault,
  replies,
  withJson,
  withBody,
  jsonOf,
  json,
  cookieOf,
  cookiesSet,
  passwords,
  emailOf,
  meeting,
  withAccounts,
  type Fault,
} from '../fault-builders.ts';

/** What is wrong with registering and signing in. */
export const signingIn: Fault[] = [
  fault(
    'a wrong password is answered with 200 and an error in the body',
    'SIGNIN-1',
    replies([login], (reply) =>
      reply.status === 401 ? withJson(reply, { error: 'wrong' }, 200) : undefined,
    ),
  ),
  fault(
    'an unknown email is answered with 200',
    'SIGNIN-2',
    withAccounts((accounts) => ({
      reply: (reply, incoming) =>
        isCall(incoming, login) &&
        reply.status === 401 &&
        !accounts.has(emailOf(incoming).toLowerCase())
          ? withJson(reply, {}, 200)
          : undefined,
    })),
  ),
  fault(
    'passwords are compared without regard to case',
    'SIGNIN-3',
    passwords((password) => password.toLowerCase()),
  ),
  fault(
    'of a password only the first 12 characters count',
    ['SIGNIN-3', 'ACCOUNT-6'],
    passwords((password) => password.slice(0, 12)),
  ),
  fault(
    'a wrong password and an unknown email get different messages',
    'SIGNIN-4',
    withAccounts((accounts) => ({
      reply: (reply, incoming) =>
        isCall(incoming, login) &&
        reply.status === 401 &&
        !accounts.has(emailOf(incoming).toLowerCase())
          ? withJson(reply, { message: 'There is no such account.' })
          : undefined,
    })),
  ),
  fault(
    'an unknown email is answered much faster than a wrong password',
    'SIGNIN-5',
    withAccounts((accounts) => ({
      async reply(_reply, incoming) {
        if (!isCall(incoming, login) || !accounts.has(emailOf(incoming).toLowerCase())) return;
        // Many times as long as the other answer takes, on a busy machine, too.
        await passed(400);
      },
    })),
  ),
  fault('signing in gives a token in the body and no cookie', 'SIGNIN-6', () => ({
    reply: (reply, incoming) =>
      isCall(incoming, login) && reply.status === 200
        ? { ...json(200, { token: 'eyJhbGciOiJIUzI1NiJ9.e30.abcdefgh' }) }
        : undefined,
  })),
  fault('a second sign-in kills the first session', 'SIGNIN-7', () => {
    const current = new Map<string, string>();
    const owner = new Map<string, string>();
    return {
      request(incoming) {
        const session = cookieOf(incoming, 'session');
        const email = session && owner.get(session);
        return isCall(incoming, list, creating) && email && current.get(email) !== session
          ? json(401, { message: 'Your session has ended.' })
          : undefined;
      },
      reply(reply, incoming) {
        const session = cookiesSet(reply)
          .map((line) => /^session=([^;]*)/.exec(line)?.[1])
          .find(Boolean);
        if (!isCall(incoming, login) || !session) return;
        current.set(emailOf(incoming), session);
        owner.set(session, emailOf(incoming));
      },
    };
  }),
  fault('of two sign-ins at once, one is refused', 'SIGNIN-8', () => {
    const isSecond = meeting();
    return {
      request: async (incoming) =>
        isCall(incoming, login) && (await isSecond())
          ? json(409, { message: 'Somebody is signing in.' })
          : undefined,
    };
  }),
  fault('signing in is refused to who is signed in', 'SIGNIN-9', () => ({
    request: (incoming) =>
      isCall(incoming, login) && cookieOf(incoming, 'session')
        ? json(400, { message: 'You are signed in already.' })
        : undefined,
  })),
  fault(
    'signing in in a browser that has a session goes on with the old one',
    ['SIGNIN-9', 'COOKIE-6'],
    () => ({
      async reply(reply, incoming) {
        if (isCall(incoming, login) && reply.status === 200 && cookieOf(incoming, 'session')) {
          const { 'set-cookie': _dropped, ...rest } = reply.headers;
          return { ...reply, headers: rest };
        }
        return undefined;
      },
      request: (incoming) =>
        isCall(incoming, login) && cookieOf(incoming, 'session')
          ? { ...incoming, headers: { ...incoming.headers, cookie: '' } }
          : undefined,
    }),
  ),
  fault('a failed sign-in ends the session', 'SIGNIN-10', () => {
    const ended = new Set<string>();
    return {
      request: (incoming) =>
        isCall(incoming, list, creating) && ended.has(cookieOf(incoming, 'session') ?? '')
          ? json(401, { message: 'Please sign in.' })
          : undefined,
      reply(reply, incoming) {
        if (isCall(incoming, login) && reply.status === 401)
          ended.add(cookieOf(incoming, 'session') ?? 'nobody');
      },
    };
  }),
  fault('old cookies lock a browser out', 'SIGNIN-11', () => {
    const known = new Set<string>();
    return {
      request(incoming) {
        const session = cookieOf(incoming, 'session');
        return isCall(incoming, login) && session && !known.has(session)
          ? json(403, { message: 'Your session is not valid.' })
          : undefined;
      },
      reply(reply) {
        for (const line of cookiesSet(reply)) known.add(/^session=([^;]*)/.exec(line)?.[1] ?? '');
      },
    };
  }),
  fault(
    'an email that has an account is registered again, and its password replaced',
    'ACCOUNT-7',
    () => {
      const versions = new Map<string, number>();
      const inner = (email: string) =>
        email.replace('@', `.v${versions.get(email.toLowerCase()) ?? 0}@`);
      return {
        request(incoming) {
          if (!isCall(incoming, login, register)) return undefined;
          const email = emailOf(incoming).toLowerCase();
          if (isCall(incoming, register)) versions.set(email, (versions.get(email) ?? 0) + 1);
          return withBody(incoming, (body) =>
            typeof body['email'] === 'string' ? { ...body, email: inner(body['email']) } : body,
          );
        },
      };
    },
  ),
  fault(
    'an email that has an account is answered as if it were registered',
    'ACCOUNT-7',
    replies([register], (reply) =>
      reply.status === 409 ? withJson(reply, { role: 'member' }, 201) : undefined,
    ),
  ),
  fault('passwords of fewer than 10 characters are refused', 'ACCOUNT-3', () => ({
    request: (incoming) =>
      isCall(incoming, register) && String(jsonOf(incoming.body)?.['password']).length < 10
        ? json(422, { message: 'Password must be at least 10 characters.' })
        : undefined,
  })),
  fault(
    'passwords are trimmed when registering, and not when signing in',
    'ACCOUNT-4',
    passwords((password) => password.trim(), [register]),
  ),
  fault(
    'passwords lose their accents and emoji when signing in',
    'ACCOUNT-4',
    passwords((password) => password.replaceAll(/[^ -~]/gu, '?'), [login]),
  ),
  fault(
    'a long password is taken when registering, and refused when signing in',
    'ACCOUNT-10',
    () => ({
      request: (incoming) =>
        isCall(incoming, login) && String(jsonOf(incoming.body)?.['password']).length > 100
          ? json(401, { message: 'The email or the password is not right.' })
          : undefined,
    }),
  ),
  fault(
    'passwords are trimmed',
    'ACCOUNT-5',
    passwords((password) => password.trim()),
  ),
  fault(
    'passwords count to their 72nd byte only',
    'ACCOUNT-6',
    passwords((password) => Buffer.from(password).subarray(0, 72).toString()),
  ),
  fault('emails are compared with regard to case', 'ACCOUNT-8', () => ({
    request: (incoming) =>
      isCall(incoming, login, register)
        ? withBody(incoming, (body) =>
            typeof body['email'] === 'string'
              ? {
                  ...body,
                  email: body['email'].replaceAll(
                    /[A-Z]/g,
                    (letter) => `-${letter.toLowerCase()}-`,
                  ),
                }
              : body,
          )
        : undefined,
  })),
  fault('of two registrations of one email at once, both succeed', 'ACCOUNT-12', () => {
    const isSecond = meeting();
    return {
      request: async (incoming) =>
        isCall(incoming, register) && (await isSecond(emailOf(incoming)))
          ? json(201, { role: 'member' })
          : undefined,
    };
  }),
  fault('what follows a plus sign in an email is cut off', 'ACCOUNT-11', () => ({
    request: (incoming) =>
      isCall(incoming, login, register)
        ? withBody(incoming, (body) => ({
            ...body,
            email: String(body['email']).replace(/\+[^@]*/, ''),
          }))
        : undefined,
  })),
  fault('a session is good for three calls', 'SIGNIN-12', () => {
    const calls = new Map<string, number>();
    return {
      request(incoming) {
        const session = cookieOf(incoming, 'session');
        if (!session || isCall(incoming, login)) return undefined;
        calls.set(session, (calls.get(session) ?? 0) + 1);
        return calls.get(session)! > 3 ? json(401, { message: 'Please sign in.' }) : undefined;
      },
    };
  }),
  fault('registering is refused to who is signed in', 'ACCOUNT-9', () => ({
    request: (incoming) =>
      isCall(incoming, register) && cookieOf(incoming, 'session')
        ? json(403, { message: 'You have an account already.' })
        : undefined,
  })),
  fault(
    'an object in place of a password signs in',
    'ERR-21',
    withAccounts((accounts) => ({
      request: (incoming) =>
        isCall(incoming, login)
          ? withBody(incoming, (body) =>
              typeof body['password'] === 'object' &&
              body['password'] !== null &&
              typeof body['email'] === 'string'
                ? { ...body, password: accounts.get(body['email']) ?? '' }
                : body,
            )
          : undefined,
    })),
  ),
];
