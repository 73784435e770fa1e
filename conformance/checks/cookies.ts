import { Cookie } from 'tough-cookie';
import type { Exchange } from '../http/record.ts';
import { isSuccess, statusOf } from '../http/response.ts';
import { maskCookie } from '../http/secrets.ts';
import { isLocalhost, type ApiCall } from '../http/simulated-browser.ts';
import type { RunContext } from '../people/run-context.ts';
import { activeSession, firstVisit, signInAsAnother, manyVisits } from '../people/visits.ts';
import { describeStatus, truncate } from '../problems/describe.ts';
import { fail, failIfAny, createProblem, type Problem } from '../problems/problem.ts';
import { isSameProject } from '../requests/lists.ts';
import { isListShared } from '../requests/owners.ts';
import { isUnauthorized } from '../requests/sign-ins.ts';
import { must, should, type Check } from './check.ts';
import {
  cookieName,
  lostName,
  reasonOfLoss,
  reasonOfShortLife,
  setCookieLines,
  setCookieNames,
} from '../problems/cookie-faults.ts';
import {
  changeCookie,
  cutEnd,
  describePath,
  forgeEnd,
  nextEncodedNumber,
  otherCookies,
  replaceEncoded,
} from '../requests/forged-cookies.ts';
import { expectVarying, findSessions, requireSessions } from '../requests/session-cookies.ts';

export const cookieChecks: Check[] = [
  /** Runs last, and inspects all responses of the run. */
  must('COOKIE-1', {
    title: 'Browsers store every cookie that the backend sets',
    requirement:
      'Send one Set-Cookie header per cookie, without Domain, for five minutes or longer. Add Secure only over https, and SameSite=None only together with Secure.',
    statements: ['CALL-3', 'CALL-4'],
    after: ['REACH-6'],
    inspects: true,
    async run(context) {
      const { list, create } = await firstVisit(context);
      const isBroken = isUnauthorized(list) || isUnauthorized(create);
      const sessionNames = (await findSessions(context)).flat().map(({ key }) => key);
      const neededNames = ['XSRF-TOKEN', ...sessionNames];
      const problems = new Map<string, Problem>();
      // While the session works, the app misses no other cookie.
      const isNeeded = (line: string) =>
        isBroken || sessionNames.length === 0 || neededNames.includes(cookieName(line));
      for (const exchange of context.http.exchanges) {
        const kept = setCookieLines(exchange).map((line) => ({
          line,
          reason: reasonOfLoss(exchange, line, isBroken) ?? reasonOfShortLife(exchange, line),
        }));
        for (const { line, reason } of [...exchange.rejectedCookies, ...kept]) {
          if (reason === undefined || !isNeeded(line)) continue;
          const description = `Browsers lose the cookie "${truncate(lostName(line), 20)}": ${reason}.`;
          const detail = `It is set as ${maskCookie(line)}.`;
          problems.set(reason, createProblem(description, [exchange], { detail }));
        }
      }
      failIfAny([...problems.values()]);
    },
  }),
  must('COOKIE-2', {
    title: 'The browser sends the session cookie to /api/v1/projects',
    requirement: 'Set Path=/. The default is the folder of the sign-in request, /api/v1/auth.',
    statements: ['CALL-3', 'CHOICE-9'],
    after: ['COOKIE-1', 'LEAK-4'],
    async run(context) {
      const { browser, login } = await context.signedInUser('ada');
      const names = setCookieNames(login.exchange);
      // A list may set one with this name and another path.
      const sent = browser.cookiesFor('/api/v1/projects');
      const unsent = browser
        .allCookies()
        .find(
          ({ key, path }) =>
            key !== 'XSRF-TOKEN' &&
            names.includes(key) &&
            !sent.some((each) => each.key === key && each.path === path),
        );
      if (!unsent || (await browser.listProjects()).outcome.ok) return;
      const control = context.newBrowser('ada, with every cookie');
      for (const cookie of sent) if (cookie.key !== unsent.key) control.setCookie(cookie, browser);
      control.setCookie(changeCookie(unsent, { path: '/' }), browser);
      if (isSuccess((await control.listProjects()).exchange))
        fail(
          `The session cookie is not sent to /api/v1/projects: it has ${describePath(unsent)}.`,
          [login],
          {
            detail: `It is "${unsent.key}".`,
            userSees: 'an empty list, and every new project is rejected',
          },
        );
    },
  }),
  should('COOKIE-3', {
    title: 'The session cookie is HttpOnly',
    requirement: 'Set HttpOnly, so that an injected script cannot steal the session.',
    statements: ['CALL-3'],
    after: ['COOKIE-2'],
    run: (context) => expectCookies(context, ({ httpOnly }) => !httpOnly && 'is not HttpOnly'),
  }),
  should('COOKIE-4', {
    title: 'The session cookie has SameSite=Lax or Strict',
    requirement: 'Set SameSite=Lax, so that other sites cannot submit forms as the user.',
    statements: ['CALL-3'],
    after: ['COOKIE-2'],
    run: (context) =>
      expectCookies(
        context,
        (cookie) =>
          !['lax', 'strict'].includes(cookie.sameSite ?? '') &&
          !isForOtherSite(context, cookie) &&
          'has neither SameSite=Lax nor SameSite=Strict',
      ),
  }),
  should('COOKIE-5', {
    title: 'The session cookie is Secure over https and only there',
    requirement:
      'Set Secure over https, otherwise the cookie leaks over http. Omit it over http, because Safari drops such a cookie even on localhost.',
    statements: ['CALL-3'],
    after: ['COOKIE-2'],
    run: (context) =>
      expectCookies(context, (cookie) =>
        context.origin.startsWith('https:')
          ? !cookie.secure && 'is not Secure over https'
          : cookie.secure &&
            isLocalhost(context.origin) &&
            !isForOtherSite(context, cookie) &&
            'is Secure over http, so Safari drops it',
      ),
  }),
  should('COOKIE-6', {
    title: 'A cookie from before a sign-in does not show the projects of the user',
    requirement:
      'Give the browser another session cookie at sign-in, and forget the old one. Otherwise an attacker who planted a cookie in the browser is signed in too (session fixation).',
    statements: ['CHOICE-47', 'CALL-3'],
    after: ['SIGNIN-9'],
    async run(context) {
      const session = (await requireSessions(context)).flat();
      const { email, password } = await context.registeredAccount('bob');
      const visitor = context.newBrowser('attacker');
      await visitor.listProjects();
      const planter = context.newBrowser('attacker');
      const value = `planted-${context.fixtures.runId}`;
      for (const cookie of session) planter.setCookie(changeCookie(cookie, { value }));
      const browsers = { "a visitor's cookie": visitor, 'an invented cookie': planter };
      for (const [kind, browser] of Object.entries(browsers)) {
        if (!browser.allCookies().some(({ key }) => session.some((own) => own.key === key)))
          continue;
        const before = await browser.clone('attacker, before').listProjects();
        const login = await browser.clone('victim').login(email, password);
        const after = await browser.clone('attacker, after').listProjects();
        if (!before.outcome.ok && login.outcome.ok && after.outcome.ok)
          fail(`After a sign-in from a browser with ${kind}, that cookie shows the user's list.`, [
            before,
            login,
            after,
          ]);
      }
      const { oldBrowser, login } = await signInAsAnother(context);
      const { create } = (await manyVisits(context)).find(({ name }) => name === 'olga')!;
      const list = await oldBrowser.listProjects();
      if (!login.outcome.ok || !create.outcome.ok || !list.outcome.ok) return;
      if (
        list.outcome.value.some(isSameProject(create.outcome.value)) &&
        !(await isListShared(context))
      )
        fail(
          "After another user's sign-in in a browser, its old cookie shows the list of that user.",
          [login, create, list],
        );
    },
  }),
  must('COOKIE-7', {
    title: 'An invented or changed session cookie is rejected',
    requirement:
      'Respond to a session cookie that the backend did not create as to none. Sign the value, or make it of 16 random bytes or more, so that it cannot be guessed.',
    statements: ['CHOICE-43', 'CHOICE-47'],
    after: ['SIGNIN-9'],
    async run(context) {
      const sessions = await requireSessions(context);
      const { create, browser: owner } = await activeSession(context);
      const [ada, bob] = ['ada', 'bob'].map(context.fixtures.email) as [string, string];
      const forgeries: [change: string, forge: (value: string, cookie: Cookie) => string][] = [
        [
          'with an invented value',
          // Each %55 stays the code of a letter.
          (value) => value.replaceAll(/[a-z0-9]/gi, '5').replace(/^5/, 'z'),
        ],
        ['without its last characters', (_, cookie) => cutEnd(context, cookie)],
        ['with other last characters', (_, cookie) => forgeEnd(context, cookie)],
        [withOtherEmail, (value) => replaceEncoded(value, ada, bob)],
        [withOtherNumber, nextEncodedNumber],
        [
          'with the next number, that of another session or user,',
          (value) => (/^\d{1,12}$/.test(value) ? String(Number(value) + 1) : value),
        ],
      ];
      for (const [change, forge] of forgeries)
        for (const session of sessions) {
          const forged = session.map((cookie) =>
            changeCookie(cookie, { value: forge(cookie.value, cookie) }),
          );
          const changed = forged.filter(({ value }, index) => value !== session[index]!.value);
          if (changed.length === 0) continue;
          const browser = context.newBrowser('forger');
          for (const cookie of forged) browser.setCookie(cookie, owner);
          const list = await browser.listProjects();
          const isPart = [withOtherEmail, withOtherNumber].includes(change);
          const isWhole = changed.length === session.length && !isPart;
          // A text that the backend does not use can change without an effect.
          const isForged =
            list.outcome.ok &&
            (isWhole ||
              (create.outcome.ok && !list.outcome.value.some(isSameProject(create.outcome.value))));
          const isFailure = async () =>
            statusOf(list.exchange) >= 500 &&
            statusOf((await context.newBrowser('visitor').listProjects()).exchange) < 500;
          if (isForged || (await isFailure()))
            fail(`The session cookie ${change} gets ${describeStatus(list.exchange)}, not 401.`, [
              context.http.exchanges.find((each) => setsCookie(each, changed[0]!)),
              list,
            ]);
        }
      for (const session of sessions) expectVarying(context, session);
    },
  }),
  must('COOKIE-8', {
    title: 'A cookie of another application on the same host changes nothing',
    requirement:
      'Ignore cookies that the backend did not set. Browsers send them to every port of a host, for example of localhost.',
    statements: ['CALL-3'],
    after: ['COOKIE-2'],
    async run(context) {
      const { browser, login } = await activeSession(context);
      const own = browser.allCookies();
      const others = [
        ...Object.entries(otherCookies).map(([key, value]) => ({ key, value, path: '/' })),
        // A second one with a name.
        { key: 'empty', value: 'no', path: '/api' },
        ...own.map(({ key }) => ({ key: `x${key}`, value: 'no', path: '/' })),
      ];
      const listBeside = async (cookies: typeof others) => {
        const other = context.newBrowser('ada, with a cookie of another application');
        // First, as older cookies are: a parser may fail before it comes to the session.
        for (const cookie of cookies) other.setCookie(new Cookie(cookie));
        for (const cookie of own) other.setCookie(cookie, browser);
        // Twice, because some lists may fail with any cookies.
        const list = await other.listProjects();
        return list.outcome.ok ? list : other.listProjects();
      };
      const all = await listBeside(others);
      if (all.outcome.ok || !(await browser.listProjects()).outcome.ok) return;
      const failure = (which: string, list: ApiCall) =>
        fail(`The list fails beside ${which}: ${describeStatus(list.exchange)}.`, [login, list]);
      for (const cookie of others) {
        const list = await listBeside([cookie]);
        if (!list.outcome.ok)
          failure(`another app's cookie ${new Cookie(cookie).cookieString()}`, list);
      }
      failure("another app's cookies", all);
    },
  }),
];

const withOtherEmail = 'with the email of another user';
const withOtherNumber = 'with the next number in its base64';

/** Fails when all cookies of a session have a fault, because one without it protects the others. */
async function expectCookies(context: RunContext, faultOf: (cookie: Cookie) => string | false) {
  const { login } = await context.signedInUser('ada');
  const problems = (await requireSessions(context)).map((session) => {
    const [cookie] = session;
    const fault = session.every(faultOf) && faultOf(cookie!);
    if (!fault) return undefined;
    return createProblem(`The session cookie "${cookie!.key}" ${fault}.`, [login]);
  });
  failIfAny(problems);
}

/** Whether a cookie has what a browser requires to send it from an app of another site. */
const isForOtherSite = ({ origin, appOrigin = origin }: RunContext, cookie: Cookie) =>
  new URL(appOrigin).hostname !== new URL(origin).hostname &&
  cookie.sameSite === 'none' &&
  cookie.secure;

const setsCookie = (exchange: Exchange, { key, value }: Cookie) =>
  setCookieLines(exchange).some((line) => line.startsWith(`${key}=${value};`));
