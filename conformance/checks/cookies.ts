import type { Cookie } from 'tough-cookie';
import { describeResponse } from '../describe.ts';
import { headerValues, type Exchange } from '../http/client.ts';
import { isClientError, isSuccess } from '../http/response.ts';
import { maskCookie } from '../http/secrets.ts';
import { isLocalhost } from '../http/simulated-browser.ts';
import {
  activeSession,
  firstVisit,
  isSameProject,
  isListPublic,
  isListShared,
  isUnauthorized,
  signInAsAnother,
  tenVisits,
} from '../probes.ts';
import type { RunContext } from '../run-context.ts';
import { fail, failIfAny, createProblem, skip, type Problem } from '../verdict.ts';
import type { Verdicts } from './check.ts';

export const cookieChecks: Verdicts = {
  async 'COOKIE-1'(context) {
    const { list, create } = await firstVisit(context);
    const isBroken = isUnauthorized(list) || isUnauthorized(create);
    const sessionNames = (await findSessionCookies(context)).map(({ key }) => key);
    const problems = new Map<string, Problem>();
    for (const exchange of context.http.exchanges) {
      // While the session works, the app misses no other cookie.
      const rejected = [
        ...exchange.rejectedCookies.filter(
          ({ line }) => isBroken || cookieName(line) === 'XSRF-TOKEN',
        ),
        ...(isBroken ? cutCookies(exchange) : []),
        ...joinedCookies(exchange),
        ...shortLivedCookies(exchange).filter(
          ({ line }) =>
            isBroken || sessionNames.length === 0 || sessionNames.includes(cookieName(line)),
        ),
        ...deletedCookies(context, exchange),
      ];
      for (const { line, reason } of rejected) {
        const description = `A browser does not keep the cookie "${maskCookie(line)}": ${reason}.`;
        problems.set(reason, createProblem(description, [exchange]));
      }
    }
    failIfAny([...problems.values()]);
  },
  async 'COOKIE-2'(context) {
    const { browser, login } = await context.signedInUser('ada');
    const sent = browser.cookiesFor('/api/v1/projects').map(({ key }) => key);
    const unsent = browser
      .allCookies()
      .find(({ key }) => key !== 'XSRF-TOKEN' && !sent.includes(key));
    const list = await browser.listProjects();
    if (!unsent || list.outcome.ok) return;
    const path = describePath(unsent);
    const control = browser.clone('ada, with every cookie');
    unsent.path = '/';
    control.setCookie(unsent);
    if (isSuccess((await control.listProjects()).exchange))
      fail(
        `The cookie "${unsent.key}" has ${path}, so the browser does not send it to /api/v1/projects.`,
        [login],
        'an empty list, and every new project is rejected',
      );
  },
  async 'COOKIE-3'(context) {
    const { login } = await context.signedInUser('ada');
    const cookies = await requireSessionCookies(context);
    const readable = cookies.find(({ httpOnly }) => !httpOnly);
    if (readable) fail(`The session cookie "${readable.key}" is not HttpOnly.`, [login]);
  },
  async 'COOKIE-4'(context) {
    const { login } = await context.signedInUser('ada');
    const cookies = await requireSessionCookies(context);
    const unsafe = cookies.find(({ sameSite }) => sameSite !== 'lax' && sameSite !== 'strict');
    if (unsafe)
      fail(
        `The session cookie "${unsafe.key}" has ${unsafe.sameSite === 'none' ? 'SameSite=None' : 'no SameSite'}.`,
        [login],
      );
  },
  async 'COOKIE-5'(context) {
    const { login } = await context.signedInUser('ada');
    const cookies = await requireSessionCookies(context);
    const isHttps = context.origin.startsWith('https:');
    const cookie = cookies.find(({ secure }) => secure !== isHttps);
    if (cookie && isHttps) fail(`The cookie "${cookie.key}" is not Secure over https.`, [login]);
    if (cookie && isLocalhost(context.origin))
      fail(
        `The cookie "${cookie.key}" is Secure over http. Chrome and Firefox accept it on localhost, Safari does not.`,
        [login],
      );
  },
  async 'COOKIE-6'(context) {
    const session = await requireSessionCookies(context);
    const { email, password } = await context.registeredAccount('bob');
    const visitor = context.newBrowser('attacker');
    await visitor.listProjects();
    const planter = context.newBrowser('attacker');
    for (const cookie of session)
      planter.setCookie(withCookieValue(cookie, `planted-${context.fixtures.runId}`));
    for (const [kind, browser] of [
      ["a visitor's cookie", visitor],
      ['an invented cookie', planter],
    ] as const) {
      if (!browser.allCookies().some(({ key }) => session.some((own) => own.key === key))) continue;
      const before = await browser.clone('attacker, before').listProjects();
      const login = await browser.clone('victim').login(email, password);
      const after = await browser.clone('attacker, after').listProjects();
      if (!before.outcome.ok && login.outcome.ok && after.outcome.ok)
        fail(
          `A user signs in from a browser that has ${kind}. After that, the old cookie alone shows the projects of the user.`,
          [before, login, after],
        );
    }
    const { oldBrowser, login } = await signInAsAnother(context);
    const { create } = (await tenVisits(context)).find(({ name }) => name === 'olga')!;
    const list = await oldBrowser.listProjects();
    if (!login.outcome.ok || !create.outcome.ok || !list.outcome.ok) return;
    if (
      list.outcome.value.some(isSameProject(create.outcome.value)) &&
      !(await isListShared(context))
    )
      fail(
        'After another user signed in from the same browser, the cookie of the first user shows the projects of the other one.',
        [login, create, list],
      );
  },
  async 'COOKIE-7'(context) {
    const session = await requireSessionCookies(context);
    const [ada, bob] = ['ada', 'bob'].map(context.fixtures.email) as [string, string];
    for (const [change, valueOf] of Object.entries({
      'with an invented value': (value: string) => value.replaceAll(/[a-z0-9]/gi, 'a'),
      'without its last characters': (value: string) =>
        value.replace(encodedPadding, '').slice(0, -6),
      'with other last characters': forgeEnd,
      'with the email of another user': (value: string) => replaceEncoded(value, ada, bob),
      'with the next number, that of another session,': (value: string) =>
        /^\d{1,12}$/.test(value) ? String(Number(value) + 1) : value,
    })) {
      const browser = context.newBrowser('forger');
      const forged = session.map((cookie) => withCookieValue(cookie, valueOf(cookie.value)));
      if (forged.every(({ value }, index) => value === session[index]!.value)) continue;
      for (const cookie of forged) browser.setCookie(cookie);
      const list = await browser.listProjects();
      if (list.outcome.ok)
        fail(
          `A session cookie ${change} still gives access to the list: ${describeResponse(list.exchange)}.`,
          [list],
        );
    }
  },
};

/** Padding of base64, also percent-encoded, and a closing quote. */
const encodedPadding = /(=|%3D|")+$/i;

/** Replaces the last letters and digits, of which a signature or a random token consists. */
export function forgeEnd(value: string): string {
  // A number might be that of another session.
  if (/^\d{1,15}$/.test(value)) return `9${value}00`;
  const [padding = ''] = encodedPadding.exec(value) ?? [];
  const text = value.slice(0, value.length - padding.length);
  const end = text
    .slice(-16)
    .replace(/%[\da-f]{2}|[a-z\d]/gi, (character) =>
      character.length > 1 ? character : nextCharacter(character),
    );
  return text.slice(0, -16) + end + padding;
}

/** Returns another digit or letter of the same case. Its distance changes bits base64 keeps. */
function nextCharacter(character: string): string {
  const [first, size] = /\d/.test(character)
    ? ['0', 10]
    : /[a-z]/.test(character)
      ? ['a', 26]
      : ['A', 26];
  const index = character.charCodeAt(0) - first.charCodeAt(0);
  return String.fromCharCode(first.charCodeAt(0) + ((index + 5) % size));
}

/** Replaces a text in a cookie, where it may be percent-encoded or in base64. */
function replaceEncoded(value: string, from: string, to: string): string {
  const changed = value
    .replaceAll(from, to)
    .replaceAll(encodeURIComponent(from), encodeURIComponent(to));
  const decoded = Buffer.from(value, 'base64').toString();
  if (!decoded.includes(from)) return changed;
  const encoded = Buffer.from(decoded.replaceAll(from, to)).toString('base64');
  return value.includes('=') ? encoded : encoded.replaceAll('=', '');
}

export const describePath = ({ path, pathIsDefault }: Cookie) =>
  `the path ${path}${pathIsDefault ? ' (the default, because it has no Path)' : ''}`;

export function withCookieValue(cookie: Cookie, value: string): Cookie {
  const copy = cookie.clone()!;
  copy.value = value;
  return copy;
}

/** Returns the cookies without which the backend rejects the list. Skips when there are none. */
async function requireSessionCookies(context: RunContext): Promise<Cookie[]> {
  const cookies = await findSessionCookies(context);
  return cookies.length > 0 ? cookies : skip('there is no session cookie');
}

const findSessionCookies = (context: RunContext): Promise<Cookie[]> =>
  context.once('session cookies', async () => {
    const { browser } = await activeSession(context);
    const sent = browser.cookiesFor('/api/v1/projects').filter(({ key }) => key !== 'XSRF-TOKEN');
    if (!(await browser.listProjects()).outcome.ok || (await isListPublic(context))) return [];
    if (sent.length < 2) return sent;
    const needed: Cookie[] = [];
    for (const cookie of sent) {
      const without = context.newBrowser(`ada, without ${cookie.key}`);
      for (const other of sent) if (other.key !== cookie.key) without.setCookie(other);
      if (!(await without.listProjects()).outcome.ok) needed.push(cookie);
    }
    return needed;
  });

type RejectedCookie = { line: string; reason: string };

const setCookieLines = ({ response }: Exchange) =>
  response ? headerValues(response, 'set-cookie') : [];

function joinedCookies(exchange: Exchange): RejectedCookie[] {
  const joined = /,\s*[^=;,\s]+=[^;]*;\s*(path|httponly|samesite|max-age)/i;
  return setCookieLines(exchange)
    .filter((line) => joined.test(line.replace(/expires=[^;]*/i, '')))
    .map((line) => ({ line, reason: 'it is joined with another cookie in one header' }));
}

/** Returns the cookies of which a browser stores only the part before a semicolon. */
function cutCookies(exchange: Exchange): RejectedCookie[] {
  const known =
    /^\s*(expires|max-age|domain|path|secure|httponly|samesite|partitioned|priority)?\s*(=|$)/i;
  return setCookieLines(exchange)
    .filter((line) =>
      line
        .split(';')
        .slice(1)
        .some((attribute) => !known.test(attribute)),
    )
    .map((line) => ({ line, reason: 'its value contains a semicolon, where browsers cut it' }));
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
