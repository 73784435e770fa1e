import type { Exchange } from '../http/record.ts';
import { isClientError, statusOf } from '../http/response.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import { oncePerRun, type RunContext } from '../people/run-context.ts';
import type { Visit } from '../people/visits.ts';
import { countIn } from '../problems/describe.ts';
import { fail } from '../problems/problem.ts';
import { failedCreate } from './creates.ts';
import { noOrigin, onNewConnection, originRequirement } from './sign-ins.ts';

export const asksForToken = ({ exchange }: Pick<ApiCall, 'exchange'>) =>
  [400, 403, 419, 422].includes(statusOf(exchange)) &&
  /[cx]srf|token|forgery|request could not be verified/i.test(exchange.response?.text ?? '');

/** Registers and signs in, each from a new browser. SIGNIN-13 uses the session at the end. */
export const firstSession = oncePerRun(async (context) => {
  const email = context.fixtures.email('cold');
  const password = context.fixtures.password('cold');
  const [cold, browser] = [context.newBrowser('cold'), context.newBrowser('cold')];
  const register = () => cold.registerUser(email, password);
  const registration = await context.postWithXsrfCookie(cold, register);
  const login = await context.postWithXsrfCookie(browser, () => browser.login(email, password));
  const list = await browser.listProjects();
  // Checks that inspect all requests read it.
  await browser.createProject(context.fixtures.project('with the first token'));
  return { browser, registration, login, list };
});

export const isTokenRefused = ({ list, create }: Visit) =>
  list.outcome.ok === true && isClientError(create.exchange) && mayRefuseToken(create);

const mayRefuseToken = (create: ApiCall) =>
  [403, 419].includes(statusOf(create.exchange)) || asksForToken(create);

/** Creates a project, and returns the call if the backend rejects it in a valid session. */
export async function findRejectedToken(
  context: RunContext,
  browser: SimulatedBrowser,
  name: string,
) {
  const create = await browser.createProject(context.fixtures.project(name));
  if (!isClientError(create.exchange)) return undefined;
  if (!mayRefuseToken(create) || !(await browser.listProjects()).outcome.ok)
    throw failedCreate(create);
  return create;
}

export const xsrfCookieOf = (browser: SimulatedBrowser) =>
  browser.allCookies().find(({ key }) => key === 'XSRF-TOKEN');

type TokenForm = {
  /** What the backend accepts in place of the request of the app. */
  accepted: string;
  requirement: string;
  /** Returns the changed headers; undefined where they would be the same. */
  headersOf: (browser: SimulatedBrowser) => Record<string, string | undefined> | undefined;
};

/** Other forms in which a backend may expect the token of the app. */
const tokenForms: TokenForm[] = [
  {
    accepted: 'its percent-encoded form is accepted',
    requirement: 'Compare X-XSRF-TOKEN with the percent-decoded value of the cookie XSRF-TOKEN.',
    headersOf(browser) {
      const { value } = xsrfCookieOf(browser)!;
      return value === browser.xsrfToken() ? undefined : { 'x-xsrf-token': value };
    },
  },
  {
    accepted: 'it is accepted without its quotes',
    requirement:
      'Set a cookie whose value needs no quotes. A browser keeps them, and so does the app.',
    headersOf(browser) {
      const [, value] = /^"(.*)"$/.exec(browser.xsrfToken()!) ?? [];
      return value === undefined ? undefined : { 'x-xsrf-token': value };
    },
  },
  {
    accepted: 'it is accepted in X-CSRF-Token',
    requirement:
      'Read the token from X-XSRF-TOKEN. A framework that decrypts this header has to encrypt the cookie too: make no exception for it.',
    headersOf: (browser) => ({
      'x-csrf-token': browser.xsrfToken(),
      'x-csrftoken': browser.xsrfToken(),
    }),
  },
  {
    accepted: 'its form that is masked with XOR is accepted',
    requirement:
      'Compare the header with the cookie as it is: in Spring Security, by CsrfTokenRequestAttributeHandler.',
    headersOf(browser) {
      const token = Buffer.from(browser.xsrfToken()!);
      // A mask of zeros leaves the token as it is.
      const masked = Buffer.concat([Buffer.alloc(token.length), token]);
      return { 'x-xsrf-token': masked.toString('base64url') };
    },
  },
  {
    accepted: 'a request without an Origin is accepted',
    requirement: originRequirement,
    headersOf: () => noOrigin,
  },
];

/** Fails with the form in which a browser's token is accepted, after these refused requests. */
export async function expectOtherForms(
  context: RunContext,
  browser: SimulatedBrowser,
  refused: (ApiCall | Exchange)[],
  changes: Record<string, undefined> = {},
) {
  for (const { accepted, requirement, headersOf } of tokenForms) {
    const headers = headersOf(browser);
    if (!headers) continue;
    const project = context.fixtures.project('in another form');
    const options = { headers: { ...changes, ...headers }, isAppRequest: false };
    const other = await browser.createProject(project, options);
    if (other.outcome.ok)
      fail(
        `${'origin' in changes ? 'Without an Origin, the' : 'The'} app's XSRF token is refused, and ${accepted}.`,
        [...refused.slice(0, -1), other, refused.at(-1)],
        { requirement },
      );
  }
}

/** Fails if a token is accepted on some new connections and refused on others. */
export async function expectTokenOnConnections(context: RunContext, { browser, login }: Visit) {
  const project = context.fixtures.project('on a new connection');
  const calls = [];
  // One after another, because each may replace the token.
  while (calls.length < 4) calls.push(await browser.createProject(project, onNewConnection));
  const { found, words } = countIn(
    calls,
    (create) => mayRefuseToken(create) && isClientError(create.exchange),
  );
  if (found.length === 0 || found.length === calls.length) return;
  fail(
    `The app's XSRF token is refused on ${words} new connections.`,
    [login, calls.find(({ outcome }) => outcome.ok), found[0]],
    { requirement: 'Check tokens with one key, or one store, in all processes.' },
  );
}
