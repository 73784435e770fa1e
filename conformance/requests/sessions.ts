import { lateMs } from '../http/clock.ts';
import { Blocked } from '../http/record.ts';
import { hasSucceeded, isClientError } from '../http/response.ts';
import type { ApiCall } from '../http/simulated-browser.ts';
import type { SignedInUser } from '../people/accounts.ts';
import type { RunContext } from '../people/run-context.ts';
import { activeSession, firstVisit, manyVisits, type Visit } from '../people/visits.ts';
import { expectSuccess, skip } from '../problems/problem.ts';
import { unshown } from './lists.ts';
import { blockOnFlapping, isUnauthorized } from './sign-ins.ts';
import { isListPublic } from './visitors.ts';

export const countSignIns = (
  { http }: RunContext,
  { exchange: { startedAfter: start } }: ApiCall,
) =>
  http.exchanges.filter((each) => each.startedAfter > start && hasSucceeded(each, '/login')).length;

/** Fails when a call ends the session of the user. No other request is in between. */
export async function expectSession(
  user: SignedInUser,
  send: () => Promise<ApiCall>,
  failure: string,
) {
  const before = await user.browser.listProjects();
  if (!before.outcome.ok) throw unshown(before);
  const call = await send();
  const after = await user.browser.listProjects();
  await blockUnlessRejected(user, after);
  expectSuccess(after, failure, [before, call]);
}

/** Returns the call that the backend rejected. PROJECT checks report bodies the app cannot read. */
export const rejectedCallOf = ({ list, create }: Visit) =>
  isUnauthorized(list) ? list : isClientError(create.exchange) ? create : undefined;

/** Blocks a check when a signed-in user is rejected. SIGNIN-6 reports that once for all checks. */
export async function requireSession(context: RunContext, to: 'list' | 'list and create' = 'list') {
  const { list, create } = await firstVisit(context);
  const calls = to === 'list' ? [list] : [list, create];
  const rejected = calls.find(isUnauthorized);
  if (rejected)
    throw new Blocked({ words: 'a signed-in user is rejected', exchange: rejected.exchange });
}

/** Returns a session that works, or else one as after its sign-in. Skips when none is needed. */
export async function findActiveSession(context: RunContext): Promise<Visit> {
  if (await isListPublic(context)) skip('visitors get a list, too');
  const visits = [await activeSession(context), ...(await manyVisits(context))];
  const [first] = visits;
  const active = visits.find(({ list }) => list.outcome.ok);
  // SIGNIN-15 reports sessions that are valid only later.
  if (!active) await context.http.clock.sleep(lateMs);
  return active ?? { ...first!, browser: first!.signedInBrowser };
}

/** Blocks a check on a failure that shows no end of a session, because others report that. */
export async function blockUnlessRejected(user: SignedInUser, list: ApiCall) {
  if (isUnauthorized(list)) await blockOnFlapping(list, user.browser);
  else if (!list.outcome.ok) throw unshown(list);
}

export function describeMissingCookie({ browser, login }: SignedInUser): string {
  const key = /"(\w*token\w*|jwt)"/i.exec(login.exchange.response?.text ?? '')?.[1];
  const token = key ? `; "${key}" in its body is not used` : '';
  const other = browser.xsrfToken() === undefined ? '' : ' but XSRF-TOKEN';
  const cookies = browser.allCookies().filter((cookie) => cookie.key !== 'XSRF-TOKEN');
  const elsewhere = cookies.find(({ path }) => path !== '/');
  if (elsewhere) return `Signing in sets the cookie "${elsewhere.key}" for ${elsewhere.path} only.`;
  return `Signing in sets no cookie${other}${token}.`;
}
