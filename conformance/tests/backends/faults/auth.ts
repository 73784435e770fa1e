import {
  jsonResponse,
  requestCookie,
  withHeaders,
  type StoredAccount,
  type Backend,
  type Change,
} from '../backend.ts';
import * as change from '../changes.ts';
import { closedConnection, type BackendRequest, type BackendResponse } from '../stub-server.ts';

const passwords =
  (passwordKey: Backend['passwordKey']): Change =>
  () => ({ passwordKey });

const emails =
  (keyOf: (email: string) => string): Change =>
  () => ({ emailKey: (email) => keyOf(email).toLowerCase() });

const refused = (field: 'email' | 'password', pattern: RegExp, status = 422): Change =>
  change.refuse('registerUser', status, (json) => pattern.test(String(json[field])));

const hasSession = (_json: unknown, request: BackendRequest) => change.sessionOf(request);

/** Changes what is registered, but not what signs in. */
const registrations =
  (field: 'email' | 'password', changed: (text: string) => string): Change =>
  ({ registerUser }) => ({
    registerUser: (call) =>
      registerUser({ ...call, json: { ...call.json, [field]: changed(String(call.json[field])) } }),
  });

const unknownEmail = (response: BackendResponse) =>
  change.after('refuseLogin', (_refusal, account) => !account && response);

function endSessions({ sessions }: Backend, account: StoredAccount | undefined) {
  for (const [session, owner] of sessions) if (owner === account) sessions.delete(session);
}

const lateSessions =
  (delayMs: number): Change =>
  ({ findAccount }, clock) => {
    const startTimes = new Map<string, number>();
    return change.all(
      change.after('createSession', (session) => {
        startTimes.set(session, clock.now() + delayMs);
      }),
      () => ({
        findAccount(session, request) {
          clock.increment(20);
          const isValid = clock.now() >= (startTimes.get(session) ?? 0);
          return isValid ? findAccount(session, request) : undefined;
        },
      }),
    );
  };

const ownSessions: Parameters<typeof change.inTwoProcesses>[0] =
  ({ findAccount }, isOwn) =>
  () => ({
    findAccount: (session, request) =>
      isOwn(session, request) ? findAccount(session, request) : undefined,
  });

export const accountFaults: Record<string, Change> = {
  'ACCOUNT-1: each registration is refused': change.refuse('registerUser', 403, () => true),
  'ACCOUNT-2: a new account cannot sign in': change.refuse('login', 403, () => true),
  'ACCOUNT-2: the browser that registered cannot sign in': change.all(
    change.after('registered', (sent) => change.withSetCookies(sent, ['registered=1; Path=/'])),
    change.refuse('login', 409, (_json, request) => requestCookie(request, 'registered')),
  ),
  'ACCOUNT-3: passwords of less than 10 characters are refused': refused('password', /^.{0,9}$/),
  'ACCOUNT-4: passwords are trimmed on registration but not on sign-in': registrations(
    'password',
    (password) => password.trim(),
  ),
  'ACCOUNT-4: passwords are normalized on registration but not on sign-in': registrations(
    'password',
    (password) => password.normalize(),
  ),
  'ACCOUNT-20: a new password outside Latin-1 causes a 500': refused('password', /[^\0-\xff]/, 500),
  'ACCOUNT-5: passwords are trimmed': passwords((password) => password.trim()),
  'ACCOUNT-6: only 72 bytes of passwords are compared': passwords((password) =>
    Buffer.from(password).subarray(0, 72).toString(),
  ),
  'ACCOUNT-7: registering an existing email again replaces its account': change.before(
    'registerUser',
    ({ accounts }, { request }) => accounts.delete(change.emailOf(request)),
  ),
  'ACCOUNT-7: registering an email in capitals replaces its account': change.before(
    'registerUser',
    ({ accounts }, { request, json }) =>
      json['email'] !== change.emailOf(request) && accounts.delete(change.emailOf(request)),
  ),
  'ACCOUNT-8: emails with "I" are compared by the rules of Turkish': emails((email) =>
    email.replaceAll('I', 'ı'),
  ),
  'ACCOUNT-9: a signed-in browser cannot register': change.refuse('registerUser', 403, hasSession),
  'ACCOUNT-10: a long password is accepted on registration only': change.refuse(
    'login',
    401,
    ({ password }) => String(password).length > 24,
  ),
  'ACCOUNT-11: dots in emails are ignored': emails((email) => email.replaceAll(/\.(?=.*@)/g, '')),
  'ACCOUNT-11: letters of full width in emails are other forms of letters': emails((email) =>
    email.normalize('NFKC'),
  ),
  'ACCOUNT-11: accents in emails are ignored': emails((email) =>
    email.normalize('NFD').replaceAll(/\p{M}/gu, ''),
  ),
  'ACCOUNT-12: two concurrent registrations of one email both succeed': change.atOnce(
    'registerUser',
    (place) => place === 2 && jsonResponse(201, {}),
    change.emailOf,
  ),
  'ACCOUNT-12: one of two concurrent registrations of one email causes a 500': change.atOnce(
    'registerUser',
    (place) => place === 2 && change.error(500),
    change.emailOf,
  ),
  'ACCOUNT-13: letters outside ASCII in passwords are replaced': passwords((password) =>
    password.replaceAll(/[^ -~]/gu, '?'),
  ),
  'ACCOUNT-14: projects belong to the email as typed at sign-in': ({ login, createSession }) => {
    const projects = new Map<string, StoredAccount['projects']>();
    let typed = '';
    return {
      login(call) {
        typed = String(call.json['email']);
        return login(call);
      },
      createSession(account, ...rest) {
        const own = { ...account, projects: projects.get(typed) ?? [] };
        projects.set(typed, own.projects);
        return createSession(own, ...rest);
      },
    };
  },
  'ACCOUNT-19: an apostrophe in a new email causes a 500': refused('email', /'/, 500),
  'ACCOUNT-15: the part after a plus sign is dropped on registration only': registrations(
    'email',
    (email) => email.replace(/\+[^@]*/, ''),
  ),
  'ACCOUNT-16: 100 characters of emails are kept': emails((email) =>
    email.length > 100 ? `${email.slice(0, 96)}.org` : email,
  ),
  'ACCOUNT-18: a registration ends the session of the browser': change.before(
    'registered',
    ({ sessions }, { session }) => sessions.delete(session),
  ),
  'ACCOUNT-19: emails with a plus sign are refused': refused('email', /\+/),
  'ACCOUNT-19: an email needs a dot in its host': refused('email', /@[^.]*$/),
  'ACCOUNT-20: vowel signs of a password do not count': refused('password', /^(\p{L}\p{M}){1,7}$/u),
  'ACCOUNT-20: passwords with a space are refused': refused('password', / /),
  'ACCOUNT-11: dots and tags of a large provider are removed': emails((email) =>
    email.endsWith('@gmail.com') ? email.replaceAll(/\.(?=.*@)|\+.*(?=@)/g, '') : email,
  ),
  'ACCOUNT-22: a registration chooses its role': () => ({
    registered: ({ json }) => jsonResponse(201, { role: json['role'] ?? 'member' }),
  }),
  'ACCOUNT-23: passwords need a capital and a digit': refused('password', /^[a-z ]{8,}$/),
};

/** Sessions that end after so many requests. */
const sessionsOf =
  (maxCount: number): Change =>
  ({ sessions }) => {
    const counts = new Map<string, number>();
    return change.before('findAccount', (_backend, session) => {
      counts.set(session, (counts.get(session) ?? 0) + 1);
      if (counts.get(session)! > maxCount) sessions.delete(session);
    });
  };

export const signInFaults: Record<string, Change> = {
  'SIGNIN-13: a session expires after 100 requests': sessionsOf(100),
  'SIGNIN-13: the session that was not used for longest ends, beyond 16': ({ sessions }) => {
    return change.before('findAccount', (_backend, session) => {
      const account = sessions.get(session);
      sessions.delete(session);
      if (account) sessions.set(session, account);
      if (sessions.size > 16) sessions.delete([...sessions.keys()][0]!);
    });
  },
  'SIGNIN-13: a session cookie that is no hexadecimal number ends all sessions': ({ sessions }) =>
    change.before('findAccount', (_backend, session) => {
      if (/[^\da-f]/.test(session)) sessions.clear();
    }),
  'ACCOUNT-1: the origin of the app is refused': change.requestsTo(
    'registerUser',
    ({ headers }) => headers.origin !== undefined && change.error(403),
  ),
  'ACCOUNT-1: a registration is refused on a connection with an earlier request': () => {
    const used: number[] = [];
    return change.requests((request) => {
      const isUsed = used.includes(request.connection);
      used.push(request.connection);
      return isUsed && change.isOperation(request, 'registerUser') && change.error(400);
    });
  },
  'ACCOUNT-2: after four sign-ins, a password counts as a wrong one': () => {
    const typed: string[] = [];
    return change.refuse('login', 401, (_json, request) => {
      typed.push(change.emailOf(request));
      return typed.filter((each) => each === typed.at(-1)).length > 4;
    });
  },
  'LEAK-4: sign-ins within a second have one session id': ({ sessions }, clock) => ({
    createSession(account) {
      const session = `seeded-by-second-${Math.floor(clock.now() / 1000)}`;
      sessions.set(session, account);
      return session;
    },
  }),
  'SIGNIN-17: the unread body of a refused project is the next request of its connection': () => {
    const unread = new Set<number>();
    return change.respond(async (request, next) => {
      if (unread.delete(request.connection)) return change.error(400);
      const response = await next(request);
      const isUnread = change.isOperation(request, 'createProject') && response.status === 401;
      if (isUnread) unread.add(request.connection);
      return response;
    });
  },
  'SIGNIN-17: two processes with a database each take turns': (backend) => {
    const { accounts, sessions } = backend;
    const databases = [
      { accounts, sessions },
      { accounts: new Map(), sessions: new Map() },
    ];
    let count = 0;
    return change.before('respond', () => Object.assign(backend, databases[++count % 2]));
  },
  'SIGNIN-1: a wrong password gets 200 and an error in the body': change.responsesTo(
    'login',
    401,
    () => jsonResponse(200, { error: 'wrong' }),
  ),
  'SIGNIN-1: any password signs in after the right one': ({ signIn, refuseLogin }) => {
    const known = new Set<unknown>();
    return {
      signIn(account, call) {
        known.add(account);
        return signIn(account, call);
      },
      refuseLogin: (account, call) =>
        account && known.has(account)
          ? withHeaders(jsonResponse(200, {}), { 'set-cookie': signIn(account, call) })
          : refuseLogin(account, call),
    };
  },
  'SIGNIN-2: "_" in an email stands for any character': ({ accounts, emailKey }) => ({
    emailKey(email) {
      const pattern = new RegExp(
        `^${emailKey(email).replaceAll(/[.+]/g, '\\$&').replaceAll('_', '.')}$`,
      );
      return [...accounts.keys()].find((key) => pattern.test(key)) ?? emailKey(email);
    },
  }),
  'SIGNIN-2: an unknown email gets 200': unknownEmail(jsonResponse(200, {})),
  'SIGNIN-3: only 12 characters of passwords are compared': passwords((password) =>
    password.slice(0, 12),
  ),
  'SIGNIN-6: login returns a token in the body and sets no cookie': () => ({
    loggedIn: () => jsonResponse(200, { token: 'eyJhbGciOiJIUzI1NiJ9.e30.abcdefgh' }),
    signIn: () => [],
  }),
  'SIGNIN-6: the XSRF cookie replaces that of the session': change.after('cookiesOf', (lines) =>
    lines.slice(-1),
  ),
  'SIGNIN-7: a second sign-in ends the first session': change.before('createSession', endSessions),
  'SIGNIN-9: a signed-in browser cannot sign in': change.refuse('login', 400, hasSession),
  'SIGNIN-9: a sign-in from a signed-in browser keeps the old session': ({ login, loggedIn }) => ({
    login(call) {
      const response = login({ ...call, session: '' });
      return call.session && response.status === 200 ? loggedIn() : response;
    },
  }),
  'SIGNIN-9: a sign-in from a signed-in browser deletes the session cookie': change.responsesTo(
    'login',
    200,
    (response, request) =>
      change.sessionOf(request) !== '' &&
      change.withSetCookies(response, ['session=; Max-Age=0; Path=/']),
  ),
  'SIGNIN-17: from sign-in 26 on, no session is stored': ({ sessions }) => {
    let count = 0;
    return change.after('createSession', (session) => {
      if (++count > 25) setImmediate(() => sessions.delete(session));
    });
  },
  'SIGNIN-14: each of two processes keeps its own sessions': change.inTwoProcesses(ownSessions),
  // Each process decrypts only its own cookies, and replaces those of the other one.
  'SIGNIN-14: two processes take turns, and each has a key of its own': (backend) => {
    let turn = 0;
    return change.all(
      change.requests(() => void turn++),
      change.inTwoProcesses(ownSessions, () => turn % 2),
      change.responsesTo('listProjects', 401, (response) =>
        change.withSetCookies(response, [backend.sessionCookie('of-a-visitor')]),
      ),
    );
  },
  'SIGNIN-14: each response replaces the session cookie and ends the session of the old one': (
    backend,
  ) =>
    change.renewedCookies((session, account, request) =>
      backend.cookiesOf(backend.createSession(account, session, request)),
    ),
  'SIGNIN-15: a session is valid from 0.3 s after its sign-in': lateSessions(300),
  'SIGNIN-15: a session is valid from 0.9 s after its sign-in': lateSessions(900),
  'SIGNIN-15: only the length of an Idempotency-Key counts': ({ sessions }) => {
    const keys = new Map<string, string>();
    return change.refuse('createProject', 409, (_json, request) => {
      const key = String(request.headers['idempotency-key'] ?? '');
      const place = `${sessions.get(change.sessionOf(request))?.email} ${key.length}`;
      if (key && !keys.has(place)) keys.set(place, key);
      return key && keys.get(place) !== key;
    });
  },
  'SIGNIN-15: a session whose token contains a slash is not found': () => {
    const counts = new Map<string, number>();
    return change.after('createSession', (session, { email }) => {
      counts.set(email, (counts.get(email) ?? 0) + 1);
      return counts.get(email) === 3 && `/${session}`;
    });
  },
  'SIGNIN-16: a sign-in ends the sessions of all others': change.before(
    'createSession',
    ({ sessions }) => sessions.clear(),
  ),
  'SIGNIN-6: the session cookie is found only if it is alone': change.requests((request) => {
    const { cookie } = request.headers;
    return {
      ...request,
      headers: { ...request.headers, ...(cookie?.includes(';') && { cookie: '' }) },
    };
  }),
  'SIGNIN-16: a wrong password ends all sessions of the user': change.before(
    'refuseLogin',
    endSessions,
  ),
  'SIGNIN-17: sign-ins 8 to 30 are refused like a wrong password': () => {
    let count = 0;
    return change.refuse('login', 401, () => ++count >= 8 && count <= 30);
  },
  'SIGNIN-17: the second sign-in of an account fails': change.before('signIn', (_, account) => {
    account.password = 'signed in once';
  }),
  'SIGNIN-17: each attempt but the first of an email gets 500': () => {
    const tried = new Set<string>();
    return change.requestsTo(
      'login',
      (request) => tried.size === tried.add(change.emailOf(request)).size && change.error(500),
    );
  },
  'SIGNIN-17: every third account is stored 0.3 s after its registration': (_backend, clock) => {
    const storedAt = new Map<string, number>();
    return change.all(
      change.before('registered', (_, { request }) => {
        const delayMs = storedAt.size % 3 === 2 ? 300 : 0;
        storedAt.set(change.emailOf(request), clock.now() + delayMs);
      }),
      change.refuse(
        'login',
        401,
        (_json, request) => clock.now() < (storedAt.get(change.emailOf(request)) ?? 0),
      ),
    );
  },
  'SIGNIN-17: a sign-in before the registration is remembered as one without an account': () => {
    const unknown = new Set<string>();
    return change.all(
      change.before('refuseLogin', (_backend, account, { request }) => {
        if (!account) unknown.add(change.emailOf(request));
      }),
      change.refuse('login', 401, (_json, request) => unknown.has(change.emailOf(request))),
    );
  },
  'REACH-5: the registration of small letters gets no response': change.requestsTo(
    'registerUser',
    (request) => /^[a-z]{8}$/.test(String(change.jsonOf(request)['password'])) && closedConnection,
  ),
  'ERR-24: one wrong password locks the account': change.before(
    'refuseLogin',
    (_backend, account) => {
      if (account) account.password = 'locked';
    },
  ),
};

/** Other faults of signing in. */
export const otherSignInFaults: Record<string, Change> = {
  'SIGNIN-1: a wrong password is refused with a session cookie that works': ({ signIn }) =>
    change.after(
      'refuseLogin',
      (refusal, account, call) => account && change.withSetCookies(refusal, signIn(account, call)),
    ),
  'SIGNIN-4: a wrong password and an unknown email get different messages': unknownEmail(
    change.error(401, 'There is no such account.'),
  ),
  'SIGNIN-5: an unknown email is refused much faster than a wrong password': (
    { accounts },
    clock,
  ) =>
    change.before('login', (_backend, { request }) => {
      if (accounts.has(change.emailOf(request))) clock.increment(40);
    }),
  'SIGNIN-19: five wrong passwords lock an account, as if the right one were wrong':
    change.lockAfter(5, change.error(401, 'The email or the password is not right.')),
  'SIGNIN-8: one of two concurrent sign-ins is refused': change.atOnce(
    'login',
    (place) => place === 2 && change.error(409, 'Another sign-in is in progress.'),
  ),
  'SIGNIN-10: a failed sign-in ends the session': change.before(
    'refuseLogin',
    ({ sessions }, _account, { session }) => sessions.delete(session),
  ),
  'SIGNIN-10: a failed sign-in deletes the session cookie, and does not empty it':
    change.responsesTo('login', 401, (response) =>
      change.withSetCookies(response, [
        'session=deleted-0123456789; Path=/; Expires=Thu, 01 Jan 1970 00:00:01 GMT',
      ]),
    ),
  'SIGNIN-11: a sign-in with an unknown session cookie is refused': ({ sessions }) =>
    change.refuse('login', 403, (_json, request) => {
      const session = change.sessionOf(request);
      return session && !sessions.has(session);
    }),
  'SIGNIN-11: a sign-in with the cookie of a session that has ended causes a 500': () => {
    const ended = new Set<string>();
    return change.all(
      change.refuse('login', 500, (_json, request) => ended.has(change.sessionOf(request))),
      change.before('createSession', (_backend, _account, old) => old && ended.add(old)),
    );
  },
  'SIGNIN-12: a session expires after its first request': sessionsOf(1),
  'SIGNIN-12: a session expires after 20 requests': sessionsOf(20),
  'SIGNIN-13: a session expires after three seconds without a request': ({ sessions }, clock) => {
    const lastUses = new Map<string, number>();
    return change.before('findAccount', (_backend, session) => {
      if (clock.now() - (lastUses.get(session) ?? clock.now()) > 3000) sessions.delete(session);
      lastUses.set(session, clock.now());
    });
  },
  'SIGNIN-15: one of ten sessions cannot create projects': () => {
    const sessions: string[] = [];
    return change.refuse('createProject', 403, (_json, request) => {
      const session = change.sessionOf(request);
      if (!sessions.includes(session)) sessions.push(session);
      return sessions.indexOf(session) % 10 === 7;
    });
  },
};
