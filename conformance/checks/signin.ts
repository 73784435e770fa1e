import { Blocked, stoppedMeanwhile } from '../http/record.ts';
import type { Project } from '../../machines/types.ts';
import { lateMs } from '../http/clock.ts';
import {
  emailOf,
  hasSucceeded,
  isClientError,
  messageOf,
  responseKey,
  statusOf,
} from '../http/response.ts';
import type { ApiCall } from '../http/simulated-browser.ts';
import type { SignedInUser } from '../people/accounts.ts';
import type { RunContext } from '../people/run-context.ts';
import {
  activeSession,
  firstVisit,
  signInAsAnother,
  takeSession,
  manyVisits,
  type Visit,
} from '../people/visits.ts';
import {
  describeResponse,
  describeStatus,
  lowerFirst,
  secondsBetween,
} from '../problems/describe.ts';
import { decisiveLast, expectSuccess, fail, failIfAny, skip } from '../problems/problem.ts';
import { unshown, isSameProject, listWith } from '../requests/lists.ts';
import {
  blockOnFlapping,
  isSignIn,
  isUnauthorized,
  loginWithUnknownEmail,
  loginWithWrongPassword,
  mistypingVisitor,
  onNewConnection,
  sendExistingEmail,
  sendWrongPassword,
  type Send,
} from '../requests/sign-ins.ts';
import { isListPublic, listAsManyVisitors } from '../requests/visitors.ts';
import { must, should, type Check } from './check.ts';
import { changeCookie, forgeEnd, otherEnd, specialCharacters } from './cookies.ts';
import { firstSession } from './xsrf.ts';

export const signInChecks: Check[] = [
  must('SIGNIN-1', {
    title: 'A wrong password does not sign in',
    requirement:
      'Respond with a status 4xx (401) and a message. Any 2xx signs the user in, whatever its body.',
    statements: ['AUTH-5', 'ERROR-1', 'CHOICE-16'],
    after: ['REACH-6'],
    async run(context) {
      const call = await loginWithWrongPassword(context);
      expectRejection('A wrong password', call);
      const visit = await firstVisit(context).catch(() => undefined);
      if (!visit?.create.outcome.ok || (await isListPublic(context))) return;
      const list = await (await mistypingVisitor(context)).listProjects();
      if (!list.outcome.ok || !list.outcome.value.some(isSameProject(visit.create.outcome.value)))
        return;
      const visitors = await listAsManyVisitors(context);
      if (!visitors.some(({ outcome }) => outcome.ok))
        fail('A wrong password is refused, but its cookies show the projects of the user.', [
          visit.create,
          call,
          list,
        ]);
    },
  }),
  must('SIGNIN-2', {
    title: 'An unknown email does not sign in',
    requirement: 'Respond to an unknown email as to a wrong password, outside 2xx (401).',
    statements: ['AUTH-5', 'ERROR-1', 'CHOICE-16'],
    after: ['REACH-6'],
    async run(context) {
      const call = await loginWithUnknownEmail(context);
      expectRejection('An email with "_" for a letter of an account\'s email', call);
    },
  }),
  should('SIGNIN-18', {
    title: 'An email and a password in the address do not sign in',
    requirement: 'Read both from the body only, because servers write addresses into their logs.',
    statements: ['CALL-5', 'CALL-2'],
    after: ['SIGNIN-3'],
    async run(context) {
      const { email, password } = await context.signedInUser('ada');
      const query = new URLSearchParams({ email, password }).toString();
      const browser = context.newBrowser('stranger');
      for (const [method, json] of [['POST', {}] as const, ['GET', undefined] as const]) {
        const login = await browser.send(method, `/api/v1/auth/login?${query}`, { json });
        if (await isSignIn(context, login))
          fail('An email and a password in the address sign in.', [login]);
      }
    },
  }),
  should('SIGNIN-4', {
    title: 'A wrong password and an unknown email get the same response',
    requirement: 'Respond with the same status and message, so that no account is revealed.',
    statements: ['ERROR-1', 'AUTH-5'],
    after: ['SIGNIN-1', 'SIGNIN-2'],
    async run(context) {
      const wrong = await loginWithWrongPassword(context);
      const unknown = await loginWithUnknownEmail(context);
      if (wrong.outcome.ok || unknown.outcome.ok) skip('one of them signs in');
      // A message may repeat the email.
      const [one, other] = [wrong, unknown].map(
        ({ exchange }) =>
          `${statusOf(exchange)} ${messageOf(exchange)?.replaceAll(emailOf(exchange)!, '')}`,
      );
      if (one !== other)
        fail(
          'A wrong password and an unknown email are refused in different ways.',
          [wrong, unknown],
          { detail: `A wrong password gets ${describeResponse(wrong.exchange)}.` },
        );
    },
  }),
  should('SIGNIN-5', {
    title: 'A wrong password and an unknown email take the same time',
    requirement: 'Hash a password for unknown emails too, so that the time reveals no account.',
    statements: ['AUTH-5'],
    after: ['SIGNIN-1', 'SIGNIN-2'],
    async run(context) {
      const { email, password } = await context.signedInUser('ada');
      const wrong: ApiCall[] = [];
      const unknown: ApiCall[] = [];
      while (wrong.length < 6) {
        // A right password, so that the backend does not lock the account.
        if (wrong.length % 3 === 0) await context.newBrowser('ada').login(email, password);
        wrong.push(await context.newBrowser('ada').login(email, `${password}?`));
        const unknownEmail = context.fixtures.email(`unknown${wrong.length}`);
        unknown.push(await context.newBrowser('ada').login(unknownEmail, `${password}?`));
      }
      const timesOf = (calls: ApiCall[]) => calls.map(({ exchange }) => exchange.durationMs);
      const longerMs = Math.min(...timesOf(wrong)) - Math.max(...timesOf(unknown));
      if (longerMs > 15)
        fail(
          `Each of six wrong passwords takes at least ${Math.floor(longerMs)} ms longer than each of six unknown emails.`,
          [...wrong.slice(-1), ...unknown.slice(-1)],
          { detail: 'So the time reveals which emails have an account.' },
        );
      // Other load only adds to a time.
      if (Math.min(...timesOf(wrong)) - Math.min(...timesOf(unknown)) > 15)
        throw new Blocked({ words: 'the times of unknown emails vary too much' });
    },
  }),
  must('SIGNIN-19', {
    title: 'Wrong passwords end no session, and a lock says so',
    requirement:
      'Respond to an account that is locked with 429 and Retry-After, or with a message of its own. Otherwise users take their right password for a wrong one. Keep their sessions.',
    statements: ['AUTH-5', 'ERROR-1'],
    after: ['SIGNIN-17', 'ERR-24'],
    async run(context) {
      const user = await context.signedInUser('forgetful');
      const { email, password, registration } = user;
      const browser = context.newBrowser('forgetful');
      const wrong: ApiCall[] = [];
      for (let count = 1; count <= 6; count++)
        wrong.push(await browser.login(email, `${password}?`));
      const after = await user.browser.listProjects();
      if (user.list.outcome.ok && isUnauthorized(after))
        expectSuccess(after, "After six wrong passwords in another browser, a user's list fails", [
          user.list,
          ...wrong,
        ]);
      const right = await browser.login(email, password);
      const messages = [wrong[0]!, right].map(({ exchange }) => messageOf(exchange));
      if (!right.outcome.ok && messages[0] === messages[1])
        expectSuccess(right, 'After six wrong passwords, the right one is refused as a wrong one', [
          registration,
          ...wrong,
        ]);
    },
  }),
  must('SIGNIN-6', {
    title: 'Cookies alone authenticate a signed-in user',
    requirement:
      'Set a cookie at sign-in that authenticates GET and POST /api/v1/projects, without Secure over http: some frameworks send no such cookie then. The app sends no Authorization header.',
    statements: ['APP-2', 'CALL-3', 'CHOICE-9'],
    after: ['XSRF-3', 'SIGNIN-13'],
    async run(context) {
      const visit = await firstVisit(context);
      const call = [visit.list, visit.create].find(isUnauthorized);
      if (!call) return;
      await blockOnFlapping(call, visit.signedInBrowser, visit.browser);
      const others = await manyVisits(context);
      if (others.some(({ list, create }) => ![list, create].some(isUnauthorized)))
        throw new Blocked({
          words: 'a session has ended, but a new one works',
          exchange: call.exchange,
        });
      const sent = visit.browser.cookiesFor('/api/v1/projects').map(({ key }) => key);
      if (!sent.some((key) => key !== 'XSRF-TOKEN'))
        fail(describeMissingCookie(visit), [visit.login, call]);
      fail(
        `After signing in, ${nameOf(call)} is refused: ${describeStatus(call.exchange)}.`,
        [call],
        { detail: `The browser sends the cookies ${sent.join(', ')}.` },
      );
    },
  }),
  must('SIGNIN-16', {
    title: 'A wrong password or a registration in another browser keeps the sessions of a user',
    requirement:
      'End no session because of a request from another browser. Otherwise any visitor can sign users out, and the app shows them an empty list without a message.',
    statements: ['CHOICE-9', 'CALL-3'],
    after: ['COOKIE-2', 'SIGNIN-17'],
    async run(context) {
      const { browser } = await context.newSession('ada');
      const requests = Object.entries(foreignRequests);
      for (const [, send] of requests) await send(context, context.newBrowser('stranger'));
      if (!isUnauthorized(await browser.listProjects())) return;
      for (const [event, send] of requests) {
        const user = await context.newSession('ada');
        const stranger = context.newBrowser('stranger');
        const failure = `After ${event} in another browser, a user's list fails`;
        await expectSession(user, () => send(context, stranger), failure);
      }
    },
  }),
  must('SIGNIN-7', {
    title: 'Signing in from a second browser keeps the first session',
    requirement:
      'Keep several sessions per user. If a sign-in ends the first session, the app shows an empty list there without a message.',
    statements: ['CHOICE-9', 'CALL-3'],
    after: ['SIGNIN-14'],
    async run(context) {
      const signInAgain = async () => (await context.newSession('bob')).login;
      const failure = 'After a sign-in from a second browser, the list of the first one fails';
      await expectSession(await context.signedInUser('bob'), signInAgain, failure);
    },
  }),
  must('SIGNIN-15', {
    title: 'Each sign-in creates a session that can list and create',
    requirement:
      'Make every session work from the response to its sign-in on, also one whose random token has a + / or =. Quote no cookie value, and decode none that is not encoded.',
    statements: ['APP-2', 'CALL-3', 'CALL-9'],
    after: ['SIGNIN-6'],
    async run(context) {
      const visits = await manyVisits(context);
      const failed = visits.filter(rejectedCallOf);
      const [visit] = failed;
      if (!visit) return;
      const call = rejectedCallOf(visit)!;
      await context.http.clock.sleep(lateMs);
      const isLate = call === visit.list && (await visit.browser.listProjects()).outcome.ok;
      // A failure that every visit has is the finding of another check.
      if (failed.length === visits.length && !isLate) {
        await blockOnFlapping(call, visit.signedInBrowser, visit.browser);
        throw new Blocked({ words: 'every session is refused', exchange: call.exchange });
      }
      const usual = visits.filter((other) => !failed.includes(other)).flatMap(cookieValuesOf);
      const odd = failed.map((each) => specialCharacters(cookieValuesOf(each), usual));
      const which = isLate
        ? ', and works 1 s later'
        : odd.every(Boolean)
          ? `: those whose cookies contain ${[...new Set(odd.join(' ').split(' '))].join(' ')}`
          : '';
      fail(
        `After ${failed.length} of ${visits.length} sign-ins, ${nameOf(call)} is refused${which}.`,
        [visit.login, call],
      );
    },
  }),
  must('SIGNIN-8', {
    title: 'Two concurrent sign-ins of a user both succeed',
    requirement: 'Create two valid sessions when a user signs in from two browsers at once.',
    statements: ['AUTH-3', 'CALL-3'],
    after: ['SIGNIN-9'],
    async run(context) {
      await requireSession(context);
      const { email, password, registration } = await context.registeredAccount('bob');
      const signInTwice = async () => {
        const browsers = [context.newBrowser('bob'), context.newBrowser('bob')];
        const calls = await Promise.all(browsers.map((browser) => browser.login(email, password)));
        const lists = [];
        for (const browser of browsers) lists.push(await browser.listProjects());
        const failed: ApiCall | undefined =
          calls.find(({ outcome }) => !outcome.ok) ?? lists.find(isUnauthorized);
        const others = calls.filter((call) => call !== failed);
        return failed && { failed, exchanges: [registration, ...others] };
      };
      if (!(await signInTwice())) return;
      // A control: one sign-in alone creates a session. Then the same again.
      const { browser } = await context.newSession('bob');
      const alone = await browser.listProjects();
      if (isUnauthorized(alone)) throw unshown(alone);
      const again = await signInTwice();
      const failure = 'Of two sign-ins at once, at least one creates no session';
      if (again) expectSuccess(again.failed, failure, again.exchanges);
    },
  }),
  must('SIGNIN-9', {
    title: 'Another user can sign in from the same browser and takes over at once',
    requirement:
      'Replace the session of the browser at sign-in, with cookies (and an XSRF token) that work from the next request on. The app has no sign-out.',
    statements: ['CHOICE-47', 'HEADER-7', 'CALL-4'],
    after: ['PROJECT-8'],
    async run(context) {
      await requireSession(context, 'list and create');
      const { first, browser, oldToken, account, login } = await signInAsAnother(context);
      const setup = [first.login, account.registration];
      expectSuccess(login, 'Another user cannot sign in from a browser with a session', setup);
      await browser.listProjects();
      const create = await browser.createProject(context.fixtures.project('of olga'));
      const isOld = browser.xsrfToken() !== undefined && browser.xsrfToken() === oldToken;
      const failure = `After another user signed in from a browser, a project${isOld ? ' with the old XSRF-TOKEN' : ''} fails`;
      if (isClientError(create.exchange)) expectSuccess(create, failure, [...setup, login]);
      if (!create.outcome.ok) skip('no project can be created');
      const second = await takeSession(context, 'olga');
      const created = { call: create, project: create.outcome.value };
      if ((await listWith(context, second.browser, [created])).missing.length > 0)
        await expectOwnList(context, first, created, [...setup, login, create]);
    },
  }),
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
        const changed = changeCookie(cookie, { value: forgeEnd(cookie.value) });
        if (cookie.key !== 'XSRF-TOKEN') browser.setCookie(changed, user.browser, otherEnd);
      }
      let login = await browser.login(user.email, user.password);
      if (!login.outcome.ok) login = await browser.login(user.email, user.password);
      // A control: without the old cookies, the same user can sign in.
      if (!login.outcome.ok) await context.newSession('bob');
      expectSuccess(login, 'Signing in with the cookies of an ended session fails twice', [
        user.registration,
      ]);
      const list = await browser.listProjects();
      if (isClientError(list.exchange))
        expectSuccess(
          list,
          'After signing in with the cookies of an ended session, the list fails',
          [login],
        );
    },
  }),
  must('SIGNIN-12', {
    title: 'A session is valid for many requests',
    requirement:
      'Keep the session valid for consecutive requests with the latest cookies, also while other users sign in.',
    statements: ['CHOICE-9', 'CALL-3'],
    after: ['SIGNIN-7'],
    async run(context) {
      const user = await requireActiveSession(context);
      for (let count = 1; count <= manyRequests; count++) {
        const list = await user.browser.listProjects();
        await blockUnlessRejected(user, list);
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
      const rejected = (again.some(isUnauthorized) ? again : lists).filter(isUnauthorized);
      const last = rejected.at(-1);
      fail(
        isAlwaysValid
          ? `Of ${lists.length} lists at once, ${rejected.length} are refused; one after another, none is.`
          : `Of ${lists.length} lists on new connections, ${rejected.length} are refused, in one valid session.`,
        [user.login, control, last],
      );
    },
  }),
  must('SIGNIN-17', {
    title: 'The right email and password sign in every time, from the registration on',
    requirement:
      'Keep accounts where every process finds them, and store one before you respond to its registration. Respond to too many sign-ins with 429, Retry-After and a message, never as to a wrong password.',
    statements: ['APP-1', 'AUTH-5', 'ENTITY-4'],
    after: ['ACCOUNT-2'],
    inspects: true,
    async run(context) {
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
      const { browser, login, list: before } = await firstSession(context);
      if (!before.outcome.ok || (await isListPublic(context))) skip('there is no session');
      const { clock } = context.http;
      await clock.sleep(Math.max(0, before.exchange.endedAtMs + minIdleMs - clock.now()));
      const after = await browser.listProjects();
      const idle = `${secondsBetween(before, after)} s without a call, and ${countSignIns(context, before)} sign-ins of others`;
      if (isUnauthorized(after)) {
        if (context.http.stops.length > 0) throw new Blocked(stoppedMeanwhile);
        await blockOnFlapping(after, browser);
        after.exchange.idleMs = minIdleMs;
        const response = describeStatus(after.exchange);
        fail(`A session ends within ${idle}: ${response}.`, [login.last, before, after]);
      }
      return `A session is valid after ${idle}. No longer time is tried.`;
    },
  }),
];

function expectRejection(credentials: string, call: ApiCall) {
  const response = `${credentials} gets ${describeStatus(call.exchange)}`;
  if (call.outcome.ok) fail(`${response}, which signs the user in.`, [call]);
  const cause = {
    words: `wrong sign-ins get ${describeStatus(call.exchange)}`,
    key: `wrong sign-ins ${responseKey(call.exchange)}`,
    subject: lowerFirst(credentials),
  };
  if (!isClientError(call.exchange)) fail(`${response}, not 4xx.`, [call], { cause });
}

/** Fails for a new project that its user does not see. Names the user who sees it. */
async function expectOwnList(
  context: RunContext,
  first: Visit,
  { call, project }: { call: ApiCall; project: Project },
  exchanges: ApiCall[],
) {
  const { browser } = await context.newSession(first.name);
  const list = await browser.listProjects();
  const isOfFirst = list.outcome.ok && list.outcome.value.some(isSameProject(project));
  fail(
    isOfFirst
      ? 'A user who signs in after another one in a browser creates projects of that other user.'
      : 'A user who signs in after another one in a browser creates a project that the next list lacks.',
    decisiveLast([...exchanges, list], call),
    { userSees: isOfFirst ? "the new user's project in the first user's list" : undefined },
  );
}

/** Counts the sign-ins since a call. */
const countSignIns = ({ http }: RunContext, { exchange: { startedAfter: start } }: ApiCall) =>
  http.exchanges.filter((each) => each.startedAfter > start && hasSucceeded(each, '/login')).length;

const foreignRequests: Record<string, Send> = {
  'a wrong password': sendWrongPassword,
  'a registration of the same email': sendExistingEmail,
  'the registration of another user': ({ fixtures }, browser) =>
    browser.registerUser(fixtures.email('stranger'), fixtures.password('stranger')),
};

/** How long SIGNIN-13 keeps a session idle at least. A run can be faster. */
const minIdleMs = 6000;

/** More than a session of the app makes in a minute. */
const manyRequests = 22;

/** Fails when a call ends the session of the user. No other request is in between. */
async function expectSession(user: SignedInUser, send: () => Promise<ApiCall>, failure: string) {
  const before = await user.browser.listProjects();
  if (!before.outcome.ok) skip('the list cannot be fetched');
  const call = await send();
  const after = await user.browser.listProjects();
  await blockUnlessRejected(user, after);
  expectSuccess(after, failure, [before, call]);
}

/** Returns the call that the backend rejected. PROJECT checks report bodies the app cannot read. */
const rejectedCallOf = ({ list, create }: Visit) =>
  isUnauthorized(list) ? list : isClientError(create.exchange) ? create : undefined;

const nameOf = ({ operation }: ApiCall) =>
  operation === 'listProjects' ? 'the list' : 'a new project';

const cookieValuesOf = ({ browser }: Visit) => browser.allCookies().map(({ value }) => value);

/** Blocks a check when a signed-in user is rejected. SIGNIN-6 reports that once for all checks. */
async function requireSession(context: RunContext, to: 'list' | 'list and create' = 'list') {
  const { list, create } = await firstVisit(context);
  const calls = to === 'list' ? [list] : [list, create];
  const rejected = calls.find(isUnauthorized);
  if (rejected)
    throw new Blocked({ words: 'a signed-in user is rejected', exchange: rejected.exchange });
}

/** Returns a session that works, or else one as after its sign-in. Skips when none is needed. */
async function findActiveSession(context: RunContext): Promise<Visit> {
  if (await isListPublic(context)) skip('the backend requires no session');
  const visits = [await activeSession(context), ...(await manyVisits(context))];
  const [first] = visits;
  return (
    visits.find(({ list }) => list.outcome.ok) ?? { ...first!, browser: first!.signedInBrowser }
  );
}

/** Returns a session that works. */
async function requireActiveSession(context: RunContext): Promise<Visit> {
  const visit = await findActiveSession(context);
  if (!visit.list.outcome.ok) throw unshown(visit.list);
  return visit;
}

/** Blocks a check on a failure that shows no end of a session, because others report that. */
async function blockUnlessRejected(user: SignedInUser, list: ApiCall) {
  if (isUnauthorized(list)) await blockOnFlapping(list, user.browser);
  else if (!list.outcome.ok) throw unshown(list);
}

function describeMissingCookie({ browser, login }: SignedInUser): string {
  const key = /"(\w*token\w*|jwt)"/i.exec(login.exchange.response?.text ?? '')?.[1];
  const token = key ? `; "${key}" in its body is not used` : '';
  const other = browser.xsrfToken() === undefined ? '' : ' but XSRF-TOKEN';
  const cookies = browser.allCookies().filter((cookie) => cookie.key !== 'XSRF-TOKEN');
  const elsewhere = cookies.find(({ path }) => path !== '/');
  if (elsewhere) return `Signing in sets the cookie "${elsewhere.key}" for ${elsewhere.path} only.`;
  return `Signing in sets no cookie for /api/v1/projects${other}${token}.`;
}
