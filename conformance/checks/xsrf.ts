import { Blocked } from '../http/record.ts';
import { isClientError, isSuccess, statusOf } from '../http/response.ts';
import type { ApiCall } from '../http/simulated-browser.ts';
import type { RunContext } from '../people/run-context.ts';
import { activeSession, firstVisit, manyVisits, type Visit } from '../people/visits.ts';
import { countIn, describeStatus } from '../problems/describe.ts';
import { refusalCause } from '../problems/causes.ts';
import { messageFault } from '../problems/matchers.ts';
import { noteOnlyCookie } from '../problems/cookie-faults.ts';
import { fail, failIfAny, createProblem, skip } from '../problems/problem.ts';
import { createOrBlock, createWithToken, failedCreate } from '../requests/creates.ts';
import { requireSessions } from '../requests/session-cookies.ts';
import { noOrigin } from '../requests/sign-ins.ts';
import { must, should, type Check } from './check.ts';
import { describePath, specialCharacters } from '../requests/forged-cookies.ts';
import {
  asksForToken,
  expectOtherForms,
  expectTokenOnConnections,
  findRejectedToken,
  firstSession,
  isTokenRefused,
  xsrfCookieOf,
} from '../requests/xsrf-tokens.ts';

export const xsrfChecks: Check[] = [
  /** Runs before the accounts, because its browser must be the first one to register. */
  must('XSRF-1', {
    title: 'A new browser can register and sign in without a token',
    requirement:
      'Accept the first POST of a browser without cookies and without X-XSRF-TOKEN, because the app sends no request before it. Require the token only from browsers that have it.',
    statements: ['CALL-4', 'CHOICE-21', 'APP-1'],
    after: ['REACH-1'],
    async run(context) {
      const { registration, login } = await firstSession(context);
      const problemOf = ({ first, last }: Record<'first' | 'last', ApiCall>, action: string) => {
        const isRepaired = !first.outcome.ok && last.outcome.ok;
        return (
          (isRepaired || asksForToken(first)) &&
          createProblem(
            `The first POST of a new browser, which ${action}, gets ${describeStatus(first.exchange)}.`,
            [isRepaired ? last : undefined, first],
            { detail: isRepaired ? 'It is accepted with a token.' : undefined },
          )
        );
      };
      failIfAny([problemOf(registration, 'registers a user'), problemOf(login, 'signs a user in')]);
    },
  }),
  must('XSRF-2', {
    title: 'The app can read the XSRF-TOKEN cookie',
    requirement:
      'If you require a token, set the cookie XSRF-TOKEN at sign-in, with Path=/ and no HttpOnly: the app at / copies its value to a header, unless it has another origin. Keep each Set-Cookie line of a response: a map of headers has one.',
    statements: ['CALL-4', 'CHOICE-21'],
    after: ['COOKIE-1'],
    async run(context) {
      const { browser, login } = await context.signedInUser('ada');
      const cookie = xsrfCookieOf(browser);
      const create = await browser.createProject(context.fixtures.project('by cookie'));
      if (!cookie && !isClientError(create.exchange)) skip('the backend sets no XSRF-TOKEN cookie');
      if (!isClientError(create.exchange)) return;
      const exchanges = [login, create];
      if (statusOf(create.exchange) === 401) throw failedCreate(create);
      if (cookie && context.appOrigin !== undefined)
        fail(
          `A new project gets ${describeStatus(create.exchange)}: the app sends no token to another origin.`,
          exchanges,
          { requirement: `Require no token of a request whose Origin is ${context.appOrigin}.` },
        );
      if (cookie?.httpOnly)
        fail('The XSRF-TOKEN cookie is HttpOnly, so the app cannot read and send it.', exchanges);
      if (cookie && browser.xsrfToken() === undefined)
        fail(
          `The app at / cannot read the XSRF-TOKEN cookie: it has ${describePath(cookie)}.`,
          exchanges,
        );
      if (cookie) return;
      const similar = browser
        .allCookies()
        .find(({ key, httpOnly }) => !httpOnly && /[cx]srf/i.test(key));
      if (similar)
        fail(`The XSRF cookie is named "${similar.key}" instead of "XSRF-TOKEN".`, exchanges);
      const isForbidden = [403, 419].includes(statusOf(create.exchange));
      const needsToken = !context.http.exchanges.some(
        (each) =>
          isSuccess(each) &&
          each.request.method === 'POST' &&
          each.request.path === '/api/v1/projects' &&
          each.request.headers['x-xsrf-token'] === undefined,
      );
      if (needsToken && isForbidden && (await browser.listProjects()).outcome.ok)
        fail(
          `A new project gets ${describeStatus(create.exchange)}, and no XSRF-TOKEN cookie is set.`,
          exchanges,
          { detail: noteOnlyCookie(login.exchange) },
        );
      throw failedCreate(create);
    },
  }),
  must('XSRF-3', {
    title: 'The backend accepts the token that the app sends',
    requirement:
      'Compare the header with the percent-decoded value of the latest XSRF-TOKEN cookie of this session. Set a new cookie whenever you expect another token.',
    statements: ['CALL-4', 'CHOICE-21'],
    after: ['COOKIE-2', 'XSRF-2'],
    async run(context) {
      const first = await firstVisit(context);
      const visits = [first, ...(await manyVisits(context))];
      const newest = visits.at(-1)!;
      if (newest.create.outcome.ok) await expectTokenTwice(context, newest);
      const withToken = visits.filter(({ browser }) => browser.xsrfToken() !== undefined);
      if (withToken.length === 0) skip('the app sends no token');
      const { found: refused, words } = countIn(withToken, isTokenRefused);
      const accepted = withToken.filter(({ create: { outcome } }) => outcome.ok);
      const [visit] = refused;
      if (!visit && accepted.length === 0) throw failedCreate(withToken[0]!.create);
      if (!visit) {
        const later = await findRejectedToken(context, first.browser, 'with a token of before');
        const failure = 'After other sign-ins of a user, the XSRF token of a session gets';
        if (later)
          fail(`${failure} ${describeStatus(later.exchange)}.`, [first.login, first.create, later]);
        return expectTokenOnConnections(context, first);
      }
      const { login, create } = visit;
      await expectTokenOnConnections(context, visit);
      await expectOtherForms(context, visit.browser, [login, create]);
      const failure = `The app's XSRF token gets ${describeStatus(create.exchange)}`;
      if (refused.length === withToken.length) {
        await expectTokenAfterList(context);
        fail(`${failure}, in each session.`, [login, create], {
          requirement:
            'Make the token after the sign-in has begun its session. Sign or encrypt the cookie only if you read the header so.',
        });
      }
      const tokensOf = (some: Visit[]) => some.map((each) => each.browser.xsrfToken()!);
      const characters = specialCharacters(tokensOf(refused), tokensOf(accepted));
      // Otherwise the session may be the cause.
      if (!characters && !asksForToken(create)) return;
      fail(
        `${failure}, in ${words} sessions${characters && `: those whose token has ${characters}`}.`,
        [login, create],
      );
    },
  }),
  should('XSRF-5', {
    title: 'A backend that requires the token rejects a wrong one',
    requirement:
      'If a request without X-XSRF-TOKEN is rejected, also reject every value except that of the XSRF-TOKEN cookie, with a message.',
    statements: ['CALL-4', 'ERROR-5'],
    after: ['SIGNIN-15'],
    async run(context) {
      const { browser, login } = await context.signedInUser('ada');
      const createWith = async (token: string | undefined) =>
        createWithToken(context, browser, token, origin);
      // A backend that knows the origin of a request may need no token.
      let origin = {};
      let missing = await createWith(undefined);
      if (isSuccess(missing)) {
        origin = noOrigin;
        missing = await createWith(undefined);
      }
      const cookie = xsrfCookieOf(browser);
      const isHidden = cookie && (cookie.httpOnly || cookie.path !== '/');
      const isUnread = isHidden && browser.xsrfToken() === undefined && !context.appOrigin;
      if (origin === noOrigin && isClientError(missing) && isUnread) {
        const what = cookie.httpOnly ? 'is HttpOnly' : `has the path ${cookie.path}`;
        fail(`The XSRF-TOKEN cookie ${what}, so the app cannot send it.`, [login, missing], {
          requirement: 'Set XSRF-TOKEN with the path / and without HttpOnly.',
        });
      }
      const own = await createWith(browser.xsrfToken());
      if (isClientError(missing) && statusOf(missing) !== 401 && statusOf(own) === 401)
        fail('A request that is refused for its XSRF token ends the session.', [missing, own], {
          requirement: 'Keep the session: another tab may have changed the token.',
        });
      const areRefused = [missing, own].every((exchange) => asksForToken({ exchange }));
      if (origin === noOrigin && areRefused && browser.xsrfToken() !== undefined) {
        await expectOtherForms(context, browser, [missing, own], noOrigin);
        fail(
          'Without an Origin, the XSRF token of the app is refused, as a missing one is.',
          [missing, own],
          { requirement: 'Compare X-XSRF-TOKEN with the value of the cookie XSRF-TOKEN.' },
        );
      }
      if (!isClientError(missing) || (origin === noOrigin && !isSuccess(own)))
        skip('the backend does not reject a request without the token');
      if (!isSuccess(own)) throw new Blocked({ words: 'creating a project failed', exchange: own });
      const wrong = await createWith('wrong-token-0123456789abcdef');
      const otherToken = (await context.signedInUser('bob')).browser.xsrfToken() ?? 'none';
      const other = await createWith(otherToken);
      if (isSuccess(wrong))
        fail('A missing token is rejected, but any value is accepted.', [missing, wrong]);
      if (isSuccess(other)) fail("The backend accepts another user's token.", [missing, other]);
      const part = await createWith(browser.xsrfToken()?.slice(0, 2));
      if (isSuccess(part)) fail('The backend accepts a part of the token.', [missing, part]);
      if (!isClientError(wrong))
        fail(`A wrong XSRF token gets ${describeStatus(wrong)}, not 4xx.`, [wrong]);
      const fault = messageFault(wrong);
      if (fault !== undefined)
        fail(`A wrong XSRF token gets ${describeStatus(wrong)}, and ${fault}.`, [wrong], {
          userSees: 'red banner: "Internal Server Error"',
          cause: refusalCause(wrong, 'a project with a wrong XSRF token'),
        });
    },
  }),
  should('XSRF-7', {
    title: 'The XSRF token outlasts the browser if the session does',
    requirement:
      'Give XSRF-TOKEN the Max-Age of the session cookie, or set it with each list. Otherwise a user who opens the browser again can create no project until the next sign-in.',
    statements: ['CALL-4', 'CHOICE-9'],
    after: ['SIGNIN-15'],
    async run(context) {
      const { browser, login } = await activeSession(context);
      const reopened = context.newBrowser('ada, in a reopened browser');
      for (const cookie of browser.allCookies())
        if (cookie.isPersistent()) reopened.setCookie(cookie, browser);
      const list = await reopened.listProjects();
      await requireSessions(context);
      if (!list.outcome.ok) skip('a browser that opens again gets no list');
      const create = await reopened.createProject(context.fixtures.project('after a restart'));
      if (!isClientError(create.exchange)) return;
      await createOrBlock(context, browser, 'in the open browser');
      fail(
        `After the browser opens again, the list works and a new project gets ${describeStatus(create.exchange)}.`,
        [login, list, create],
        { detail: 'The session cookie has a lifetime, and XSRF-TOKEN has none.' },
      );
    },
  }),
];

/** Fails if a list ends the token, although it sets no other. */
async function expectTokenAfterList(context: RunContext) {
  const { email, password } = await context.signedInUser('ada');
  const browser = context.newBrowser('ada, before a list');
  const login = await browser.login(email, password);
  const before = await browser.createProject(context.fixtures.project('before a list'));
  const list = await browser.listProjects();
  const after = before.outcome.ok && (await findRejectedToken(context, browser, 'after a list'));
  if (after)
    fail(
      "After a list, the app's XSRF token is refused, and accepted before it.",
      [login, before, list, after],
      { requirement: 'Set the XSRF-TOKEN cookie in each response that changes the token.' },
    );
}

/** Fails if the token of a project that was created is refused for the next one. */
async function expectTokenTwice(context: RunContext, { browser, login, create }: Visit) {
  const again = await findRejectedToken(context, browser, 'with a token again');
  const failure = "The app's XSRF token works once, and then gets";
  if (again) fail(`${failure} ${describeStatus(again.exchange)}.`, [login, create, again]);
}
