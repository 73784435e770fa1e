import type { Check } from './check.ts';
import { describeResponse } from '../describe.ts';
import { isClientError, messageOf, statusOf } from '../http/response.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import {
  firstVisit,
  isListPublic,
  isListShared,
  isUnauthorized,
  loginWithUnknownEmail,
  loginWithWrongPassword,
  requireSession,
} from '../probes.ts';
import type { SignedInUser } from '../run-context.ts';
import { Blocked, blockOnServerError, fail, failIfAny, problem, skip } from '../verdict.ts';

export const signInChecks: Check[] = [
  {
    id: 'SIGNIN-1',
    level: 'MUST',
    title: 'A wrong password does not sign in',
    requirement:
      'The app knows success from failure by the status alone: a wrong password is answered outside 200 to 299 (401), whatever the body says.',
    statements: ['AUTH-5', 'ERROR-1', 'CHOICE-16'],
    async run(context) {
      expectRefused('A wrong password', await loginWithWrongPassword(context));
    },
  },
  {
    id: 'SIGNIN-2',
    level: 'MUST',
    title: 'An unknown email does not sign in',
    requirement:
      'An email without an account is answered outside 200 to 299 (401), as a wrong password is.',
    statements: ['AUTH-5', 'ERROR-1', 'CHOICE-16'],
    async run(context) {
      expectRefused('An email that nobody registered', await loginWithUnknownEmail(context));
    },
  },
  {
    id: 'SIGNIN-3',
    level: 'MUST',
    title: 'A password that is nearly right does not sign in',
    requirement: 'A password counts as a whole, in the case it was typed in.',
    statements: ['AUTH-5', 'ENTITY-4'],
    async run(context) {
      const account = await context.registeredAccount('cleo');
      const { email, password } = account;
      const near: [string, string][] = [
        ['in capital letters', password.toUpperCase()],
        ['without its last character', password.slice(0, -1)],
        ['with a letter more', `${password}x`],
      ];
      const found = [];
      for (const [how, other] of near) {
        const call = await context.newBrowser('cleo').login(email, other);
        if (call.outcome.ok)
          found.push(problem(`The password ${how} signs in too.`, [account.registration, call]));
      }
      failIfAny(found);
    },
  },
  {
    id: 'SIGNIN-4',
    level: 'SHOULD',
    title: 'A wrong password and an unknown email get the same answer',
    requirement:
      'The same status and the same message: otherwise anybody can find out who has an account.',
    statements: ['ERROR-1', 'AUTH-5'],
    async run(context) {
      const [wrong, unknown] = [
        await loginWithWrongPassword(context),
        await loginWithUnknownEmail(context),
      ];
      if (wrong.outcome.ok || unknown.outcome.ok) skip('one of them signs in');
      const same =
        statusOf(wrong.exchange) === statusOf(unknown.exchange) &&
        messageOf(wrong.exchange) === messageOf(unknown.exchange);
      if (!same) {
        fail(
          `A wrong password is answered with ${describeResponse(wrong.exchange)}, an unknown email with ${describeResponse(unknown.exchange)}.`,
          [wrong, unknown],
        );
      }
    },
  },
  {
    id: 'SIGNIN-5',
    level: 'SHOULD',
    title: 'A wrong password and an unknown email take the same time',
    requirement:
      'An unknown email costs as much hashing as a wrong password: otherwise the time tells who has an account.',
    statements: ['AUTH-5'],
    async run(context) {
      const account = await context.registeredAccount('dora');
      const { password } = account;
      // The shortest of each: whatever else the machine does only ever adds to it. A suspicion is looked into further.
      let [wrong, unknown] = [Infinity, Infinity];
      const isTold = () => wrong - unknown > 15 && wrong > 3 * unknown;
      for (let round = 0; round < 9; round++) {
        if (round > 0 && round % 3 === 0) {
          if (!isTold()) return;
          await context.newBrowser('dora').login(account.email, password);
        }
        const known = await context.newBrowser('dora').login(account.email, `${password}?`);
        const email = context.fixtures.email(`nobody${round}`);
        const nobody = await context.newBrowser('dora').login(email, `${password}?`);
        // What was throttled says nothing.
        if (statusOf(known.exchange) === 429 || statusOf(nobody.exchange) === 429) {
          skip('signing in is throttled');
        }
        wrong = Math.min(wrong, known.exchange.durationMs);
        unknown = Math.min(unknown, nobody.exchange.durationMs);
      }
      if (isTold()) {
        fail(
          `A wrong password takes ${Math.round(wrong)} ms, an unknown email ${Math.round(unknown)} ms: the time tells which emails have an account.`,
        );
      }
    },
  },
  {
    id: 'SIGNIN-6',
    level: 'MUST',
    title: 'Who has signed in works with projects by cookies alone',
    requirement:
      'The app keeps no token and sends no Authorization header: signing in has to leave a cookie by which GET and POST /api/v1/projects know the person.',
    statements: ['APP-2', 'CALL-3', 'CHOICE-9'],
    async run(context) {
      const { user, list, create } = await firstVisit(context);
      const cookies = user.browser.cookiesFor('/api/v1/projects').map(({ key }) => key);
      const why = cookies.length === 0 ? noCookie(user) : `Cookies sent: ${cookies.join(', ')}.`;
      failIfAny([
        ...(isUnauthorized(list)
          ? [
              problem(
                `After signing in, the list is refused with ${describeResponse(list.exchange)}. ${why}`,
                [list],
              ),
            ]
          : []),
        ...(isUnauthorized(create)
          ? [
              problem(
                `After signing in, creating a project is refused with ${describeResponse(create.exchange)}. ${why}`,
                [create],
              ),
            ]
          : []),
      ]);
    },
  },
  {
    id: 'SIGNIN-7',
    level: 'MUST',
    title: 'Signing in elsewhere leaves the first session alone',
    requirement:
      'One person may use two browsers: the second sign-in does not end the first session. In the first browser the app would show an empty list and say nothing.',
    statements: ['CHOICE-9', 'CALL-3'],
    async run(context) {
      const first = await context.signedInUser('bob');
      const before = await first.browser.listProjects();
      if (!before.outcome.ok) skip('the list cannot be fetched');
      const second = await context.signIn(first);
      const after = await first.browser.listProjects();
      if (!after.outcome.ok) {
        fail(
          `After the same person signed in in a second browser, the first one's list is answered with ${describeResponse(after.exchange)}.`,
          [...before.exchanges, ...second.login.exchanges, ...after.exchanges],
          'in the first browser, an empty list: "No projects to show."',
        );
      }
    },
  },
  {
    id: 'SIGNIN-8',
    level: 'MUST',
    title: 'Two sign-ins of one person at once both succeed',
    requirement: 'Sign-ins side by side, in two browsers, give two sessions that both work.',
    statements: ['AUTH-3', 'CALL-3'],
    async run(context) {
      await requireSession(context);
      const account = await context.registeredAccount('bob');
      const browsers = [context.newBrowser('bob'), context.newBrowser('bob')];
      const logins = await Promise.all(
        browsers.map((one) => one.login(account.email, account.password)),
      );
      for (const login of logins) {
        if (!login.outcome.ok)
          fail(
            `Of two sign-ins at once, one is answered with ${describeResponse(login.exchange)}.`,
            [account.registration, login],
          );
      }
      const open = await isListPublic(context);
      for (const [index, browser] of browsers.entries()) {
        const list = await browser.listProjects();
        if (isClientError(list.exchange) && !open) {
          fail(
            `Of two sign-ins at once, one leaves a session that does not work: its list is answered with ${describeResponse(list.exchange)}.`,
            [account.registration, logins[index], list],
          );
        }
      }
    },
  },
  {
    id: 'SIGNIN-9',
    level: 'MUST',
    title: 'Somebody else can sign in in the same browser, and works as themselves at once',
    requirement:
      'There is no signing out: who signs in in a browser that has a session takes its place, with cookies (and an XSRF token) that work from the next call on.',
    statements: ['CHOICE-47', 'HEADER-7', 'CALL-4'],
    async run(context) {
      await requireSession(context, 'list and create');
      const first = await context.newSession('ada');
      const browser = first.browser.clone('ada, then olga');
      const account = await context.registeredAccount('olga');
      const login = await browser.login(account.email, account.password);
      const setup = [...account.registration.exchanges, ...login.exchanges];
      if (!login.outcome.ok) {
        fail(
          `Signing in in a browser that has a session is answered with ${describeResponse(login.exchange)}.`,
          [...first.login.exchanges, ...setup],
          undefined,
        );
      }
      await browser.listProjects();
      const create = await browser.createProject(context.fixtures.project('of olga'));
      if (
        !create.outcome.ok &&
        statusOf(create.exchange) < 500 &&
        statusOf(create.exchange) >= 400
      ) {
        fail(
          `Right after signing in in a browser that had a session, creating a project is refused with ${describeResponse(create.exchange)}.`,
          [...first.login.exchanges, ...setup, ...create.exchanges],
          sees(create),
        );
      }
      if (!create.outcome.ok) skip('no project can be created');
      const id = String((create.outcome.value as { id: string | number }).id);
      const olga = await context.signIn(account);
      const own = await projectIds(olga.browser);
      const firsts = await projectIds((await context.signedInUser('ada')).browser);
      if (own && !own.includes(id)) {
        fail(
          'What was created after somebody else signed in in the same browser is not theirs: the old session went on.',
          [...first.login.exchanges, ...setup, ...create.exchanges],
          "the new person's project in somebody else's list",
        );
      }
      if (firsts && own && firsts.includes(id) && !(await isListShared(context))) {
        fail(
          "What was created after somebody else signed in in the same browser is in the first person's list.",
          [...setup, ...create.exchanges],
        );
      }
    },
  },
  {
    id: 'SIGNIN-10',
    level: 'SHOULD',
    title: 'A failed sign-in leaves the session that the browser has',
    requirement: 'A mistyped password is no signing out: the list still loads afterwards.',
    statements: ['CHOICE-9', 'AUTH-5'],
    async run(context) {
      const user = await context.newSession('bob');
      const { browser } = user;
      const before = await browser.listProjects();
      if (!before.outcome.ok) skip('the list cannot be fetched');
      const failed = await browser.login(user.email, `${user.password}?`);
      const after = await browser.listProjects();
      blockOnServerError(after);
      if (!after.outcome.ok)
        fail(
          `After a failed sign-in, the list of who was signed in is answered with ${describeResponse(after.exchange)}.`,
          [...user.login.exchanges, ...failed.exchanges, ...after.exchanges],
          'an empty list: "No projects to show."',
        );
    },
  },
  {
    id: 'SIGNIN-11',
    level: 'MUST',
    title: 'A browser with the cookies of a session that has ended can sign in',
    requirement:
      'Who comes back after a while still has old cookies, and the app repeats the old XSRF token: signing in has to work all the same (at the latest the second time, with cookies given with the refusal).',
    statements: ['CALL-5', 'CALL-4', 'AUTH-3'],
    async run(context) {
      await requireSession(context);
      const user = await context.signedInUser('bob');
      const browser = staleTwin(user);
      let login = await browser.login(user.email, user.password);
      if (!login.outcome.ok) login = await browser.login(user.email, user.password);
      if (!login.outcome.ok) {
        fail(
          `With cookies of a session that does not exist any more, signing in is answered with ${describeResponse(login.exchange)}, again and again: the person is locked out until the cookies expire.`,
          [...user.registration.exchanges, ...login.exchanges],
          sees(login),
        );
      }
      const list = await browser.listProjects();
      if (isClientError(list.exchange)) {
        fail(
          `After signing in in a browser with old cookies, the list is answered with ${describeResponse(list.exchange)}.`,
          [...login.exchanges, ...list.exchanges],
        );
      }
    },
  },
  {
    id: 'SIGNIN-12',
    level: 'MUST',
    title: 'A session lasts from call to call',
    requirement:
      'A session is good for many calls, one after another, with the cookies that came last.',
    statements: ['CHOICE-9', 'CALL-3'],
    async run(context) {
      const { browser, login } = await context.newSession('ada');
      const first = await browser.listProjects();
      if (!first.outcome.ok) skip('the list cannot be fetched');
      for (let calls = 2; calls <= 10; calls++) {
        const list = await browser.listProjects();
        if (!list.outcome.ok && !isClientError(list.exchange))
          throw new Blocked(describeResponse(list.exchange));
        if (!list.outcome.ok) {
          fail(
            `The session that signing in gave is over after a few calls: list number ${calls} is answered with ${describeResponse(list.exchange)}.`,
            [login, list],
          );
        }
      }
    },
  },
];

function expectRefused(what: string, call: ApiCall) {
  if (call.outcome.ok)
    fail(
      `${what} is answered with ${describeResponse(call.exchange)}, which is a success to the app.`,
      [call],
    );
  if (!isClientError(call.exchange))
    fail(`${what} is answered with ${describeResponse(call.exchange)}, and not with a refusal.`, [
      call,
    ]);
}

/** A browser whose session cookies mean nothing any more. */
function staleTwin(user: SignedInUser): SimulatedBrowser {
  const twin = user.browser.clone(`${user.name}, with old cookies`);
  for (const cookie of twin.allCookies()) {
    if (cookie.key === 'XSRF-TOKEN') continue;
    cookie.value = cookie.value.split('').toReversed().join('');
    twin.setCookie(cookie);
  }
  return twin;
}

function noCookie({ login }: SignedInUser): string {
  const keys = /"(\w*token\w*|jwt)"/i.exec(login.exchange.response?.text ?? '')?.[1];
  const token = keys
    ? ` The answer to signing in has "${keys}" in its body, and the app uses nothing of that body.`
    : '';
  return `Signing in has left no cookie that is sent to /api/v1/projects.${token}`;
}

const sees = (call: ApiCall) =>
  call.outcome.ok === false ? `red banner: "${call.outcome.message}"` : undefined;

async function projectIds(browser: SimulatedBrowser): Promise<string[] | undefined> {
  const list = await browser.listProjects();
  return list.outcome.ok
    ? (list.outcome.value as { id: string | number }[]).map(({ id }) => String(id))
    : undefined;
}
