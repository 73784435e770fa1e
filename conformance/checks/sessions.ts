import { describeListFault, describeResponse } from '../describe.ts';
import { isClientError, isSuccess } from '../http/response.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import {
  activeSession,
  firstVisit,
  isSameProject,
  isListPublic,
  isListShared,
  isUnauthorized,
  listWith,
  requireSession,
  signInAsAnother,
  takeSession,
  tenVisits,
  type Visit,
} from '../probes.ts';
import { Blocked, expectSuccess, fail, failIfAny, createProblem, skip } from '../verdict.ts';
import type { RunContext, SignedInUser } from '../run-context.ts';
import type { Verdicts } from './check.ts';
import { forgeEnd, withCookieValue } from './cookies.ts';
import { firstSession } from './xsrf.ts';

export const sessionChecks: Verdicts = {
  async 'SIGNIN-6'(context) {
    const { user, list, create } = await firstVisit(context);
    if (isUnauthorized(list)) await blockOnFlapping(user);
    if (isUnauthorized(list) || isUnauthorized(create)) await blockIfEnded(context);
    const sent = user.browser.cookiesFor('/api/v1/projects');
    const cookies = sent.filter(({ key }) => key !== 'XSRF-TOKEN');
    const cause =
      cookies.length === 0
        ? describeMissingCookie(user)
        : `Cookies sent: ${sent.map(({ key }) => key).join(', ')}.${describeSpecialCharacters(cookies)}`;
    const problemOf = (call: ApiCall, request: string) =>
      isUnauthorized(call) &&
      createProblem(
        `After signing in, the backend rejects ${request} with ${describeResponse(call.exchange)}. ${cause}`,
        [call],
      );
    failIfAny([problemOf(list, 'the list'), problemOf(create, 'a new project')]);
  },
  async 'SIGNIN-7'(context) {
    const first = await context.signedInUser('bob');
    const before = await first.browser.listProjects();
    if (!before.outcome.ok) skip('the list cannot be fetched');
    // No other request in between, because it might end the session as well.
    const second = await context.newSession('bob');
    const after = await first.browser.listProjects();
    await blockUnlessRejected(first, after);
    expectSuccess(
      after,
      "After the user signed in from a second browser, the first browser's list fails",
      [before, second.login],
      'in the first browser, an empty list: "No projects to show."',
    );
  },
  async 'SIGNIN-8'(context) {
    await requireSession(context);
    // A control: throws if one sign-in alone fails.
    const { email, password, registration } = await context.newSession('bob');
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
  async 'SIGNIN-9'(context) {
    await requireSession(context, 'list and create');
    const { first, browser, account, login } = await signInAsAnother(context);
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
    const second = await takeSession(context, 'olga');
    const created = { call: create, project: create.outcome.value };
    const secondList = await listWith(second.browser, [created]);
    const firstList = await (await context.signedInUser('ada')).browser.listProjects();
    if (secondList.missing.length > 0)
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
  async 'SIGNIN-10'(context) {
    const user = await takeSession(context, 'bob');
    const { browser, email, password, login } = user;
    const before = await browser.listProjects();
    if (!before.outcome.ok) skip('the list cannot be fetched');
    const failed = await browser.login(email, `${password}?`);
    const after = await browser.listProjects();
    await blockUnlessRejected(user, after);
    expectSuccess(
      after,
      'After a failed sign-in, the list of the signed-in user fails',
      [login, failed],
      'an empty list: "No projects to show."',
    );
  },
  async 'SIGNIN-11'(context) {
    await requireSession(context);
    const user = await context.signedInUser('bob');
    const browser = withExpiredSession(user);
    if (!browser) skip('there is no session cookie');
    let login = await browser.login(user.email, user.password);
    if (!login.outcome.ok) login = await browser.login(user.email, user.password);
    // A control: without the old cookies, the same user can sign in.
    if (!login.outcome.ok) await context.newSession('bob');
    expectSuccess(
      login,
      'Signing in with the cookies of an expired session fails twice, so the user is locked out until the cookies expire',
      [user.registration],
    );
    const list = await browser.listProjects();
    if (isClientError(list.exchange))
      expectSuccess(list, 'After signing in with old cookies, the list fails', [login]);
  },
  async 'SIGNIN-12'(context) {
    const user = await requireActiveSession(context);
    for (let count = 1; count <= manyRequests; count++) {
      const list = await user.browser.listProjects();
      await blockUnlessRejected(user, list);
      expectSuccess(
        list,
        `The session ends early: list number ${count} of a signed-in user fails`,
        [user.login],
        'an empty list: "No projects to show."',
      );
    }
  },
  async 'SIGNIN-14'(context) {
    const user = await requireActiveSession(context);
    const lists = await Promise.all(
      Array.from({ length: 12 }, () => user.browser.listProjects({ onNewConnection: true })),
    );
    const rejected = lists.filter(isUnauthorized);
    const last = rejected.at(-1);
    if (!last) return;
    const control = lists.find(({ outcome }) => outcome.ok) ?? (await user.browser.listProjects());
    if (!control.outcome.ok) throw new Blocked('the session has ended, see SIGNIN-12');
    let isAlwaysValid = true;
    for (let count = 0; count < 8; count++)
      isAlwaysValid &&= !isUnauthorized(await user.browser.listProjects({ onNewConnection: true }));
    if (isAlwaysValid) throw new Blocked('only requests at once are rejected, see PROJECT-10');
    fail(
      `On ${rejected.length} of ${lists.length} new connections, the backend rejects the list of a signed-in user with ${describeResponse(last.exchange)}. Does each of its processes keep sessions of its own?`,
      [user.login, control, last],
    );
  },
  async 'SIGNIN-15'(context) {
    const visits = await tenVisits(context);
    const calls = visits.flatMap((visit) => [
      { visit, call: visit.list, name: 'the list' },
      { visit, call: visit.create, name: 'a new project' },
    ]);
    // PROJECT checks report bodies that the app cannot read.
    const failed = calls.filter(
      ({ call }) =>
        isUnauthorized(call) || (call.operation === 'createProject' && !isSuccess(call.exchange)),
    );
    const first = failed[0];
    if (!first) return;
    const { visit, call, name } = first;
    // A failure that every visit has is the finding of another check.
    if (failed.length >= visits.length) throw new Blocked(describeResponse(call.exchange));
    const working = visits.filter((other) => failed.every((each) => each.visit !== other));
    fail(
      `Right after ${failed.length} of ${visits.length} sign-ins, the backend rejects ${name} with ${describeResponse(call.exchange)}.${describeOddCharacters(visit, working)}`,
      [visit.login, call],
    );
  },
  /** Runs last, so that its session has been idle. */
  async 'SIGNIN-13'(context) {
    const { browser, login, list: before } = await firstSession(context);
    if (!before.outcome.ok || (await isListPublic(context))) skip('there is no session');
    const after = await browser.listProjects();
    if (!isUnauthorized(after)) return;
    await blockOnFlapping({ browser });
    const seconds = Math.round((after.exchange.endedAtMs - before.exchange.endedAtMs) / 1000);
    fail(
      `A session ended after ${seconds} s without a call: the backend rejects the list with ${describeResponse(after.exchange)}.`,
      [login.repeated ?? login.first, before, after],
    );
  },
};

/** More than a session of the app makes in a minute. */
const manyRequests = 30;

/** Returns a session that works. Skips when the backend needs none. */
async function requireActiveSession(context: RunContext): Promise<Visit> {
  if (await isListPublic(context)) skip('the backend requires no session');
  const isWorking = ({ list }: Visit) => list.outcome.ok === true;
  const visit = await activeSession(context);
  if (isWorking(visit)) return visit;
  const other = (await tenVisits(context)).find(isWorking);
  if (!other) throw new Blocked('no session works, see SIGNIN-6');
  return other;
}

/** Blocks a check when another session works right after its sign-in. */
async function blockIfEnded(context: RunContext) {
  const { browser } = await context.newSession('ada');
  const list = await browser.listProjects();
  const create = await browser.createProject(context.fixtures.project('of another session'));
  if (!isUnauthorized(list) && !isUnauthorized(create))
    throw new Blocked('a session has ended, but a new one works');
}

/** Blocks a check on a failure that shows no end of a session, because others report that. */
async function blockUnlessRejected(user: SignedInUser, list: ApiCall) {
  if (isUnauthorized(list)) await blockOnFlapping(user);
  else if (!list.outcome.ok) throw new Blocked(`the list: ${describeListFault(list)}`);
}

/** Blocks a check when a rejected session is valid again, because SIGNIN-14 reports that. */
async function blockOnFlapping({ browser }: Pick<SignedInUser, 'browser'>): Promise<void> {
  for (let count = 0; count < 6; count++) {
    const list = await browser.clone('again').listProjects({ onNewConnection: true });
    if (list.outcome.ok) throw new Blocked('a session is valid now and then, see SIGNIN-14');
  }
}

/** Returns a hint for values that a backend may read in another way than it wrote them. */
function describeSpecialCharacters(cookies: { value: string }[]): string {
  const text = cookies.map(({ value }) => value).join('');
  const characters = [...new Set(text.match(/[^\w.%-]/g))].join(' ');
  return characters === ''
    ? ''
    : ` Their values contain ${characters} – does the backend read them whole, without decoding?`;
}

/** Returns which special characters the cookies of a visit have, and no other cookies. */
function describeOddCharacters(visit: Visit, others: Visit[]): string {
  const valuesOf = ({ browser }: Visit) => browser.allCookies().map(({ value }) => value);
  const characters =
    valuesOf(visit)
      .join('')
      .match(/[^\w%]/g) ?? [];
  const usual = others.flatMap(valuesOf).join('');
  const odd = [...new Set(characters)].filter((character) => !usual.includes(character));
  return odd.length > 0 ? ` Only its cookies contain ${odd.join(' ')}` : '';
}

/** Returns a browser whose session cookies are unknown to the backend. */
function withExpiredSession({ name, browser }: SignedInUser): SimulatedBrowser | undefined {
  const copy = browser.clone(`${name}, with old cookies`);
  const cookies = copy.allCookies().filter(({ key }) => key !== 'XSRF-TOKEN');
  for (const cookie of cookies) copy.setCookie(withCookieValue(cookie, forgeEnd(cookie.value)));
  return cookies.length > 0 ? copy : undefined;
}

function describeMissingCookie({ browser, login }: SignedInUser): string {
  const key = /"(\w*token\w*|jwt)"/i.exec(login.exchange.response?.text ?? '')?.[1];
  const token = key
    ? ` The response to signing in has "${key}" in its body, but the app does not read that body.`
    : '';
  const other = browser.xsrfToken() === undefined ? '' : ' except XSRF-TOKEN';
  return `Signing in set no cookie for /api/v1/projects${other}.${token}`;
}
