import {
  changeExistingEmailResponse,
  changeFields,
  changeRegisterResponse,
  changeResponses,
  changeWrongPasswordResponse,
  createFaults,
  emailOf,
  errorResponse,
  hasSession,
  interceptRequests,
  isOperation,
  isProjectOperation,
  jsonObjectOf,
  jsonResponse,
  newCookieOf,
  projectsOf,
  respondToConcurrent,
  sessionOf,
  setCookiesOf,
  withFields,
  withHeaders,
  withJson,
  withSetCookies,
  type FaultTable,
} from '../fault-builders.ts';
import type { Middleware, ProxyRequest, ProxyResponse } from '../fault-proxy.ts';

const changePasswords = (change: (password: string) => string) =>
  changeFields(['login', 'registerUser'], ['password'], change);

const changeEmails = (change: (email: string) => string) =>
  changeFields(['login', 'registerUser'], ['email'], change);

const emailAsTyped = (request: ProxyRequest) => String(jsonObjectOf(request)['email']);

const passwordLength = (request: ProxyRequest) => String(jsonObjectOf(request)['password']).length;

/** Faults of registering and signing in. */
export const authFaults: FaultTable[] = [
  createFaults(changePasswords, {
    'the server compares passwords case-insensitively [SIGNIN-3]': (password) =>
      password.toLowerCase(),
    'the server compares only 12 characters of passwords [SIGNIN-3, ACCOUNT-6]': (password) =>
      password.slice(0, 12),
    'the server compares only 72 bytes of passwords [ACCOUNT-6]': (password) =>
      Buffer.from(password).subarray(0, 72).toString(),
    'the server replaces letters outside ASCII in passwords [ACCOUNT-13]': (password) =>
      password.replaceAll(/[^ -~]/gu, '?'),
    'the server encodes passwords as Latin-1 [ACCOUNT-13]': (password) =>
      Buffer.from(password, 'latin1').toString('latin1'),
    'the server removes emoji from passwords [ACCOUNT-13]': (password) =>
      password.replaceAll(/\p{Extended_Pictographic}/gu, ''),
    'the server compares passwords up to a NUL [ACCOUNT-17]': (password) =>
      password.replace(/\0.*/, ''),
    'the server trims passwords [ACCOUNT-5]': (password) => password.trim(),
  }),
  createFaults(changeEmails, {
    'the server compares emails with "I" by the rules of Turkish [ACCOUNT-8]': (email) =>
      email.replaceAll('I', 'ı'),
    'the server compares emails case-sensitively [ACCOUNT-8]': (email) =>
      email.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}-`),
    'the server keeps 100 characters of emails [ACCOUNT-16]': (email) =>
      email.length > 100 ? `${email.slice(0, 96)}.org` : email,
    'the server ignores dots in emails [ACCOUNT-11]': (email) => email.replaceAll(/\.(?=.*@)/g, ''),
    'the server ignores the part of emails after a plus sign [ACCOUNT-11]': (email) =>
      email.replace(/\+[^@]*/, ''),
  }),
  createFaults(changeUnknownEmailResponse, {
    'the server answers an unknown email with 200 [SIGNIN-2]': (response) =>
      withJson(response, {}, 200),
    'the server rejects an unknown email without a message [ERR-2]': (response) =>
      withJson(response, { error: 'unknown' }),
    'a wrong password and an unknown email get different messages [SIGNIN-4]': (response) =>
      withJson(response, { message: 'There is no such account.' }),
  }),
  createFaults(interceptRequests, {
    'the server rejects a sign-in from a signed-in browser [SIGNIN-9]': (request) =>
      isOperation(request, 'login') &&
      hasSession(request) &&
      errorResponse(400, 'You are signed in already.'),
    'the server rejects a registration from a signed-in browser [ACCOUNT-9]': (request) =>
      isOperation(request, 'registerUser') &&
      hasSession(request) &&
      errorResponse(403, 'You have an account already.'),
    'the server limits passwords to 72 characters and compares 72 bytes [ACCOUNT-6]': (request) =>
      isOperation(request, 'registerUser') && passwordLength(request) > 72
        ? errorResponse(422, 'Password must be at most 72 characters.')
        : withFields(request, ['password'], (password) =>
            Buffer.from(password).subarray(0, 72).toString(),
          ),
    'an underscore in the email of a sign-in stands for any letter [SIGNIN-2]': (request) =>
      isOperation(request, 'login') &&
      withFields(request, ['email'], (email) => email.replace('a_a', 'ada')),
    'the server rejects passwords shorter than 10 characters [ACCOUNT-3]': (request) =>
      isOperation(request, 'registerUser') &&
      passwordLength(request) < 10 &&
      errorResponse(422, 'Password must be at least 10 characters.'),
    'the server rejects emails with a plus sign [ACCOUNT-19]': (request) =>
      isOperation(request, 'registerUser') &&
      emailOf(request).includes('+') &&
      errorResponse(422, 'This email is not valid.'),
    'an apostrophe in a new email causes a 500 [ACCOUNT-15, ACCOUNT-19]': (request) =>
      isOperation(request, 'registerUser') &&
      emailOf(request).includes("'") &&
      errorResponse(500, 'Something went wrong.'),
    'the server rejects passwords with a space [ACCOUNT-20]': (request) =>
      isOperation(request, 'registerUser') &&
      String(jsonObjectOf(request)['password']).includes(' ') &&
      errorResponse(422, 'A password has no spaces.'),
    'the server accepts a long password on registration only [ACCOUNT-10]': (request) =>
      isOperation(request, 'login') &&
      passwordLength(request) > 100 &&
      errorResponse(401, 'The email or the password is not right.'),
  }),
  {
    'the server answers a wrong password with 200 and an error in the body [SIGNIN-1]': () =>
      changeWrongPasswordResponse((response) => withJson(response, { error: 'wrong' }, 200)),
    'the server answers an unknown email much faster than a wrong password [SIGNIN-5]': (clock) =>
      withAccounts((passwords) => async (request, next) => {
        const response = await next(request);
        if (isOperation(request, 'login') && passwords.has(emailOf(request))) clock.increment(400);
        return response;
      }),
    'login returns a token in the body and sets no cookie [SIGNIN-6]': () =>
      changeResponses('login', 200, () =>
        jsonResponse(200, { token: 'eyJhbGciOiJIUzI1NiJ9.e30.abcdefgh' }),
      ),
    'a second sign-in ends the first session [SIGNIN-7]': () => {
      const ended = new Set<string | undefined>();
      const newestSessions = new Map<string, string>();
      return async (request, next) => {
        if (isProjectOperation(request) && ended.has(sessionOf(request)))
          return errorResponse(401, 'Your session has ended.');
        const response = await next(request);
        const session = newCookieOf(response, 'session');
        if (isOperation(request, 'login') && session) {
          ended.add(newestSessions.get(emailOf(request)));
          newestSessions.set(emailOf(request), session);
        }
        return response;
      };
    },
    'the server rejects one of two concurrent sign-ins [SIGNIN-8]': () =>
      respondToConcurrent('login', () => errorResponse(409, 'Another sign-in is in progress.')),
    'one wrong password locks the account [ERR-24]': () => {
      const locked = new Set<string>();
      return async (request, next) => {
        if (isOperation(request, 'login') && locked.has(emailOf(request)))
          return errorResponse(401, 'The email or the password is not right.');
        const response = await next(request);
        if (isOperation(request, 'login') && response.status === 401) locked.add(emailOf(request));
        return response;
      };
    },
    'a sign-in from a signed-in browser keeps the old session [SIGNIN-9]':
      () => async (request, next) => {
        if (!isOperation(request, 'login') || !hasSession(request)) return next(request);
        const response = await next(withHeaders(request, { cookie: '' }));
        return response.status === 200 ? withSetCookies(response, []) : response;
      },
    'a failed sign-in ends the session [SIGNIN-10]': () => {
      const ended = new Set<string>();
      return async (request, next) => {
        const session = sessionOf(request);
        if (isProjectOperation(request) && ended.has(session))
          return errorResponse(401, 'Please sign in.');
        const response = await next(request);
        if (isOperation(request, 'login') && response.status === 401 && session) ended.add(session);
        return response;
      };
    },
    'the server rejects a sign-in that carries an unknown session cookie [SIGNIN-11]': () => {
      const sessions = new Set<string | undefined>();
      return async (request, next) => {
        const isUnknown = hasSession(request) && !sessions.has(sessionOf(request));
        if (isOperation(request, 'login') && isUnknown)
          return errorResponse(403, 'Your session is not valid.');
        const response = await next(request);
        sessions.add(newCookieOf(response, 'session'));
        return response;
      };
    },
    'a session expires after three requests [SIGNIN-12]': () => {
      const counts = new Map<string, number>();
      return interceptRequests((request) => {
        if (!hasSession(request) || isOperation(request, 'login')) return false;
        const count = (counts.get(sessionOf(request)) ?? 0) + 1;
        counts.set(sessionOf(request), count);
        return count > 3 && errorResponse(401, 'Please sign in.');
      });
    },
    'a session expires after 20 requests [SIGNIN-12]': () => {
      const counts = new Map<string, number>();
      return interceptRequests((request) => {
        const count = (counts.get(sessionOf(request)) ?? 0) + 1;
        counts.set(sessionOf(request), count);
        return hasSession(request) && count > 20 && errorResponse(401, 'Please sign in.');
      });
    },
    'a session expires after three seconds without a request [SIGNIN-13]': (clock) => {
      const lastUses = new Map<string, number>();
      return interceptRequests((request) => {
        clock.increment(10);
        const session = sessionOf(request);
        const idleMs = clock.now() - (lastUses.get(session) ?? clock.now());
        if (idleMs > 3000 && isProjectOperation(request))
          return errorResponse(401, 'Please sign in.');
        lastUses.set(session, clock.now());
        return false;
      });
    },
    'each of two processes keeps its own sessions [SIGNIN-14]': () => {
      const processes = new Map<string | undefined, number>();
      return async (request, next) => {
        const process = request.connection % 2;
        const ownProcess = processes.get(sessionOf(request)) ?? process;
        if (isProjectOperation(request) && ownProcess !== process)
          return errorResponse(401, 'Please sign in.');
        const response = await next(request);
        processes.set(newCookieOf(response, 'session'), process);
        return response;
      };
    },
    'each response replaces the session cookie and ends the session of the old one [SIGNIN-14]':
      () => {
        const realSessions = new Map<string, string>();
        let count = 0;
        return async (request, next) => {
          const realSession = realSessions.get(sessionOf(request));
          realSessions.delete(sessionOf(request));
          const cookie = String(request.headers['cookie'] ?? '');
          const response = await next(
            withHeaders(request, {
              cookie: cookie.replace(sessionOf(request), realSession ?? 'ended'),
            }),
          );
          const session = newCookieOf(response, 'session') ?? realSession;
          if (!session) return response;
          const name = `session-${++count}`;
          realSessions.set(name, session);
          const lines = setCookiesOf(response).filter((line) => !line.startsWith('session='));
          return withSetCookies(response, [
            ...lines,
            `session=${name}; Path=/; HttpOnly; SameSite=Lax`,
          ]);
        };
      },
    'a session is valid from 0.3 s after its sign-in [SIGNIN-15]': (clock) => {
      const startTimes = new Map<string | undefined, number>();
      return async (request, next) => {
        clock.increment(20);
        const ageMs = clock.now() - (startTimes.get(sessionOf(request)) ?? 0);
        if (isProjectOperation(request) && ageMs < 300)
          return errorResponse(401, 'Please sign in.');
        const response = await next(request);
        startTimes.set(newCookieOf(response, 'session'), clock.now());
        return response;
      };
    },
    'one of ten sessions cannot create projects [SIGNIN-15]': () => {
      const sessions: string[] = [];
      return async (request, next) => {
        if (
          isOperation(request, 'createProject') &&
          sessions.indexOf(sessionOf(request)) % 10 === 7
        )
          return errorResponse(403, 'This session cannot be verified.');
        const response = await next(request);
        const session = newCookieOf(response, 'session');
        if (session) sessions.push(session);
        return response;
      };
    },
    'a session whose token contains a slash is not found [SIGNIN-15]': () => {
      const tokens = new Map<string, string>();
      return async (request, next) => {
        const session = tokens.get(sessionOf(request)) ?? sessionOf(request);
        if (isProjectOperation(request) && sessionOf(request).includes('/'))
          return errorResponse(401, 'Please sign in.');
        const cookie = String(request.headers['cookie'] ?? '').replace(sessionOf(request), session);
        const response = await next(withHeaders(request, { cookie }));
        const newSession = newCookieOf(response, 'session');
        if (!newSession) return response;
        const token = tokens.size % 10 === 7 ? `/${newSession}` : newSession;
        tokens.set(token, newSession);
        const lines = setCookiesOf(response).map((line) => line.replace(newSession, token));
        return withSetCookies(response, lines);
      };
    },
    'the server trims passwords on registration but not on sign-in [ACCOUNT-4]': () =>
      changeFields(['registerUser'], ['password'], (password) => password.trim()),
    'the server replaces accents and emoji in passwords on sign-in [ACCOUNT-4]': () =>
      changeFields(['login'], ['password'], (password) => password.replaceAll(/[^ -~]/gu, '?')),
    'registering an existing email again replaces its password [ACCOUNT-7]': () => {
      const registrations = new Map<string, number>();
      return interceptRequests((request) => {
        const isRegistration = isOperation(request, 'registerUser');
        if (!isRegistration && !isOperation(request, 'login')) return false;
        const count = (registrations.get(emailOf(request)) ?? 0) + Number(isRegistration);
        registrations.set(emailOf(request), count);
        return withFields(request, ['email'], (email) => email.replace('@', `.v${count}@`));
      });
    },
    'registering an existing email in capitals replaces its password [ACCOUNT-7]': () => {
      const replaced = new Set<string>();
      return interceptRequests((request) => {
        if (isOperation(request, 'registerUser') && /^[A-Z]+\./.test(emailAsTyped(request)))
          replaced.add(emailOf(request));
        return (
          replaced.has(emailOf(request)) &&
          withFields(request, ['email'], (email) => email.replace('@', '.replaced@'))
        );
      });
    },
    'a wrong password is refused with a session cookie that works [SIGNIN-1]': () => {
      const passwords = new Map<string, string>();
      return async (request, next) => {
        const password = String(jsonObjectOf(request)['password']);
        if (isOperation(request, 'registerUser') && !passwords.has(emailOf(request)))
          passwords.set(emailOf(request), password);
        const response = await next(request);
        const right = passwords.get(emailOf(request));
        if (!isOperation(request, 'login') || response.status !== 401 || !right) return response;
        const signedIn = await next(withFields(request, ['password'], () => right));
        return withSetCookies(response, setCookiesOf(signedIn));
      };
    },
    'the server refuses sign-ins 8 to 30 like a wrong password [SIGNIN-17]': () => {
      let count = 0;
      return interceptRequests(
        (request) =>
          isOperation(request, 'login') &&
          ++count >= 8 &&
          count <= 30 &&
          errorResponse(401, 'The email or the password is not right.'),
      );
    },
    'the second sign-in of an account fails [SIGNIN-17]': () => {
      const signedIn = new Set<string>();
      return async (request, next) => {
        if (isOperation(request, 'login') && signedIn.has(emailOf(request)))
          return errorResponse(401, 'The email or the password is not right.');
        const response = await next(request);
        if (isOperation(request, 'login') && response.status === 200)
          signedIn.add(emailOf(request));
        return response;
      };
    },
    'every third account is stored 0.3 s after its registration [SIGNIN-17]': (clock) => {
      const storedAt = new Map<string, number>();
      return async (request, next) => {
        clock.increment(10);
        if (isOperation(request, 'login') && clock.now() < (storedAt.get(emailOf(request)) ?? 0))
          return errorResponse(401, 'The email or the password is not right.');
        const response = await next(request);
        if (isOperation(request, 'registerUser') && response.status === 201)
          storedAt.set(emailOf(request), clock.now() + (storedAt.size % 3 === 2 ? 300 : 0));
        return response;
      };
    },
    'the server reads a plus sign in a password as a space on sign-in [ACCOUNT-4]': () =>
      changeFields(['login'], ['password'], (password) => password.replaceAll('+', ' ')),
    'the server answers the registration of an existing email with 201 [ACCOUNT-7]': () =>
      changeExistingEmailResponse((response) => withJson(response, { role: 'member' }, 201)),
    'one of two concurrent registrations of an email causes a 500 [ACCOUNT-12]': () =>
      respondToConcurrent('registerUser', () => errorResponse(500, 'Please try again.'), emailOf),
    'a NUL in a password and concurrent registrations cause a 500 [ACCOUNT-12, ACCOUNT-17]': () => {
      const failForTwo = respondToConcurrent(
        'registerUser',
        () => errorResponse(500, 'Please try again.'),
        emailOf,
      );
      return async (request, next) =>
        isOperation(request, 'registerUser') && request.body.includes(String.raw`\u0000`)
          ? errorResponse(500, 'The text ends early.')
          : failForTwo(request, next);
    },
    'the registration of an existing email causes a 500 [ACCOUNT-12, ERR-5]': () =>
      changeExistingEmailResponse(() => errorResponse(500, 'Please try again.')),
    'the server drops the part after a plus sign on registration only [ACCOUNT-15]': () =>
      changeFields(['registerUser'], ['email'], (email) => email.replace(/\+[^@]*/, '')),
    'the role of a new account is a number [ACCOUNT-21]': () =>
      changeRegisterResponse((response) => withJson(response, { role: 2 })),
    'the registration of a new email fails [ACCOUNT-1]': () =>
      interceptRequests(
        (request) =>
          isOperation(request, 'registerUser') && errorResponse(403, 'Registration is closed.'),
      ),
    'a new account cannot sign in [ACCOUNT-2]': () =>
      interceptRequests(
        (request) =>
          isOperation(request, 'login') && errorResponse(403, 'Please confirm your email first.'),
      ),
    'projects belong to the email as typed at sign-in [ACCOUNT-14]': () => {
      const emails = new Map<string, unknown>();
      const owners = new Map<unknown, unknown>();
      return async (request, next) => {
        const response = await next(request);
        const session = newCookieOf(response, 'session');
        if (isOperation(request, 'login') && session)
          emails.set(session, jsonObjectOf(request)['email']);
        const email = emails.get(sessionOf(request));
        if (isOperation(request, 'createProject')) owners.set(jsonObjectOf(response)['id'], email);
        return isOperation(request, 'listProjects') && response.status === 200
          ? withJson(
              response,
              projectsOf(response).filter(({ id }) => owners.get(id) === email),
            )
          : response;
      };
    },
    'two concurrent registrations of the same email both succeed [ACCOUNT-12]': () =>
      respondToConcurrent('registerUser', () => jsonResponse(201, { role: 'member' }), emailOf),
    'the server accepts an object in place of a password [ERR-21]': () =>
      withAccounts((passwords) =>
        interceptRequests((request) => {
          const { email, password } = jsonObjectOf(request);
          if (!isOperation(request, 'login') || typeof password !== 'object' || !password)
            return false;
          const realPassword = passwords.get(emailOf(request));
          return { ...request, body: JSON.stringify({ email, password: realPassword }) };
        }),
      ),
  },
];

/** Creates a middleware that knows the password of each registered email. */
function withAccounts(create: (passwords: Map<string, string>) => Middleware): Middleware {
  const passwords = new Map<string, string>();
  const middleware = create(passwords);
  return async (request, next) => {
    const response = await middleware(request, next);
    if (isOperation(request, 'registerUser') && response.status === 201)
      passwords.set(emailOf(request), String(jsonObjectOf(request)['password']));
    return response;
  };
}

function changeUnknownEmailResponse(change: (response: ProxyResponse) => ProxyResponse) {
  return withAccounts((passwords) =>
    changeWrongPasswordResponse(
      (response, request) => !passwords.has(emailOf(request)) && change(response),
    ),
  );
}
