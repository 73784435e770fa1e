import type { Cookie } from 'tough-cookie';
import { setCookieOf } from '../http/requirements.ts';
import { hasSucceeded } from '../http/response.ts';
import { oncePerRun, type RunContext } from '../people/run-context.ts';
import { activeSession } from '../people/visits.ts';
import { fail, skip } from '../problems/problem.ts';
import { unshown } from './lists.ts';
import { isListPublic } from './visitors.ts';

/** Returns what `findSessions` returns. Skips when no list needs a cookie. */
export async function requireSessions(context: RunContext): Promise<Cookie[][]> {
  const sessions = await findSessions(context);
  if (sessions.length > 0) return sessions;
  if (await isListPublic(context)) skip('visitors get a list, too');
  const list = await (await activeSession(context)).browser.listProjects();
  if (!list.outcome.ok) throw unshown(list);
  return skip('no cookie is needed, or enough, for a list');
}

/** Returns the cookies that are needed together, or else each cookie that is enough alone. */
export const findSessions = oncePerRun(async (context): Promise<Cookie[][]> => {
  const active = await activeSession(context);
  const isActive = (await active.browser.listProjects()).outcome.ok;
  const { browser, list } = isActive ? active : await context.newSession('ada');
  const sent = browser.cookiesFor('/api/v1/projects').filter(({ key }) => key !== 'XSRF-TOKEN');
  if ((!isActive && !list.outcome.ok) || (await isListPublic(context))) return [];
  const listsWith = async (name: string, isSent: (cookie: Cookie) => boolean) => {
    const other = context.newBrowser(`ada, ${name}`);
    for (const cookie of sent.filter(isSent)) other.setCookie(cookie, browser);
    return (await other.listProjects()).outcome.ok;
  };
  const needed: Cookie[] = [];
  const enough: Cookie[][] = [];
  for (const cookie of sent) {
    if (!(await listsWith(`without ${cookie.key}`, (each) => each !== cookie))) needed.push(cookie);
    if (await listsWith(`with ${cookie.key} alone`, (each) => each === cookie))
      enough.push([cookie]);
  }
  return needed.length > 0 ? [needed] : enough;
});

const minBits = 64;

/** Fails if the cookies of many sessions differ in a few places, like those made of the time. */
export function expectVarying({ http }: RunContext, session: Cookie[]) {
  const logins = http.exchanges.filter((each) => hasSucceeded(each, '/login'));
  const values = logins.map((each) => session.map(({ key }) => setCookieOf(each, key)).join());
  const [first, ...others] = values.filter(({ length }) => length === values.at(-1)?.length);
  const varying = Array.from(first ?? '').filter((one, at) =>
    others.some((other) => other[at] !== one),
  );
  const bitsEach = /^[\da-f]*$/i.test(varying.join('')) ? 4 : 6;
  if (others.length >= 8 && varying.length * bitsEach < minBits)
    fail(
      `${values.length} session cookies differ in ${varying.length} characters only: they can be guessed.`,
      logins.slice(-2),
    );
}
