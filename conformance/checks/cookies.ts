import type { Check } from './check.ts';
import { describeResponse } from '../describe.ts';
import { type Exchange, headerValues } from '../http/client.ts';
import { isClientError, isSuccess } from '../http/response.ts';
import { maskCookie } from '../http/secrets.ts';
import { isLocalhost } from '../http/simulated-browser.ts';
import { isListPublic } from '../probes.ts';
import type { RunContext } from '../run-context.ts';
import { fail, failIfAny, problem, skip } from '../verdict.ts';
import type { Cookie } from 'tough-cookie';

export const cookieChecks: Check[] = [
  {
    id: 'COOKIE-1',
    level: 'MUST',
    title: 'A browser keeps every cookie that is set',
    requirement:
      'Each cookie in a Set-Cookie line of its own, for this very host (leave Domain out), with Secure only on https, with SameSite=None only beside Secure.',
    statements: ['CALL-3', 'CALL-4'],
    async run(context) {
      const { browser } = await context.signedInUser('ada');
      for (let visit = 0; visit < 2; visit++) await browser.listProjects();
      const found = new Map<string, ReturnType<typeof problem>>();
      for (const exchange of context.http.exchanges) {
        for (const { line, reason } of [
          ...faultyLines(exchange),
          ...takenAway(context, exchange),
        ]) {
          found.set(
            reason,
            problem(`A browser does not keep the cookie "${maskCookie(line)}": ${reason}.`, [
              exchange,
            ]),
          );
        }
      }
      failIfAny([...found.values()]);
    },
  },
  {
    id: 'COOKIE-2',
    level: 'MUST',
    title: 'The session cookie is sent to /api/v1/projects',
    requirement:
      'A cookie without Path is sent only below the folder of the call that set it (/api/v1/auth). Set Path=/.',
    statements: ['CALL-3', 'CHOICE-9'],
    async run(context) {
      const user = await context.signedInUser('ada');
      const all = user.browser.allCookies().filter(({ key }) => key !== 'XSRF-TOKEN');
      const sent = user.browser.cookiesFor('/api/v1/projects').map(({ key }) => key);
      const lost = all.filter(({ key }) => !sent.includes(key));
      const works = (await user.browser.listProjects()).outcome.ok;
      if (lost.length > 0 && !works) {
        const [first] = lost as [Cookie];
        fail(
          `The cookie "${first.key}" has the path ${first.path}${first.pathIsDefault ? ' (by default, as it came without Path)' : ''}, so that it is not sent to /api/v1/projects.`,
          [user.login],
          'an empty list, and a refusal of each project',
        );
      }
    },
  },
  {
    id: 'COOKIE-3',
    level: 'SHOULD',
    title: 'The session cookie is HttpOnly',
    requirement:
      'No script has any business with the session: a script that got into the page would take it away.',
    statements: ['CALL-3'],
    async run(context) {
      const user = await context.signedInUser('ada');
      const session = await sessionCookies(context);
      if (session.length === 0) skip('there is no session cookie');
      const open = session.filter(({ httpOnly }) => !httpOnly);
      if (open.length > 0)
        fail(`The session cookie "${open[0]!.key}" is not HttpOnly.`, [user.login]);
    },
  },
  {
    id: 'COOKIE-4',
    level: 'SHOULD',
    title: 'The session cookie says SameSite=Lax or Strict',
    requirement:
      'With SameSite=Lax, other sites cannot send forms in the name of whoever is signed in. Without it, browsers differ.',
    statements: ['CALL-3'],
    async run(context) {
      const user = await context.signedInUser('ada');
      const session = await sessionCookies(context);
      if (session.length === 0) skip('there is no session cookie');
      const open = session.find(({ sameSite }) => sameSite !== 'lax' && sameSite !== 'strict');
      if (open)
        fail(
          `The session cookie "${open.key}" ${open.sameSite === 'none' ? 'says SameSite=None' : 'says nothing of SameSite'}.`,
          [user.login],
        );
    },
  },
  {
    id: 'COOKIE-5',
    level: 'SHOULD',
    title: 'Cookies are Secure on https, and only there',
    requirement:
      'Over https a cookie without Secure leaks to http. Over http, Safari drops a Secure cookie even on localhost.',
    statements: ['CALL-3'],
    async run(context) {
      const user = await context.signedInUser('ada');
      const all = user.browser.allCookies();
      if (all.length === 0) skip('no cookie is set');
      const https = context.origin.startsWith('https:');
      const odd = all.find(({ secure }) => secure !== https);
      if (odd && https)
        fail(`The cookie "${odd.key}" is not Secure, and this is https.`, [user.login]);
      if (odd && isLocalhost(context.origin))
        fail(
          `The cookie "${odd.key}" is Secure, and this is http: Chrome and Firefox forgive it on this machine alone, Safari does not.`,
          [user.login],
        );
    },
  },
  {
    id: 'COOKIE-6',
    level: 'SHOULD',
    title: 'Signing in gives a session of its own',
    requirement:
      'A session that was there before signing in is not the one after it: whoever planted it in the browser would be signed in as well (session fixation).',
    statements: ['CHOICE-47', 'CALL-3'],
    async run(context) {
      const names = (await sessionCookies(context)).map(({ key }) => key);
      if (names.length === 0) skip('there is no session cookie');
      const user = await context.newSession('bob');
      const { browser } = user;
      const session = browser.allCookies().filter(({ key }) => names.includes(key));
      const again = await browser.login(user.email, user.password);
      if (!again.outcome.ok) skip('signing in again does not work');
      const now = new Map(browser.allCookies().map(({ key, value }) => [key, value]));
      if (session.every(({ key, value }) => now.get(key) === value)) {
        fail('Signing in in a browser that has a session goes on with the same session.', [
          ...user.login.exchanges,
          ...again.exchanges,
        ]);
      }
      const planted = context.newBrowser('planted');
      for (const cookie of session) {
        const copy = cookie.clone()!;
        copy.value = `planted-${context.fixtures.runId}-0123456789abcdef`;
        planted.setCookie(copy);
      }
      const login = await planted.login(user.email, user.password);
      if (!login.outcome.ok) return;
      const kept = planted.allCookies().filter(({ value }) => value.startsWith('planted-'));
      if (
        kept.length > 0 &&
        (await planted.listProjects()).outcome.ok &&
        !(await isListPublic(context))
      ) {
        fail(
          'Signing in takes over whatever session the browser came with, even one that the backend never gave out.',
          [login],
        );
      }
    },
  },
  {
    id: 'COOKIE-7',
    level: 'MUST',
    title: "An invented session is nobody's",
    requirement:
      'A session cookie that the backend did not give out, or that was changed, opens nothing.',
    statements: ['CHOICE-43', 'CHOICE-47'],
    async run(context) {
      const session = await sessionCookies(context);
      if (session.length === 0) skip('there is no session cookie');
      if (await isListPublic(context)) skip('the list is open to everybody');
      for (const [how, change] of tamperings) {
        const browser = context.newBrowser('forger');
        for (const cookie of session) {
          const copy = cookie.clone()!;
          copy.value = change(cookie.value);
          browser.setCookie(copy);
        }
        const list = await browser.listProjects();
        if (list.outcome.ok)
          fail(
            `A session cookie ${how} still opens the list: ${describeResponse(list.exchange)}.`,
            [list],
          );
      }
    },
  },
];

const tamperings: [string, (value: string) => string][] = [
  ['with an invented value', (value) => value.replaceAll(/[a-z0-9]/gi, 'a')],
  ['whose last characters were cut off', (value) => value.slice(0, -4)],
];

/** Cookies without which the list is refused. */
export const sessionCookies = (context: RunContext): Promise<Cookie[]> =>
  context.once('session cookies', async () => {
    if (await isListPublic(context)) return [];
    const { browser } = await context.signedInUser('ada');
    if (!(await browser.listProjects()).outcome.ok) return [];
    const needed: Cookie[] = [];
    for (const cookie of browser.cookiesFor('/api/v1/projects')) {
      const without = context.newBrowser(`ada, without ${cookie.key}`);
      for (const other of browser.cookiesFor('/api/v1/projects')) {
        if (other.key !== cookie.key) without.setCookie(other);
      }
      if (!(await without.listProjects()).outcome.ok) needed.push(cookie);
    }
    return needed;
  });

function faultyLines(exchange: Exchange): { line: string; reason: string }[] {
  if (!exchange.response) return [];
  const joined = headerValues(exchange.response, 'set-cookie').filter((line) =>
    /,\s*[^=;,\s]+=[^;]*;\s*(path|httponly|samesite|max-age)/i.test(
      line.replace(/expires=[^;]*/i, ''),
    ),
  );
  const isSignIn = isSuccess(exchange) && exchange.request.path.endsWith('login');
  const given = isSignIn ? headerValues(exchange.response, 'set-cookie') : [];
  return [
    ...exchange.rejectedCookies,
    ...joined.map((line) => ({ line, reason: 'two cookies are joined in one line' })),
    ...given.flatMap((line, index) => {
      const lasts = secondsOf(line);
      if (isEmpty(line) || lasts === undefined || lasts >= shortestSession) {
        const later = given.slice(index + 1).find((each) => nameOf(each) === nameOf(line));
        const isUndone = !isEmpty(line) && later !== undefined && isEmpty(later);
        return isUndone ? [{ line, reason: 'the same answer sets it once more, to nothing' }] : [];
      }
      const reason =
        lasts > 0 ? `it ends after ${Math.round(lasts)} s` : 'it ends the moment it is set';
      return [{ line, reason: `${reason} (${/(max-age|expires)=[^;]*/i.exec(line)![0]})` }];
    }),
  ];
}

/** Seconds: whoever has just signed in wants to read their list. */
const shortestSession = 30;

const nameOf = (line: string) => line.split('=')[0]!.trim();
const isEmpty = (line: string) => /^[^=]+="?"?\s*(;|$)/.test(line);

/** How long a cookie is kept; undefined where it does not say. */
function secondsOf(line: string): number | undefined {
  const age = /;\s*max-age=(-?\d+)/i.exec(line)?.[1];
  if (age !== undefined) return Number(age);
  const until = Date.parse(/;\s*expires=([^;]*)/i.exec(line)?.[1] ?? '');
  return Number.isNaN(until) ? undefined : (until - Date.now()) / 1000;
}

/** Cookies that a call deletes although it went well, and that the next one of the same browser is refused for want of. */
function takenAway({ http }: RunContext, exchange: Exchange): { line: string; reason: string }[] {
  const { request, response, browserName } = exchange;
  if (!response || !isSuccess(exchange) || !request.path.endsWith('/projects')) return [];
  const deleted = headerValues(response, 'set-cookie').filter(
    (line) => isEmpty(line) && request.headers['cookie']?.includes(`${nameOf(line)}=`),
  );
  const next = http.exchanges
    .slice(http.exchanges.indexOf(exchange) + 1)
    .find((each) => each.browserName === browserName && each.request.path === request.path);
  if (deleted.length === 0 || !next || !isClientError(next)) return [];
  return deleted.map((line) => ({
    line,
    reason: `${request.method} ${request.path} takes it away, and the next call is answered with ${describeResponse(next)}`,
  }));
}
