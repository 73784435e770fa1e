import type { Cookie } from 'tough-cookie';
import { describeResponse } from '../describe.ts';
import { headerValues, type Exchange } from '../http/client.ts';
import { isClientError, isSuccess } from '../http/response.ts';
import { maskCookie } from '../http/secrets.ts';
import { isLocalhost } from '../http/simulated-browser.ts';
import { isListPublic } from '../probes.ts';
import type { RunContext } from '../run-context.ts';
import { fail, failIfAny, createProblem, skip, type Problem } from '../verdict.ts';
import { must, should, type Check } from './check.ts';

export const cookieChecks: Check[] = [
  must('COOKIE-1', {
    title: 'Browsers store every cookie that the backend sets',
    requirement:
      'Send one Set-Cookie header per cookie, without Domain. Add Secure only over https, and SameSite=None only together with Secure.',
    statements: ['CALL-3', 'CALL-4'],
    async run(context) {
      const { browser } = await context.signedInUser('ada');
      for (let visit = 0; visit < 2; visit++) await browser.listProjects();
      const problems = new Map<string, Problem>();
      for (const exchange of context.http.exchanges) {
        const rejected = [
          ...exchange.rejectedCookies,
          ...joinedCookies(exchange),
          ...shortLivedCookies(exchange),
          ...deletedCookies(context, exchange),
        ];
        for (const { line, reason } of rejected) {
          const description = `A browser does not keep the cookie "${maskCookie(line)}": ${reason}.`;
          problems.set(reason, createProblem(description, [exchange]));
        }
      }
      failIfAny([...problems.values()]);
    },
  }),
  must('COOKIE-2', {
    title: 'The browser sends the session cookie to /api/v1/projects',
    requirement: 'Set Path=/. The default is the folder of the sign-in request, /api/v1/auth.',
    statements: ['CALL-3', 'CHOICE-9'],
    async run(context) {
      const { browser, login } = await context.signedInUser('ada');
      const sent = browser.cookiesFor('/api/v1/projects').map(({ key }) => key);
      const unsent = browser
        .allCookies()
        .find(({ key }) => key !== 'XSRF-TOKEN' && !sent.includes(key));
      const list = await browser.listProjects();
      if (unsent && !list.outcome.ok)
        fail(
          `The cookie "${unsent.key}" has ${describePath(unsent)}, so the browser does not send it to /api/v1/projects.`,
          [login],
          'an empty list, and every new project is rejected',
        );
    },
  }),
  should('COOKIE-3', {
    title: 'The session cookie is HttpOnly',
    requirement: 'Set HttpOnly, so that an injected script cannot steal the session.',
    statements: ['CALL-3'],
    async run(context) {
      const { login } = await context.signedInUser('ada');
      const cookies = await requireSessionCookies(context);
      const readable = cookies.find(({ httpOnly }) => !httpOnly);
      if (readable) fail(`The session cookie "${readable.key}" is not HttpOnly.`, [login]);
    },
  }),
  should('COOKIE-4', {
    title: 'The session cookie has SameSite=Lax or Strict',
    requirement: 'Set SameSite=Lax, so that other sites cannot submit forms as the user.',
    statements: ['CALL-3'],
    async run(context) {
      const { login } = await context.signedInUser('ada');
      const cookies = await requireSessionCookies(context);
      const unsafe = cookies.find(({ sameSite }) => sameSite !== 'lax' && sameSite !== 'strict');
      if (unsafe)
        fail(
          `The session cookie "${unsafe.key}" has ${unsafe.sameSite === 'none' ? 'SameSite=None' : 'no SameSite'}.`,
          [login],
        );
    },
  }),
  should('COOKIE-5', {
    title: 'Cookies are Secure over https and only there',
    requirement:
      'Set Secure over https, otherwise the cookie leaks over http. Omit it over http, because Safari drops such a cookie even on localhost.',
    statements: ['CALL-3'],
    async run(context) {
      const { browser, login } = await context.signedInUser('ada');
      const cookies = browser.allCookies();
      if (cookies.length === 0) skip('the backend sets no cookie');
      const isHttps = context.origin.startsWith('https:');
      const cookie = cookies.find(({ secure }) => secure !== isHttps);
      if (cookie && isHttps) fail(`The cookie "${cookie.key}" is not Secure over https.`, [login]);
      if (cookie && isLocalhost(context.origin))
        fail(
          `The cookie "${cookie.key}" is Secure over http. Chrome and Firefox accept it on localhost, Safari does not.`,
          [login],
        );
    },
  }),
  should('COOKIE-6', {
    title: 'Signing in creates a new session',
    requirement:
      'Replace an existing session at sign-in. Otherwise an attacker who planted a session in the browser is signed in too (session fixation).',
    statements: ['CHOICE-47', 'CALL-3'],
    async run(context) {
      const names = (await requireSessionCookies(context)).map(({ key }) => key);
      const { browser, email, password, login } = await context.newSession('bob');
      const session = browser.allCookies().filter(({ key }) => names.includes(key));
      const secondLogin = await browser.login(email, password);
      if (!secondLogin.outcome.ok) skip('signing in again fails');
      const current = new Map(browser.allCookies().map(({ key, value }) => [key, value]));
      if (session.every(({ key, value }) => current.get(key) === value))
        fail('Signing in continues the session that the browser has.', [login, secondLogin]);
      const planted = context.newBrowser('planted');
      for (const cookie of session)
        planted.setCookie(
          withCookieValue(cookie, `planted-${context.fixtures.runId}-0123456789abcdef`),
        );
      const plantedLogin = await planted.login(email, password);
      if (!plantedLogin.outcome.ok) return;
      if (
        planted.allCookies().some(({ value }) => value.startsWith('planted-')) &&
        (await planted.listProjects()).outcome.ok &&
        !(await isListPublic(context))
      )
        fail(
          'Signing in continues the session that the browser sent, even one that the backend never created.',
          [plantedLogin],
        );
    },
  }),
  must('COOKIE-7', {
    title: 'An invented or changed session cookie is not accepted',
    requirement: 'Reject session cookies that the backend did not create.',
    statements: ['CHOICE-43', 'CHOICE-47'],
    async run(context) {
      const session = await requireSessionCookies(context);
      for (const [change, valueOf] of [
        ['with an invented value', (value: string) => value.replaceAll(/[a-z0-9]/gi, 'a')],
        ['without its last characters', (value: string) => value.slice(0, -4)],
      ] as const) {
        const browser = context.newBrowser('forger');
        for (const cookie of session)
          browser.setCookie(withCookieValue(cookie, valueOf(cookie.value)));
        const list = await browser.listProjects();
        if (list.outcome.ok)
          fail(
            `A session cookie ${change} still gives access to the list: ${describeResponse(list.exchange)}.`,
            [list],
          );
      }
    },
  }),
];

export const describePath = ({ path, pathIsDefault }: Cookie) =>
  `the path ${path}${pathIsDefault ? ' (the default, because it has no Path)' : ''}`;

function withCookieValue(cookie: Cookie, value: string): Cookie {
  const copy = cookie.clone()!;
  copy.value = value;
  return copy;
}

/** Returns the cookies without which the backend rejects the list. Skips when there are none. */
async function requireSessionCookies(context: RunContext): Promise<Cookie[]> {
  const cookies = await context.once('session cookies', async () => {
    if (await isListPublic(context)) return [];
    const { browser } = await context.signedInUser('ada');
    if (!(await browser.listProjects()).outcome.ok) return [];
    const needed: Cookie[] = [];
    const sent = browser.cookiesFor('/api/v1/projects');
    for (const cookie of sent) {
      const without = context.newBrowser(`ada, without ${cookie.key}`);
      for (const other of sent) if (other.key !== cookie.key) without.setCookie(other);
      if (!(await without.listProjects()).outcome.ok) needed.push(cookie);
    }
    return needed;
  });
  return cookies.length > 0 ? cookies : skip('there is no session cookie');
}

type RejectedCookie = { line: string; reason: string };

const setCookieLines = ({ response }: Exchange) =>
  response ? headerValues(response, 'set-cookie') : [];

function joinedCookies(exchange: Exchange): RejectedCookie[] {
  const joined = /,\s*[^=;,\s]+=[^;]*;\s*(path|httponly|samesite|max-age)/i;
  return setCookieLines(exchange)
    .filter((line) => joined.test(line.replace(/expires=[^;]*/i, '')))
    .map((line) => ({ line, reason: 'it is joined with another cookie in one header' }));
}

/** A user who has just signed in needs the session at least this long to read the list. */
const minSessionSeconds = 30;

/** Returns the cookies of a successful sign-in that expire or are deleted at once. */
function shortLivedCookies(exchange: Exchange): RejectedCookie[] {
  if (!isSuccess(exchange) || !exchange.request.path.endsWith('login')) return [];
  return setCookieLines(exchange).flatMap((line, index, lines) => {
    if (isEmptyCookie(line)) return [];
    const seconds = secondsToLive(line);
    if (seconds !== undefined && seconds < minSessionSeconds) {
      const lifetime = seconds > 0 ? `after ${Math.round(seconds)} s` : 'immediately';
      const attribute = /(max-age|expires)=[^;]*/i.exec(line)![0];
      return [{ line, reason: `it expires ${lifetime} (${attribute})` }];
    }
    const later = lines.slice(index + 1).find((other) => cookieName(other) === cookieName(line));
    return later && isEmptyCookie(later)
      ? [{ line, reason: 'the same response sets it again, to an empty value' }]
      : [];
  });
}

/** Returns the cookies that a successful response deletes although the next request needs them. */
function deletedCookies({ http }: RunContext, exchange: Exchange): RejectedCookie[] {
  const { request, browserName } = exchange;
  if (!isSuccess(exchange) || !request.path.endsWith('/projects')) return [];
  const deleted = setCookieLines(exchange).filter(
    (line) => isEmptyCookie(line) && request.headers['cookie']?.includes(`${cookieName(line)}=`),
  );
  const next = http.exchanges
    .slice(http.exchanges.indexOf(exchange) + 1)
    .find((other) => other.browserName === browserName && other.request.path === request.path);
  if (!next || !isClientError(next)) return [];
  const reason = `${request.method} ${request.path} deletes it, and the backend responds to the next request with ${describeResponse(next)}`;
  return deleted.map((line) => ({ line, reason }));
}

const cookieName = (line: string) => line.split('=')[0]!.trim();
const isEmptyCookie = (line: string) => /^[^=]+="?"?\s*(;|$)/.test(line);

/** Returns the lifetime of a cookie; undefined when it ends with the browser session. */
function secondsToLive(line: string): number | undefined {
  const maxAge = /;\s*max-age=(-?\d+)/i.exec(line)?.[1];
  if (maxAge !== undefined) return Number(maxAge);
  const expires = Date.parse(/;\s*expires=([^;]*)/i.exec(line)?.[1] ?? '');
  return Number.isNaN(expires) ? undefined : (expires - Date.now()) / 1000;
}
