import { Blocked } from '../http/record.ts';
import { lateMs } from '../http/clock.ts';
import { isClientError, statusOf } from '../http/response.ts';
import type { ApiCall } from '../http/simulated-browser.ts';
import {
  firstVisit,
  signInAsAnother,
  takeSession,
  manyVisits,
  type Visit,
} from '../people/visits.ts';
import { countIn, describeStatus } from '../problems/describe.ts';
import { noteOnlyCookie } from '../problems/cookie-faults.ts';
import { expectSuccess, fail, skip } from '../problems/problem.ts';
import { createListed, isSameProject, listOrBlock, unshown } from '../requests/lists.ts';
import {
  blockOnFlapping,
  expectPlain,
  isUnauthorized,
  sendExistingEmail,
  sendWrongPassword,
  type Send,
} from '../requests/sign-ins.ts';
import { must, type Check } from './check.ts';
import { specialCharacters } from '../requests/forged-cookies.ts';
import {
  describeMissingCookie,
  expectSession,
  rejectedCallOf,
  requireSession,
} from '../requests/sessions.ts';

export const sessionChecks: Check[] = [
  must('SIGNIN-6', {
    title: 'Cookies alone authenticate a signed-in user',
    requirement:
      'Set a cookie at sign-in that authenticates GET and POST /api/v1/projects, without Secure over http: some frameworks send no such cookie then. The app sends no Authorization header.',
    statements: ['APP-2', 'CALL-3', 'CHOICE-9'],
    after: ['XSRF-3', 'SIGNIN-13'],
    async run(context) {
      const visit = await firstVisit(context);
      const call = [visit.list, visit.create].find(isUnauthorized);
      if (!call) return;
      await blockOnFlapping(call, visit.signedInBrowser, visit.browser);
      const others = await manyVisits(context);
      if (others.some(({ list, create }) => ![list, create].some(isUnauthorized)))
        throw new Blocked({
          words: 'a session has ended, but a new one works',
          exchange: call.exchange,
        });
      const sent = visit.browser.cookiesFor('/api/v1/projects').map(({ key }) => key);
      if (!sent.some((key) => key !== 'XSRF-TOKEN'))
        fail(describeMissingCookie(visit), [visit.login, call], {
          detail: noteOnlyCookie(visit.login.exchange),
        });
      if (call === visit.list && sent.includes('XSRF-TOKEN')) await expectXsrfCookie(visit);
      fail(
        `After signing in, ${nameOf(call)} is refused: ${describeStatus(call.exchange)}.`,
        [call],
        {
          detail: `The browser sends the cookies ${sent.join(', ')}.`,
          requirement:
            'Accept the session cookie that the sign-in set. Look at when it ends, in which unit, with what it is signed, and where sessions are stored.',
        },
      );
    },
  }),
  must('SIGNIN-16', {
    title: 'What others do in another browser keeps the sessions of a user',
    requirement:
      'End no session because of a request from another browser. Otherwise any visitor can sign users out, and the app shows them an empty list without a message.',
    statements: ['CHOICE-9', 'CALL-3'],
    after: ['COOKIE-2', 'SIGNIN-17'],
    async run(context) {
      const user = await context.newSession('ada');
      const stranger = context.newBrowser('stranger');
      for (const [event, send] of Object.entries(foreignRequests)) {
        const failure = `After ${event} in another browser, a user's list fails`;
        await expectSession(user, () => send(context, stranger), failure);
      }
    },
  }),
  must('SIGNIN-7', {
    title: 'Signing in from a second browser keeps the first session',
    requirement:
      'Keep several sessions per user. If a sign-in ends the first session, the app shows an empty list there without a message.',
    statements: ['CHOICE-9', 'CALL-3'],
    after: ['SIGNIN-14'],
    async run(context) {
      const signInAgain = async () => (await context.newSession('bob')).login;
      const failure = 'After a sign-in from a second browser, the list of the first one fails';
      await expectSession(await context.signedInUser('bob'), signInAgain, failure);
    },
  }),
  must('SIGNIN-15', {
    title: 'Each sign-in creates a session that can list and create',
    requirement:
      'Make every session work from the response to its sign-in on, also one whose random token has a + / or =. Quote no cookie value, and decode none that is not encoded.',
    statements: ['APP-2', 'CALL-3', 'CALL-9'],
    after: ['SIGNIN-6', 'SIGNIN-20'],
    async run(context) {
      const visits = await manyVisits(context);
      const { found: failed, words } = countIn(visits, rejectedCallOf);
      const [visit] = failed;
      if (!visit) return;
      const call = rejectedCallOf(visit)!;
      await context.http.clock.sleep(lateMs);
      const isLate = call === visit.list && (await visit.browser.listProjects()).outcome.ok;
      // A failure that every visit has is the finding of another check.
      if (failed.length === visits.length && !isLate) {
        await blockOnFlapping(call, visit.signedInBrowser, visit.browser);
        throw new Blocked({ words: 'every session is refused', exchange: call.exchange });
      }
      if (statusOf(call.exchange) === 409)
        await expectPlain<unknown>(context, call, 'A new project is refused', [visit.login]);
      const usual = visits.filter((other) => !failed.includes(other)).flatMap(cookieValuesOf);
      const odd = failed.map((each) => specialCharacters(cookieValuesOf(each), usual));
      const which = isLate
        ? ', and works 1 s later'
        : odd.every(Boolean)
          ? `: those whose cookies contain ${[...new Set(odd.join(' ').split(' '))].join(' ')}`
          : '';
      fail(`After ${words} sign-ins, ${nameOf(call)} is refused${which}.`, [visit.login, call]);
    },
  }),
  must('SIGNIN-8', {
    title: 'Two concurrent sign-ins of a user both succeed',
    requirement:
      'Create a valid session for each of several sign-ins at once, of one user or of two.',
    statements: ['AUTH-3', 'CALL-3'],
    after: ['SIGNIN-9'],
    async run(context) {
      await requireSession(context);
      const names = ['bob', 'olga', 'bob', 'bob', 'bob'];
      const accounts = await Promise.all(names.map(context.registeredAccount));
      const signInAtOnce = async () => {
        const browsers = names.map(context.newBrowser);
        const calls = await Promise.all(
          accounts.map(({ email, password }, index) => browsers[index]!.login(email, password)),
        );
        const lists = [];
        for (const browser of browsers) lists.push(await browser.listProjects());
        const failed: ApiCall | undefined =
          calls.find(({ outcome }) => !outcome.ok) ?? lists.find(isUnauthorized);
        const others = calls.filter((call) => call !== failed);
        return failed && { failed, exchanges: [accounts[0]!.registration, ...others] };
      };
      // Twice, because whether they meet is chance.
      const found = (await signInAtOnce()) ?? (await signInAtOnce());
      if (!found) return;
      // A control: one sign-in alone creates a session.
      const { browser } = await context.newSession('bob');
      const alone = await browser.listProjects();
      if (isUnauthorized(alone)) throw unshown(alone);
      const failure = 'Of five sign-ins at once, of two users, at least one creates no session';
      expectSuccess(found.failed, failure, found.exchanges);
    },
  }),
  must('SIGNIN-9', {
    title: 'Another user can sign in from the same browser and takes over at once',
    requirement:
      'Replace the session of the browser at sign-in, with cookies (and an XSRF token) that work from the next request on. The app has no sign-out.',
    statements: ['CHOICE-47', 'HEADER-7', 'CALL-4'],
    after: ['PROJECT-8'],
    async run(context) {
      await requireSession(context, 'list and create');
      const { first, browser, oldToken, account, login } = await signInAsAnother(context);
      const setup = [first.login, account.registration];
      expectSuccess(login, 'Another user cannot sign in from a browser with a session', setup);
      await browser.listProjects();
      const create = await browser.createProject(context.fixtures.project('of olga'));
      const isOld = browser.xsrfToken() !== undefined && browser.xsrfToken() === oldToken;
      const failure = `After another user signed in from a browser, a project${isOld ? ' with the old XSRF-TOKEN, which nothing replaced,' : ''} fails`;
      const sent = browser.cookiesFor(create.exchange.request.path);
      const isDeleted = sent.every(({ key }) => key === 'XSRF-TOKEN');
      if (isClientError(create.exchange) && isDeleted)
        fail('After another user signed in from a browser, it has no session cookie.', [
          ...setup,
          login,
          create,
        ]);
      if (isClientError(create.exchange)) expectSuccess(create, failure, [...setup, login]);
      if (!create.outcome.ok) skip('no project can be created');
      const second = await takeSession(context, 'olga');
      const project = create.outcome.value;
      const own = await listOrBlock(context, second.browser);
      if (own.projects.some(isSameProject(project))) return;
      const list = await (await context.newSession(first.name)).browser.listProjects();
      const isOfFirst = list.outcome.ok && list.outcome.value.some(isSameProject(project));
      // A control: in a browser of her own, the next list has a project.
      if (!isOfFirst)
        await createListed(context, (await context.newSession('olga')).browser, 'of olga alone');
      const what = isOfFirst ? 'projects of that other user' : 'a project that the next list lacks';
      fail(
        `A user who signs in after another one in a browser creates ${what}.`,
        [...setup, login, list, own.call, create],
        { lacks: project },
      );
    },
  }),
];

/** Fails if the list that is refused with the XSRF-TOKEN cookie is accepted without it. */
async function expectXsrfCookie({ browser, login, list }: Visit) {
  const cookies = browser.cookiesFor('/api/v1/projects').filter(({ key }) => key !== 'XSRF-TOKEN');
  const headers = { cookie: cookies.map((cookie) => cookie.cookieString()).join('; ') };
  const alone = await browser.listProjects({ headers, isAppRequest: false });
  if (alone.outcome.ok)
    fail(
      'After signing in, the list is refused, and works without the cookie XSRF-TOKEN.',
      [login, alone, list],
      { requirement: 'Find the session cookie by its name, wherever it stands among others.' },
    );
}

const foreignRequests: Record<string, Send> = {
  'a wrong password': sendWrongPassword,
  async 'a registration of the same email'(context, browser) {
    const call = await sendExistingEmail(context, browser);
    if (!call.outcome.ok) return call;
    throw new Blocked({ words: 'an email can register again', checks: ['ACCOUNT-7'] });
  },
  'the sign-in of another user': async ({ newSession }) => (await newSession('cleo')).login,
  'the registration of another user': ({ fixtures }, browser) =>
    browser.registerUser(fixtures.email('stranger'), fixtures.password('stranger')),
};

const nameOf = ({ operation }: ApiCall) =>
  operation === 'listProjects' ? 'the list' : 'a new project';

const cookieValuesOf = ({ browser }: Visit) => browser.allCookies().map(({ value }) => value);
