import { Blocked, type Exchange } from '../http/record.ts';
import { emailOf, hasSucceeded, isClientError, messageOf, statusOf } from '../http/response.ts';
import type { ApiCall } from '../http/simulated-browser.ts';
import { firstVisit } from '../people/visits.ts';
import { setCookieNames } from '../problems/cookie-faults.ts';
import { describeResponse, describeStatus } from '../problems/describe.ts';
import { failOnFaults } from '../problems/fail-on-faults.ts';
import { expectSuccess, fail } from '../problems/problem.ts';
import { judgeSpecial } from '../problems/special.ts';
import { isSameProject } from '../requests/lists.ts';
import { findSessions } from '../requests/session-cookies.ts';
import {
  isUnauthorized,
  loginWithUnknownEmail,
  loginWithWrongPassword,
  mistypingVisitor,
  wrongSignIn,
} from '../requests/sign-ins.ts';
import { isListPublic, listAsManyVisitors } from '../requests/visitors.ts';
import { must, should, type Check } from './check.ts';

export const signInChecks: Check[] = [
  must('SIGNIN-1', {
    title: 'A wrong password does not sign in',
    requirement:
      'Respond with a status 4xx (401) and a message. Any 2xx signs the user in, whatever its body.',
    statements: ['AUTH-5', 'ERROR-1', 'CHOICE-16'],
    after: ['REACH-6'],
    async run(context) {
      const call = await loginWithWrongPassword(context);
      const { login } = await context.signedInUser('ada');
      // The plain twin has not signed in before.
      await judgeSpecial<ApiCall | undefined, ApiCall>(call, undefined, async (special) => {
        if (special?.outcome.ok)
          fail('A wrong password signs in after the right one did.', [login, call], {
            cause: wrongSignIn(call, 'a wrong password'),
            requirement: 'Compare the password at each sign-in, also when a cache has the account.',
          });
        if (special) return special;
        const { email, password } = await context.registeredAccount('unused');
        const plain = await context.newBrowser('stranger').login(email, `wrong-${password}`);
        return expectRejection('A wrong password', plain);
      });
      expectRejection('A wrong password', call);
      const visit = await firstVisit(context).catch(() => undefined);
      if (!visit?.create.outcome.ok || (await isListPublic(context))) return;
      const list = await (await mistypingVisitor(context)).listProjects();
      if (!list.outcome.ok || !list.outcome.value.some(isSameProject(visit.create.outcome.value)))
        return;
      const visitors = await listAsManyVisitors(context);
      if (!visitors.some(({ outcome }) => outcome.ok))
        fail('A wrong password is refused, but its cookies show the projects of the user.', [
          visit.create,
          call,
          list,
        ]);
    },
  }),
  must('SIGNIN-2', {
    title: 'An unknown email does not sign in',
    requirement: 'Respond to an unknown email as to a wrong password, outside 2xx (401).',
    statements: ['AUTH-5', 'ERROR-1', 'CHOICE-16'],
    after: ['REACH-6'],
    async run(context) {
      const unknown = await loginWithUnknownEmail(context);
      expectRejection('An unknown email', unknown);
      const { email, password } = await context.registeredAccount('ada');
      // Where emails are compared with LIKE, "_" stands for any character.
      const call = await context.newBrowser('stranger').login(email.replace('d', '_'), password);
      const special = 'An email with "_" for a letter of an account\'s email';
      await judgeSpecial(special, 'An unknown email', async (words) =>
        expectRejection(words, words === special ? call : unknown),
      );
    },
  }),
  should('SIGNIN-4', {
    title: 'A wrong password and an unknown email get the same response',
    requirement: 'Respond with the same status and message, so that no account is revealed.',
    statements: ['ERROR-1', 'AUTH-5'],
    after: ['SIGNIN-1', 'SIGNIN-2'],
    async run(context) {
      const wrong = await loginWithWrongPassword(context);
      const unknown = await loginWithUnknownEmail(context);
      for (const { exchange } of [wrong, unknown])
        if (!isClientError(exchange))
          throw new Blocked({ words: 'a wrong sign-in is not refused', exchange });
      // A message may repeat the email.
      const [one, other] = [wrong, unknown].map(
        ({ exchange }) =>
          `${statusOf(exchange)} ${messageOf(exchange)?.replaceAll(emailOf(exchange)!, '')}`,
      );
      if (one !== other)
        fail(
          'A wrong password and an unknown email are refused in different ways.',
          [wrong, unknown],
          { detail: `A wrong password gets ${describeResponse(wrong.exchange)}.` },
        );
    },
  }),
  should('SIGNIN-5', {
    title: 'A wrong password and an unknown email take the same time',
    requirement: 'Hash a password for unknown emails too, so that the time reveals no account.',
    statements: ['AUTH-5'],
    after: ['SIGNIN-1', 'SIGNIN-2'],
    async run(context) {
      const wrong: ApiCall[] = [];
      const unknown: ApiCall[] = [];
      // Once each, so that the backend locks no account.
      for (const name of ['ada', 'olga', 'tess', 'cleo', 'dora', 'erin']) {
        const { email, password } = await context.registeredAccount(name);
        wrong.push(await context.newBrowser(name).login(email, `${password}?`));
        const unknownEmail = context.fixtures.email(`unknown${name}`);
        unknown.push(await context.newBrowser(name).login(unknownEmail, `${password}?`));
      }
      const timesOf = (calls: ApiCall[]) => calls.map(({ exchange }) => exchange.durationMs);
      const longerMs = Math.min(...timesOf(wrong)) - Math.max(...timesOf(unknown));
      if (longerMs > 15)
        fail(
          `Each of six wrong passwords takes at least ${Math.floor(longerMs)} ms longer than each of six unknown emails.`,
          [...wrong.slice(-1), ...unknown.slice(-1)],
          { detail: 'So the time reveals which emails have an account.' },
        );
      // Other load only adds to a time.
      if (Math.min(...timesOf(wrong)) - Math.min(...timesOf(unknown)) > 15)
        throw new Blocked({ words: 'the times of unknown emails vary too much' });
    },
  }),
  must('SIGNIN-19', {
    title: 'Wrong passwords end no session, and a lock says so',
    requirement:
      'Respond to an account that is locked with 429 and Retry-After, or with a message of its own. Otherwise users take their right password for a wrong one. Keep their sessions.',
    statements: ['AUTH-5', 'ERROR-1'],
    after: ['SIGNIN-17', 'ERR-24'],
    async run(context) {
      const user = await context.signedInUser('forgetful');
      const { email, password, registration } = user;
      const browser = context.newBrowser('forgetful');
      const wrong: ApiCall[] = [];
      const signIn = (typed: string) =>
        browser.call('login', { email, password: typed }, { mayBeLocked: true });
      for (let count = 1; count <= 6; count++) wrong.push(await signIn(`${password}?`));
      const after = await user.browser.listProjects();
      if (user.list.outcome.ok && isUnauthorized(after))
        expectSuccess(after, "After six wrong passwords in another browser, a user's list fails", [
          user.list,
          ...wrong,
        ]);
      const right = await signIn(password);
      const messages = [wrong[0]!, right].map(({ exchange }) => messageOf(exchange));
      if (!right.outcome.ok && messages[0] === messages[1])
        expectSuccess(right, 'After six wrong passwords, the right one is refused as a wrong one', [
          registration,
          ...wrong,
        ]);
    },
  }),
  must('SIGNIN-20', {
    title: 'Each sign-in of a browser without cookies sets the same cookies',
    requirement:
      'Set the session cookie and XSRF-TOKEN in each response to a sign-in. Keep what grows on the server: a cookie has 4096 bytes. Share no object between requests.',
    statements: ['CALL-3', 'CALL-4'],
    after: ['COOKIE-1'],
    inspects: true,
    async run(context) {
      const first = setCookieNames((await context.signedInUser('ada')).login.exchange);
      const sessionNames = (await findSessions(context)).flat().map(({ key }) => key);
      const needed = ['XSRF-TOKEN', ...sessionNames].filter((name) => first.includes(name));
      const { exchanges } = context.http;
      // Any other may be a refusal with the status 200.
      const isRight = (login: Exchange) =>
        hasSucceeded(login, '/login') &&
        setCookieNames(login).length > 0 &&
        exchanges.some(
          (each) => hasSucceeded(each, '/register') && each.request.body === login.request.body,
        );
      failOnFaults(
        exchanges.filter(isRight),
        ({ isAppRequest, cookies }) => isAppRequest && cookies.length === 0,
        (exchange) => {
          const missing = needed.find((name) => !setCookieNames(exchange).includes(name));
          return missing && `sets no cookie "${missing}", which the first sign-in sets`;
        },
      );
    },
  }),
];

/** Fails if wrong credentials sign in, or make the backend fail. Returns the refusal. */
function expectRejection(credentials: string, call: ApiCall): ApiCall {
  const response = `${credentials} gets ${describeStatus(call.exchange)}`;
  const cause = wrongSignIn(call, credentials);
  if (call.outcome.ok) fail(`${response}, which signs the user in.`, [call], { cause });
  if (!isClientError(call.exchange)) fail(`${response}, not 4xx.`, [call], { cause });
  return call;
}
