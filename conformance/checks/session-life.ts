import { hasSucceeded, isClientError, isSuccess, statusOf } from '../http/response.ts';
import type { SignedInUser } from '../people/accounts.ts';
import type { RunContext } from '../people/run-context.ts';
import { takeSession } from '../people/visits.ts';
import { countIn, describeStatus, secondsBetween } from '../problems/describe.ts';
import { expectSuccess, fail, failIfAny, skip } from '../problems/problem.ts';
import { unshown } from '../requests/lists.ts';
import { blockOnFlapping, isUnauthorized, onNewConnection } from '../requests/sign-ins.ts';
import { isListPublic } from '../requests/visitors.ts';
import { must, should, type Check } from './check.ts';
import { changeCookie, forgeEnd } from '../requests/forged-cookies.ts';
import { firstSession } from '../requests/xsrf-tokens.ts';
import {
  blockUnlessRejected,
  countSignIns,
  expectSession,
  findActiveSession,
  requireSession,
} from '../requests/sessions.ts';

/** Of a session that no new connection has. */
const boundRequirement =
  'Compare a session with nothing of its connection, such as the port of the client: a browser opens several, and others later.';

export const sessionLifeChecks: Check[] = [
  should('SIGNIN-10', {
    title: 'A failed sign-in keeps the session of the browser',
    requirement: 'Do not end the session when the user mistypes a password.',
    statements: ['CHOICE-9', 'AUTH-5'],
    after: ['SIGNIN-9'],
    async run(context) {
      const user = await takeSession(context, 'bob');
      const mistype = () => user.browser.login(user.email, `${user.password}?`);
      const failure = 'After a failed sign-in, the list of the browser fails';
      await expectSession(user, mistype, failure);
    },
  }),
  must('SIGNIN-11', {
    title: 'A browser with the cookies of an expired session can sign in',
    requirement:
      'Ignore the old session cookie and the old XSRF token at sign-in, or replace them with the rejection so that the second attempt works.',
    statements: ['CALL-5', 'CALL-4', 'AUTH-3'],
    after: ['SIGNIN-9'],
    async run(context) {
      await requireSession(context);
      const user = await context.signedInUser('bob');
      const browser = user.browser.clone('bob, with old cookies');
      for (const cookie of browser.allCookies()) {
        const changed = changeCookie(cookie, { value: forgeEnd(context, cookie) });
        if (cookie.key !== 'XSRF-TOKEN') browser.setCookie(changed, user.browser);
      }
      // A backend may not read a changed cookie. This one was valid until its browser signed in.
      const again = await context.newSession('bob');
      const replaced = again.browser.clone('bob, with replaced cookies');
      await again.browser.login(user.email, user.password);
      for (const old of [browser, replaced]) {
        // COOKIE-6 and COOKIE-7 report a session that has not ended.
        const before = await old.clone('bob, before').listProjects();
        if (before.outcome.ok && !(await isListPublic(context))) continue;
        let login = await old.login(user.email, user.password);
        if (!login.outcome.ok) login = await old.login(user.email, user.password);
        // A control: without the old cookies, the same user can sign in.
        if (!login.outcome.ok) await context.newSession('bob');
        const cookies = 'with the cookies of an ended session';
        expectSuccess(login, `Signing in ${cookies} fails twice`, [user.registration]);
        const list = await old.listProjects();
        if (isClientError(list.exchange))
          expectSuccess(list, `After signing in ${cookies}, the list fails`, [login]);
      }
    },
  }),
  must('SIGNIN-12', {
    title: 'A session is valid for many requests',
    requirement:
      'Keep the session valid for consecutive requests with the latest cookies, also while other users sign in.',
    statements: ['CHOICE-9', 'CALL-3'],
    after: ['SIGNIN-7'],
    async run(context) {
      const user = await findActiveSession(context);
      if (!user.list.outcome.ok) throw unshown(user.list);
      for (let count = 1; count <= manyRequests; count++) {
        const list = await user.browser.listProjects();
        await blockUnlessRejected(user, list);
        if (count === 1 && !list.outcome.ok) {
          const { browser, login, list: first } = await context.newSession(user.name);
          const second = await browser.listProjects();
          expectSuccess(second, 'The second list of a new session fails', [login, first]);
        }
        const which =
          count === 1
            ? `After ${countSignIns(context, user.login)} later sign-ins, in ${secondsBetween(user.login, list)} s, the list`
            : `List number ${count}`;
        const failure = `${which} of a signed-in user fails`;
        expectSuccess(list, failure, [user.login]);
      }
    },
  }),
  must('SIGNIN-14', {
    title: 'A session is valid on every connection, also for concurrent requests',
    requirement:
      'Keep sessions where every process, worker and instance finds them: in the database, in a shared cache, or signed in the cookie. If a response replaces the session cookie, accept the old one for some seconds: browsers send requests at once, on several connections.',
    statements: ['CHOICE-9', 'CALL-3'],
    after: ['SIGNIN-16'],
    async run(context) {
      const user = await findActiveSession(context);
      const listAtOnce = ({ browser }: SignedInUser) =>
        Promise.all(Array.from({ length: 12 }, () => browser.listProjects(onNewConnection)));
      const lists = await listAtOnce(user);
      if (!lists.some(isUnauthorized)) return;
      const control =
        lists.find(({ outcome }) => outcome.ok) ?? (await user.browser.listProjects());
      if (!control.outcome.ok) throw unshown(control);
      // In another session, because requests at once can end the one that they use.
      const other = await context.newSession(user.name);
      let isAlwaysValid = true;
      for (let count = 0; count < 8; count++)
        isAlwaysValid &&= !isUnauthorized(await other.browser.listProjects(onNewConnection));
      const again = isAlwaysValid ? await listAtOnce(other) : [];
      const rejected = countIn(again.some(isUnauthorized) ? again : lists, isUnauthorized);
      const failure = `A valid session is refused in ${rejected.words} lists`;
      const isBound = rejected.found.length === lists.length;
      fail(
        isAlwaysValid
          ? `${failure} at once; one after another, in none.`
          : `${failure} on new connections.`,
        [user.login, control, rejected.found.at(-1)],
        isBound ? { requirement: boundRequirement } : {},
      );
    },
  }),
  must('SIGNIN-17', {
    title: 'The right email and password sign in every time, from the registration on',
    requirement:
      'Keep accounts where every process finds them, and store one before you respond to its registration. End the transaction of each read: an open one does not see what others store. Respond to too many sign-ins with 429, Retry-After and a message, never as to a wrong password.',
    statements: ['APP-1', 'AUTH-5', 'ENTITY-4'],
    after: ['ACCOUNT-2'],
    inspects: true,
    async run(context) {
      expectNewSessions(context);
      const signIn = context.signedInUser('ada');
      await signIn.catch(() => {});
      failIfAny(context.reportedTo('SIGNIN-17'));
      await signIn;
      const email = context.fixtures.email('early');
      const browser = context.newBrowser('early');
      const early = await browser.login(email, context.fixtures.password('early'));
      const { password, registration } = await context.registeredAccount('early');
      const login = await browser.login(email, password);
      const failure =
        'After a sign-in that came before its registration, an account cannot sign in';
      expectSuccess(login, failure, [early, registration]);
    },
  }),
  /** Runs last, so that its session has been idle. */
  must('SIGNIN-13', {
    title: 'A session outlives some seconds without a call',
    requirement:
      'Keep a session for hours, because users read and type between two calls, and while others sign in.',
    statements: ['CHOICE-9', 'CALL-3'],
    after: ['SIGNIN-12'],
    inspects: true,
    async run(context) {
      failIfAny(context.reportedTo('SIGNIN-13'));
      const { browser, login, list: before } = await firstSession(context);
      if (!before.outcome.ok) throw unshown(before);
      if (await isListPublic(context)) skip('visitors get a list, too');
      const { clock } = context.http;
      await clock.sleep(Math.max(0, before.exchange.endedAtMs + minIdleMs - clock.now()));
      const after = await browser.listProjects();
      const others = countSignIns(context, before);
      const idle = `${secondsBetween(before, after)} s without a call`;
      if (isUnauthorized(after)) {
        if (context.http.stops.length > 0) throw unshown(after);
        await blockOnFlapping(after, browser);
        const failure = `${describeStatus(after.exchange)}.`;
        // The plain twin: as long, while no user signs in.
        const { browser: other, list } = await context.newSession('bob');
        const idleMs = after.exchange.endedAtMs - before.exchange.endedAtMs;
        await clock.sleep(Math.min(idleMs, maxIdleMs));
        const alone = await other.listProjects();
        const forger = context.newBrowser('forger');
        for (const cookie of other.allCookies())
          forger.setCookie(changeCookie(cookie, { value: 'invented' }));
        const forged = await forger.listProjects();
        const next = await other.listProjects();
        if (alone.outcome.ok && isUnauthorized(next))
          fail('A request with an invented session cookie ends the sessions of users.', [
            alone,
            forged,
            next,
          ]);
        if (others > 0 && list.outcome.ok && alone.outcome.ok)
          fail(`A session ends while others sign in ${others} times: ${failure}`, [before, after], {
            detail: `Without requests of others, one is valid after ${secondsBetween(list, alone)} s.`,
            requirement:
              'End no session because of others: by a limit of their number, or a cache that may drop them.',
          });
        fail(`A session ends within ${idle}: ${failure}`, [login.last, before, after]);
      }
      return `A session is valid after ${idle}, and ${others} sign-ins of others. No longer time is tried.`;
    },
  }),
];

/** Fails if each session is refused from a sign-in of the run on, and none was before. */
function expectNewSessions({ http: { exchanges } }: RunContext) {
  const logins = exchanges.filter((each) => hasSucceeded(each, '/login'));
  const visits = logins.flatMap((login) => {
    const after = exchanges.slice(exchanges.indexOf(login) + 1);
    const first = after.find(
      ({ browserName, request }) =>
        browserName === login.browserName && request.path.endsWith('/projects'),
    );
    return first && (isSuccess(first) || statusOf(first) === 401) ? { login, first } : [];
  });
  const last = visits.findLastIndex(({ first }) => isSuccess(first));
  const [refused, ...others] = visits.slice(last + 1);
  if (!visits.slice(0, last + 1).every(({ first }) => isSuccess(first))) return;
  if (refused && Math.min(last, others.length) >= 3)
    fail(
      `Each session is refused from sign-in ${logins.indexOf(refused.login) + 1} of the run on: status 401.`,
      [visits[last]!.first, refused.login, refused.first],
      {
        requirement:
          'Keep each session that you confirm. A cache with a limit may drop new ones without an error.',
        lasting: [refused, ...others].map(({ first }) => first),
      },
    );
}

/** How long SIGNIN-13 keeps a session idle at least. A run can be faster. */
const minIdleMs = 6000;
/** How long the plain twin waits at most. */
const maxIdleMs = 60_000;

/** More than a session of the app makes in a minute. */
const manyRequests = 22;
