import { describeMessageFault, describeResponse, refusalCause } from '../describe.ts';
import { isClientError, isSuccess, statusOf } from '../http/response.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import {
  createWithoutToken,
  createWithToken,
  describeCreateFailure,
  signInAsAnother,
} from '../probes.ts';
import type { RunContext } from '../run-context.ts';
import { Blocked, fail, failIfAny, createProblem, skip } from '../verdict.ts';
import type { Verdicts } from './check.ts';
import { describePath, withCookieValue } from './cookies.ts';

const asksForToken = ({ exchange }: ApiCall) =>
  [403, 419].includes(statusOf(exchange)) &&
  /[cx]srf|token|forgery/i.test(exchange.response?.text ?? '');

/** Registers and signs in, each from a new browser. Only SIGNIN-13 uses the session again. */
export const firstSession = (context: RunContext) =>
  context.once('first session', async () => {
    const credentials = [
      context.fixtures.email('cold'),
      context.fixtures.password('cold'),
    ] as const;
    const post = async (browser: SimulatedBrowser, call: () => Promise<ApiCall>) => {
      const first = await call();
      if (first.outcome.ok || !isClientError(first.exchange)) return { first, repeated: undefined };
      await browser.listProjects();
      return { first, repeated: browser.xsrfToken() === undefined ? undefined : await call() };
    };
    const cold = context.newBrowser('cold');
    const registration = await post(cold, () => cold.registerUser(...credentials));
    const browser = context.newBrowser('cold');
    const login = await post(browser, () => browser.login(...credentials));
    return { browser, registration, login, list: await browser.listProjects() };
  });

export const xsrfChecks: Verdicts = {
  /** Runs before the accounts, because its browser must be the first one to register. */
  async 'XSRF-1'(context) {
    const { registration, login } = await firstSession(context);
    failIfAny(
      [
        { post: registration, action: 'registers a user' },
        { post: login, action: 'signs a user in' },
      ].map(
        ({ post: { first, repeated }, action }) =>
          (repeated?.outcome.ok || asksForToken(first)) &&
          createProblem(
            `The backend rejects the first POST of a new browser, which ${action}, with ${describeResponse(first.exchange)}${repeated?.outcome.ok ? ', and accepts it with a token' : ''}.`,
            [repeated, first],
          ),
      ),
    );
  },
  async 'XSRF-2'(context) {
    const { browser, login } = await context.signedInUser('ada');
    const cookies = browser.allCookies();
    const cookie = cookies.find(({ key }) => key === 'XSRF-TOKEN');
    const create = await browser.createProject(context.fixtures.project('by cookie'));
    const rejected = isClientError(create.exchange) ? create : undefined;
    const evidence = [login, rejected];
    if (cookie?.httpOnly && rejected)
      fail('The XSRF-TOKEN cookie is HttpOnly, so the app cannot read and send it.', evidence);
    if (cookie && rejected && browser.xsrfToken() === undefined)
      fail(
        `The XSRF-TOKEN cookie has ${describePath(cookie)}, so the app at / cannot read it.`,
        evidence,
      );
    if (cookie) return;
    const similar = cookies.find(({ key, httpOnly }) => !httpOnly && /x?[cx]srf/i.test(key));
    if (similar && rejected)
      fail(`The XSRF cookie is named "${similar.key}" instead of "XSRF-TOKEN".`, evidence);
    const isForbidden = rejected && [403, 419].includes(statusOf(rejected.exchange));
    if (isForbidden && (await browser.listProjects()).outcome.ok)
      fail(
        `The backend rejects a new project with ${describeResponse(rejected.exchange)}, but there is no XSRF-TOKEN cookie for the app to send. Set it at sign-in and do not delete it.`,
        evidence,
      );
    skip('the backend sets no XSRF-TOKEN cookie');
  },
  async 'XSRF-3'(context) {
    const { browser, login } = await context.signedInUser('ada');
    const cookie = browser.allCookies().find(({ key }) => key === 'XSRF-TOKEN');
    const token = browser.xsrfToken();
    if (!cookie || token === undefined) skip('the app sends no token');
    for (const name of ['with a token', 'with a token again']) {
      const create = await browser.createProject(context.fixtures.project(name));
      if (!isClientError(create.exchange)) continue;
      const isForbidden = [400, 403, 419, 422].includes(statusOf(create.exchange));
      if (!isForbidden || !(await browser.listProjects()).outcome.ok)
        throw new Blocked(describeCreateFailure(create));
      const project = context.fixtures.project('with a raw token');
      const raw = await browser.createProject(project, {
        headers: { 'x-xsrf-token': cookie.value },
        isAppRequest: false,
      });
      const user = await context.newSession('ada').catch(() => undefined);
      const renewed = await user?.browser.createProject(
        context.fixtures.project('with a new token'),
      );
      const seconds = Math.round((create.exchange.endedAtMs - login.exchange.endedAtMs) / 1000);
      const age = renewed?.outcome.ok
        ? ` It accepts the token of a new session. The rejected one is ${seconds} s old: has it expired, or is a token valid once?`
        : '';
      fail(
        cookie.value !== token && raw.outcome.ok
          ? 'The value of the XSRF-TOKEN cookie is percent-encoded, but the backend compares the header without decoding.'
          : `With the token of the XSRF-TOKEN cookie in X-XSRF-TOKEN, the backend rejects a new project with ${describeResponse(create.exchange)}.${specialCharactersHint(cookie.value) || age}`,
        [login, create],
      );
    }
  },
  async 'XSRF-4'(context) {
    const { first, browser, oldToken, login } = await signInAsAnother(context);
    if (oldToken === undefined || !login.outcome.ok) skip('the app gets no token');
    if (browser.xsrfToken() !== oldToken) return;
    const [ada, bob] = [await context.signedInUser('ada'), await context.signedInUser('bob')];
    if (ada.browser.xsrfToken() === bob.browser.xsrfToken())
      fail('Two users have the same XSRF token.', [ada.login, bob.login]);
    if (await isDoubleSubmit(context)) skip('the backend compares the header with the cookie only');
    fail('The XSRF token stays the same when another user signs in.', [first.login, login]);
  },
  async 'XSRF-5'(context) {
    const { browser } = await context.signedInUser('ada');
    const missing = await createWithoutToken(context);
    if (!isClientError(missing)) skip('the backend does not reject a request without the token');
    const control = await browser.createProject(context.fixtures.project('with its own token'));
    if (!control.outcome.ok) throw new Blocked(describeCreateFailure(control));
    const wrong = await createWithToken(context, browser, 'wrong-token-0123456789abcdef');
    const otherToken = (await context.signedInUser('bob')).browser.xsrfToken() ?? 'none';
    const other = await createWithToken(context, browser, otherToken);
    const fault = isClientError(wrong) ? describeMessageFault(wrong) : undefined;
    failIfAny([
      fault !== undefined &&
        createProblem(
          `The backend rejects a wrong token with ${statusOf(wrong)}, but ${fault}.`,
          [wrong],
          'red banner: "Internal Server Error"',
          refusalCause(wrong, 'a project with a wrong XSRF token'),
        ),
      isSuccess(wrong) &&
        createProblem('A missing token is rejected, but any value is accepted.', [missing, wrong]),
      isSuccess(other) &&
        !isSuccess(wrong) &&
        createProblem("The backend accepts another user's token.", [missing, other]),
    ]);
  },
  /** Runs last, so that its token is old. */
  async 'XSRF-6'(context) {
    const { browser, login, list } = await firstSession(context);
    if (browser.xsrfToken() === undefined) skip('the app gets no token');
    const create = await browser.createProject(context.fixtures.project('with an old token'));
    if (!isClientError(create.exchange)) return;
    if (!(await browser.listProjects()).outcome.ok) skip('the session has ended');
    // A control: the same call with a new token.
    const user = await context.newSession('ada');
    const control = await user.browser.createProject(context.fixtures.project('with a new token'));
    if (!control.outcome.ok) throw new Blocked(describeCreateFailure(control));
    const seconds = Math.round((create.exchange.endedAtMs - list.exchange.endedAtMs) / 1000);
    fail(
      `A token expires: ${seconds} s after the sign-in, the backend rejects a new project with ${describeResponse(create.exchange)}, although the session is valid. It accepts the token of a new session.`,
      [login.repeated ?? login.first, create],
    );
  },
};

/** Returns whether the backend accepts an invented token, if the cookie has the same value. */
async function isDoubleSubmit(context: RunContext): Promise<boolean> {
  const { browser } = await context.signedInUser('ada');
  const copy = browser.clone('ada, with an invented token');
  const token = 'invented-token-0123456789abcdef';
  for (const cookie of copy.allCookies())
    if (cookie.key === 'XSRF-TOKEN') copy.setCookie(withCookieValue(cookie, token));
  return isSuccess(await createWithToken(context, copy, token));
}

/** Returns a hint for tokens with characters other than letters and digits. */
function specialCharactersHint(value: string): string {
  const characters = [...new Set(value.replaceAll(/[\w.-]/g, ''))].join(' ');
  return characters === ''
    ? ''
    : ` The cookie's value contains ${characters}: percent-encode it in the cookie, and compare the header without decoding or unquoting it.`;
}
