import type { Project } from '../../../../machines/types.ts';
import { requestCookie, type StoredAccount, type Change } from '../backend.ts';
import * as change from '../changes.ts';
import { untilQuiet } from '../test-clock.ts';

/** Faults that only show after certain requests in a certain order. */
export const sequenceFaults: Record<string, Change> = {
  'JOURNEY-1: the browser that registered cannot sign in': ({ registered }) =>
    change.all(
      () => ({
        registered: (call) =>
          change.withSetCookies(registered(call), ['registered=1; Path=/; HttpOnly']),
      }),
      change.refuse('login', 409, (_json, request) => requestCookie(request, 'registered')),
    ),
  'JOURNEY-5: a project that is created while the list is in flight is lost': () => {
    const listing = new Map<string, number>();
    return change.respond(async (request, next) => {
      const session = change.sessionOf(request);
      if (change.isOperation(request, 'createProject') && session && listing.get(session))
        return change.lostProject(change.jsonOf(request));
      if (!change.isOperation(request, 'listProjects')) return next(request);
      const count = (by: number) => listing.set(session, (listing.get(session) ?? 0) + by);
      count(1);
      await untilQuiet();
      count(-1);
      return next(request);
    });
  },
  'JOURNEY-6: a registration that begins during a sign-in refuses that sign-in': () => {
    let registrations = 0;
    return change.respond(async (request, next) => {
      if (change.isOperation(request, 'registerUser')) registrations += 1;
      if (!change.isOperation(request, 'login')) return next(request);
      const earlier = registrations;
      await untilQuiet();
      return registrations === earlier ? next(request) : change.error(401, 'Please try again.');
    });
  },
  'JOURNEY-6: a sign-in freezes the list of a browser with three visits': ({
    sessions,
    createSession,
    createProject,
  }) => {
    const visits = new Map<string, number>();
    const frozen = new Map<string, Project[]>();
    return {
      createSession(account, ...rest) {
        for (const [session, owner] of sessions)
          if (owner === account && (visits.get(session) ?? 0) >= 3)
            frozen.set(session, [...account.projects]);
        return createSession(account, ...rest);
      },
      createProject(call) {
        frozen.delete(call.session);
        return createProject(call);
      },
      listOf({ projects }, { session }) {
        visits.set(session, (visits.get(session) ?? 0) + 1);
        return frozen.get(session) ?? projects;
      },
    };
  },
  'JOURNEY-6: two wrong passwords end the first of several sessions': ({
    sessions,
    signIn,
    refuseLogin,
  }) => {
    const wrong = new Map<StoredAccount, number>();
    return {
      signIn(account, call) {
        wrong.delete(account);
        return signIn(account, call);
      },
      refuseLogin(account, call) {
        if (account) wrong.set(account, (wrong.get(account) ?? 0) + 1);
        const own = [...sessions].filter(([, owner]) => owner === account);
        if (account && wrong.get(account) === 2 && own[1]) sessions.delete(own[0]![0]);
        return refuseLogin(account, call);
      },
    };
  },
  'JOURNEY-6: the third wrong password locks the account': change.lockAfter(
    3,
    change.error(423, 'The account is locked.'),
  ),
  'JOURNEY-6: a user who returns to a browser sees the list of the user before': ({
    createSession,
  }) => {
    type Visit = { account: StoredAccount; before: Visit | undefined; list: Project[] };
    const visits = new Map<string, Visit>();
    return {
      createSession(account, old, request) {
        const session = createSession(account, old, request);
        visits.set(session, { account, before: visits.get(old), list: [] });
        return session;
      },
      listOf({ projects }, { session }) {
        const { account, before, list } = visits.get(session)!;
        const isReturn = before?.before?.account === account && before.account !== account;
        list.splice(0, list.length, ...(isReturn ? before.list : projects));
        return list;
      },
    };
  },
};
