import { describeResponse } from '../describe.ts';
import { isClientError } from '../http/response.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import {
  firstVisit,
  isSameProject,
  isListPublic,
  isListShared,
  isUnauthorized,
  requireSession,
} from '../probes.ts';
import {
  Blocked,
  blockOnServerError,
  expectSuccess,
  fail,
  failIfAny,
  createProblem,
  skip,
} from '../verdict.ts';
import type { SignedInUser } from '../run-context.ts';
import { must, should, type Check } from './check.ts';

export const sessionChecks: Check[] = [
  must('SIGNIN-6', {
    title: 'Cookies alone authenticate a signed-in user',
    requirement:
      'Set a cookie at sign-in that authenticates GET and POST /api/v1/projects. The app stores no token and sends no Authorization header.',
    statements: ['APP-2', 'CALL-3', 'CHOICE-9'],
    async run(context) {
      const { user, list, create } = await firstVisit(context);
      const cookies = user.browser.cookiesFor('/api/v1/projects').map(({ key }) => key);
      const cause =
        cookies.length > 0 ? `Cookies sent: ${cookies.join(', ')}.` : describeMissingCookie(user);
      const problemOf = (call: ApiCall, request: string) =>
        isUnauthorized(call) &&
        createProblem(
          `After signing in, the backend rejects ${request} with ${describeResponse(call.exchange)}. ${cause}`,
          [call],
        );
      failIfAny([problemOf(list, 'the list'), problemOf(create, 'a new project')]);
    },
  }),
  must('SIGNIN-7', {
    title: 'Signing in from a second browser keeps the first session',
    requirement:
      'Keep several sessions per user. If a sign-in ends the first session, the app shows an empty list there without a message.',
    statements: ['CHOICE-9', 'CALL-3'],
    async run(context) {
      const first = await context.signedInUser('bob');
      const before = await first.browser.listProjects();
      if (!before.outcome.ok) skip('the list cannot be fetched');
      const second = await context.signIn(first);
      expectSuccess(
        await first.browser.listProjects(),
        "After the user signed in from a second browser, the first browser's list fails",
        [before, second.login],
        'in the first browser, an empty list: "No projects to show."',
      );
    },
  }),
  must('SIGNIN-8', {
    title: 'Two concurrent sign-ins of a user both succeed',
    requirement: 'Create two valid sessions when a user signs in from two browsers at once.',
    statements: ['AUTH-3', 'CALL-3'],
    needs: ['PROJECT-3'],
    async run(context) {
      await requireSession(context);
      const { email, password, registration } = await context.registeredAccount('bob');
      const browsers = [context.newBrowser('bob'), context.newBrowser('bob')];
      const logins = await Promise.all(browsers.map((browser) => browser.login(email, password)));
      for (const login of logins)
        expectSuccess(login, 'One of two concurrent sign-ins fails', [registration]);
      const isPublic = await isListPublic(context);
      for (const [index, browser] of browsers.entries()) {
        const list = await browser.listProjects();
        const evidence = [registration, logins[index]];
        if (isClientError(list.exchange) && !isPublic)
          expectSuccess(list, 'One of two concurrent sign-ins creates no valid session', evidence);
      }
    },
  }),
  must('SIGNIN-9', {
    title: 'Another user can sign in from the same browser and takes over at once',
    requirement:
      'Replace the session of the browser at sign-in, with cookies (and an XSRF token) that work from the next request on. The app has no sign-out.',
    statements: ['CHOICE-47', 'HEADER-7', 'CALL-4'],
    needs: ['PROJECT-2', 'PROJECT-4', 'PROJECT-7', 'PROJECT-8'],
    async run(context) {
      await requireSession(context, 'list and create');
      const first = await context.newSession('ada');
      const browser = first.browser.clone('ada, then olga');
      const account = await context.registeredAccount('olga');
      const login = await browser.login(account.email, account.password);
      const setup = [first.login, account.registration];
      expectSuccess(login, 'Signing in from a browser with a session fails', setup);
      await browser.listProjects();
      const create = await browser.createProject(context.fixtures.project('of olga'));
      if (isClientError(create.exchange))
        expectSuccess(
          create,
          'After signing in from a browser that had a session, creating a project fails',
          [...setup, login],
        );
      if (!create.outcome.ok) skip('no project can be created');
      const isCreated = isSameProject(create.outcome.value);
      const second = await context.signIn(account);
      const secondList = await second.browser.listProjects();
      const firstList = await (await context.signedInUser('ada')).browser.listProjects();
      if (!secondList.outcome.ok) return;
      if (!secondList.outcome.value.some(isCreated))
        fail(
          'After another user signed in from the same browser, a new project is not in their list: the old session went on.',
          [...setup, login, create],
          "the new user's project in the first user's list",
        );
      const isInFirst = firstList.outcome.ok && firstList.outcome.value.some(isCreated);
      if (isInFirst && !(await isListShared(context)))
        fail(
          "After another user signed in from the same browser, a new project is in the first user's list.",
          [account.registration, login, create],
        );
    },
  }),
  should('SIGNIN-10', {
    title: 'A failed sign-in keeps the session of the browser',
    requirement: 'Do not end the session when the user mistypes a password.',
    statements: ['CHOICE-9', 'AUTH-5'],
    async run(context) {
      const { browser, email, password, login } = await context.newSession('bob');
      const before = await browser.listProjects();
      if (!before.outcome.ok) skip('the list cannot be fetched');
      const failed = await browser.login(email, `${password}?`);
      const after = await browser.listProjects();
      blockOnServerError(after);
      expectSuccess(
        after,
        'After a failed sign-in, the list of the signed-in user fails',
        [login, failed],
        'an empty list: "No projects to show."',
      );
    },
  }),
  must('SIGNIN-11', {
    title: 'A browser with the cookies of an expired session can sign in',
    requirement:
      'Ignore the old session cookie and the old XSRF token at sign-in, or replace them with the rejection so that the second attempt works.',
    statements: ['CALL-5', 'CALL-4', 'AUTH-3'],
    async run(context) {
      await requireSession(context);
      const user = await context.signedInUser('bob');
      const browser = withExpiredSession(user);
      let login = await browser.login(user.email, user.password);
      if (!login.outcome.ok) login = await browser.login(user.email, user.password);
      expectSuccess(
        login,
        'Signing in with the cookies of an expired session fails twice, so the user is locked out until the cookies expire',
        [user.registration],
      );
      const list = await browser.listProjects();
      if (isClientError(list.exchange))
        expectSuccess(list, 'After signing in with old cookies, the list fails', [login]);
    },
  }),
  must('SIGNIN-12', {
    title: 'A session is valid for many requests',
    requirement: 'Keep the session valid for consecutive requests with the latest cookies.',
    statements: ['CHOICE-9', 'CALL-3'],
    async run(context) {
      const { browser, login } = await context.newSession('ada');
      if (!(await browser.listProjects()).outcome.ok) skip('the list cannot be fetched');
      for (let count = 2; count <= 10; count++) {
        const list = await browser.listProjects();
        if (!list.outcome.ok && !isClientError(list.exchange))
          throw new Blocked(describeResponse(list.exchange));
        expectSuccess(list, `The session ends early: list number ${count} fails`, [login]);
      }
    },
  }),
];

/** Returns a browser whose session cookies are unknown to the backend. */
function withExpiredSession({ name, browser }: SignedInUser): SimulatedBrowser {
  const copy = browser.clone(`${name}, with old cookies`);
  for (const cookie of copy.allCookies()) {
    if (cookie.key === 'XSRF-TOKEN') continue;
    cookie.value = cookie.value.split('').toReversed().join('');
    copy.setCookie(cookie);
  }
  return copy;
}

function describeMissingCookie({ login }: SignedInUser): string {
  const key = /"(\w*token\w*|jwt)"/i.exec(login.exchange.response?.text ?? '')?.[1];
  const token = key
    ? ` The response to signing in has "${key}" in its body, but the app does not read that body.`
    : '';
  return `Signing in set no cookie for /api/v1/projects.${token}`;
}
