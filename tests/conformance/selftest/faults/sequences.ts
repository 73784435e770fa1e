import {
  cookieOf,
  createFaults,
  emailOf,
  errorResponse,
  hasSession,
  isOperation,
  isProjectOperation,
  jsonObjectOf,
  jsonResponse,
  newCookieOf,
  projectsOf,
  sessionOf,
  setCookiesOf,
  withJson,
  withSetCookies,
  type FaultTable,
} from '../fault-builders.ts';
import type { Middleware, ProxyRequest, ProxyResponse } from '../fault-proxy.ts';
import { untilQuiet } from '../test-clock.ts';

const isList = (request: ProxyRequest) => isOperation(request, 'listProjects');
const isCreate = (request: ProxyRequest) => isOperation(request, 'createProject');
const isSignIn = (request: ProxyRequest) => isOperation(request, 'login');

/** Returns the sessions of each user, the oldest first, and a middleware that records them. */
function recordSessions() {
  const sessions = new Map<string, string[]>();
  const sessionsOf = (email: string) => sessions.get(email) ?? [];
  const record = (request: ProxyRequest, response: ProxyResponse) => {
    const session = newCookieOf(response, 'session');
    const email = emailOf(request);
    if (isSignIn(request) && session) sessions.set(email, [...sessionsOf(email), session]);
    return response;
  };
  const userOf = (session: string) =>
    [...sessions.keys()].find((email) => sessionsOf(email).includes(session));
  return { sessionsOf, userOf, record };
}

/** Rejects projects requests of the sessions that `ended` contains. */
const rejectSessions =
  (ended: Set<string>, middleware: Middleware): Middleware =>
  (request, next) =>
    isProjectOperation(request) && ended.has(sessionOf(request))
      ? errorResponse(401, 'Please sign in.')
      : middleware(request, next);

/** Ends all sessions of the user whose email a request has. */
function endSessions(isEnd: (request: ProxyRequest, response: ProxyResponse) => boolean) {
  const { sessionsOf, record } = recordSessions();
  const ended = new Set<string>();
  return rejectSessions(ended, async (request, next) => {
    const response = record(request, await next(request));
    if (isEnd(request, response))
      for (const session of sessionsOf(emailOf(request))) ended.add(session);
    return response;
  });
}

/** Faults that only show after certain requests in a certain order. */
export const sequenceFaults: FaultTable[] = [
  createFaults(endSessions, {
    'a wrong password ends all sessions of the user [SIGNIN-16]': (request, { status }) =>
      isSignIn(request) && status === 401,
    'registering an existing email ends all sessions of its user [SIGNIN-16]': (
      request,
      { status },
    ) => isOperation(request, 'registerUser') && status === 409,
  }),
  {
    'the browser that registered cannot sign in [JOURNEY-1]': () => async (request, next) => {
      if (isSignIn(request) && cookieOf(request, 'registered'))
        return errorResponse(409, 'Please finish your registration.');
      const response = await next(request);
      return isOperation(request, 'registerUser') && response.status === 201
        ? withSetCookies(response, [
            ...setCookiesOf(response),
            'registered=1; Path=/; HttpOnly; SameSite=Lax',
          ])
        : response;
    },
    'the server loses a project that is created while the list is in flight [JOURNEY-5]': () => {
      const listing = new Map<string, number>();
      const count = (session: string, change: number) =>
        listing.set(session, (listing.get(session) ?? 0) + change);
      return async (request, next) => {
        const session = sessionOf(request);
        if (isCreate(request) && session && listing.get(session))
          return jsonResponse(201, { id: `lost-${Math.random()}`, ...jsonObjectOf(request) });
        if (!isList(request)) return next(request);
        count(session, 1);
        await untilQuiet();
        const response = await next(request);
        count(session, -1);
        return response;
      };
    },
    'a list that is in flight while a project is created is cached for the next one [JOURNEY-5]':
      () => {
        const listing = new Map<string, Promise<ProxyResponse>>();
        const cached = new Map<string, Promise<ProxyResponse>>();
        return async (request, next) => {
          const session = sessionOf(request);
          if (!session || !isProjectOperation(request)) return next(request);
          const outdated = listing.get(session);
          if (isCreate(request) && outdated) cached.set(session, outdated);
          if (isCreate(request)) return next(request);
          const stale = cached.get(session);
          if (cached.delete(session) && stale) return stale;
          const response = next(request);
          listing.set(session, response);
          await response;
          await untilQuiet();
          listing.delete(session);
          return response;
        };
      },
    'a project created after a refused one is missing from the next list [PROJECT-4, JOURNEY-5]':
      () => {
        const refused = new Set<string>();
        const hidden = new Map<string, unknown>();
        return async (request, next) => {
          const session = sessionOf(request);
          const response = await next(request);
          if (isList(request) && hidden.has(session) && response.status === 200) {
            const projects = projectsOf(response).filter(({ id }) => id !== hidden.get(session));
            hidden.delete(session);
            return withJson(response, projects);
          }
          if (!isCreate(request) || !session) return response;
          const wasRefused = refused.delete(session);
          if (response.status === 422) refused.add(session);
          if (response.status === 201 && wasRefused)
            hidden.set(session, jsonObjectOf(response)['id']);
          return response;
        };
      },
    'a project that a visitor may not create empties the next list [PROJECT-20, JOURNEY-5]': () => {
      let isEmpty = false;
      return async (request, next) => {
        const response = await next(request);
        if (isCreate(request) && !hasSession(request)) isEmpty = true;
        if (!isList(request) || response.status !== 200 || !isEmpty) return response;
        isEmpty = false;
        return withJson(response, []);
      };
    },
    'a registration ends the sign-ins in flight [JOURNEY-6]': () => {
      const ended = new Set<string>();
      const inFlight = new Set<{ isEnded: boolean }>();
      return rejectSessions(ended, async (request, next) => {
        if (!isSignIn(request)) {
          const response = await next(request);
          if (isOperation(request, 'registerUser'))
            for (const signIn of inFlight) signIn.isEnded = true;
          return response;
        }
        const signIn = { isEnded: false };
        inFlight.add(signIn);
        await untilQuiet();
        const response = await next(request);
        inFlight.delete(signIn);
        if (signIn.isEnded) ended.add(newCookieOf(response, 'session') ?? '');
        return response;
      });
    },
    'a registration that begins during a sign-in refuses that sign-in [JOURNEY-6]': () => {
      let registrations = 0;
      return async (request, next) => {
        if (isOperation(request, 'registerUser')) registrations += 1;
        if (!isSignIn(request)) return next(request);
        const earlier = registrations;
        await untilQuiet();
        return registrations === earlier
          ? next(request)
          : errorResponse(401, 'The email or the password is not right.');
      };
    },
    'a registration ends the session of the browser [ACCOUNT-18]': () => {
      const ended = new Set<string>();
      return rejectSessions(ended, async (request, next) => {
        const response = await next(request);
        if (isOperation(request, 'registerUser') && response.status === 201)
          ended.add(sessionOf(request));
        return response;
      });
    },
    'a registration during a sign-in of the same browser blocks its next sign-in [JOURNEY-6]':
      () => {
        const signingIn = new Set<string>();
        const blocked = new Set<string>();
        return async (request, next) => {
          const session = sessionOf(request);
          if (isOperation(request, 'registerUser') && signingIn.has(session)) blocked.add(session);
          if (!isSignIn(request) || !session) return next(request);
          if (blocked.has(session)) return errorResponse(409, 'A sign-in is in progress.');
          signingIn.add(session);
          const response = await next(request);
          await untilQuiet();
          signingIn.delete(session);
          return response;
        };
      },
    'a sign-in freezes the list of a browser with three visits [JOURNEY-6]': () => {
      const { sessionsOf, record } = recordSessions();
      const lists = new Map<string, ProxyResponse[]>();
      const frozen = new Set<string>();
      return async (request, next) => {
        const session = sessionOf(request);
        const visits = lists.get(session) ?? [];
        if (isCreate(request)) frozen.delete(session);
        if (isList(request) && frozen.has(session)) return visits.at(-1)!;
        const response = await next(request);
        if (isSignIn(request) && response.status === 200)
          for (const other of sessionsOf(emailOf(request)))
            if ((lists.get(other)?.length ?? 0) >= 3) frozen.add(other);
        if (isList(request) && response.status === 200) lists.set(session, [...visits, response]);
        return record(request, response);
      };
    },
    'two wrong passwords end the first of several sessions [JOURNEY-6]': () => {
      const { sessionsOf, record } = recordSessions();
      const ended = new Set<string>();
      const wrong = new Map<string, number>();
      return rejectSessions(ended, async (request, next) => {
        const response = record(request, await next(request));
        if (!isSignIn(request)) return response;
        const email = emailOf(request);
        wrong.set(email, response.status === 401 ? (wrong.get(email) ?? 0) + 1 : 0);
        const [first, second] = sessionsOf(email);
        if (wrong.get(email) === 2 && first && second) ended.add(first);
        return response;
      });
    },
    'a user who returns to a browser sees the list of the user before [JOURNEY-6]': () => {
      const { userOf, record } = recordSessions();
      /** Of each session, the one that it replaced in its browser. */
      const replaced = new Map<string, string>();
      const lists = new Map<string, ProxyResponse>();
      return async (request, next) => {
        const session = sessionOf(request);
        const second = replaced.get(session) ?? '';
        const first = replaced.get(second) ?? '';
        const isReturn = first && userOf(session) === userOf(first);
        const list = lists.get(second);
        if (isList(request) && isReturn && list && userOf(second) !== userOf(first)) return list;
        const response = record(request, await next(request));
        if (isList(request) && response.status === 200) lists.set(session, response);
        const newSession = newCookieOf(response, 'session');
        if (isSignIn(request) && newSession) replaced.set(newSession, session);
        return response;
      };
    },
  },
];
