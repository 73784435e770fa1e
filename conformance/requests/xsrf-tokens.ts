import { isClientError, isSuccess, statusOf } from '../http/response.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import { oncePerRun, type RunContext } from '../people/run-context.ts';
import type { Visit } from '../people/visits.ts';
import { createWithToken, failedCreate } from './creates.ts';
import { changeCookie } from './forged-cookies.ts';

export const asksForToken = ({ exchange }: ApiCall) =>
  [400, 403, 419, 422].includes(statusOf(exchange)) &&
  /[cx]srf|token|forgery|request could not be verified/i.test(exchange.response?.text ?? '');

/** Registers and signs in, each from a new browser. SIGNIN-13 uses the session, then XSRF-6. */
export const firstSession = oncePerRun(async (context) => {
  const email = context.fixtures.email('cold');
  const password = context.fixtures.password('cold');
  const [cold, browser] = [context.newBrowser('cold'), context.newBrowser('cold')];
  const register = () => cold.registerUser(email, password);
  const registration = await context.postWithXsrfCookie(cold, register);
  const login = await context.postWithXsrfCookie(browser, () => browser.login(email, password));
  const list = await browser.listProjects();
  const create = await browser.createProject(context.fixtures.project('with the first token'));
  return { browser, registration, login, list, create };
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

/** Returns whether the backend accepts an invented token, if the cookie has the same value. */
export async function isDoubleSubmit(context: RunContext): Promise<boolean> {
  const { browser } = await context.signedInUser('ada');
  const copy = browser.clone('ada, with an invented token');
  const value = 'invented-token-0123456789abcdef';
  copy.setCookie(changeCookie(xsrfCookieOf(copy)!, { value }));
  return isSuccess(await createWithToken(context, copy, value));
}

export const xsrfCookieOf = (browser: SimulatedBrowser) =>
  browser.allCookies().find(({ key }) => key === 'XSRF-TOKEN');
