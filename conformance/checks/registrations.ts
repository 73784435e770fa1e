import { Blocked, type Exchange } from '../http/record.ts';
import { parseJson, statusOf } from '../http/response.ts';
import { oncePerRun, type RunContext } from '../people/run-context.ts';
import { takeSession } from '../people/visits.ts';
import { countIn, describeStatus } from '../problems/describe.ts';
import {
  createProblem,
  decisiveLast,
  expectSuccess,
  fail,
  failIfAny,
  skip,
} from '../problems/problem.ts';
import { createListed, expectListed } from '../requests/lists.ts';
import { expectSession } from '../requests/sessions.ts';
import { registerAgain } from '../requests/sign-ins.ts';
import { must, should, type Check } from './check.ts';
import { signInAs, signInWithOtherCase } from '../requests/account-cases.ts';

/** Registers with a password of 8 characters of each kind. */
const registerEight = (context: RunContext) =>
  context.tryRegister('eight', { password: 'aB3$xY7!' });

/** Returns small letters that no dictionary has. */
const lettersOf = (password: string) =>
  Array.from(password, (each) => String.fromCodePoint(97 + (each.codePointAt(0)! % 26))).join('');

/** Registers the email of an account in capital letters, with another password. */
const registerOtherCase = oncePerRun(async (context) => {
  const { email, password, registration } = await context.registeredAccount('eight');
  const browser = context.newBrowser('eight');
  const call = await browser.registerUser(email.toUpperCase(), `${password}-other`);
  const signIn = () => context.newBrowser('eight').login(email, password);
  return { registration, call, signIn };
});

export const registrationChecks: Check[] = [
  must('ACCOUNT-3', {
    title: 'A password of 8 characters is accepted',
    requirement:
      'Accept 8 characters, the minimum of the app. The app shows no message when registering fails, so the user would be stuck.',
    statements: ['CONST-2', 'VALID-3', 'AUTH-10'],
    after: ['SIGNIN-17'],
    async run(context) {
      const { registration: plain } = await context.signedInUser('ada');
      const { registration } = await registerEight(context);
      const failure = 'Registering with 8 characters (both cases, digits, symbols) fails';
      expectSuccess(registration, failure, [], { plain });
    },
  }),
  must('ACCOUNT-23', {
    title: 'A password of small letters is accepted',
    requirement:
      'Require no capitals, digits or symbols. The app does not, and shows no message when registering fails, so the user would be stuck.',
    statements: ['VALID-3', 'AUTH-10'],
    after: ['SIGNIN-17'],
    async run(context) {
      const { registration: plain } = await registerEight(context);
      await context.registeredAccount('ada');
      if (!plain.outcome.ok) skip('8 characters of each kind cannot register');
      const password = lettersOf(context.fixtures.password('plain')).slice(0, 8);
      const { registration } = await context.tryRegister('plain', { password });
      const failure = 'A password of 8 small letters is refused, and one with each kind is not';
      expectSuccess(registration, failure, [plain], { plain });
    },
  }),
  should('ACCOUNT-22', {
    title: 'A registration does not choose its role',
    requirement:
      'Read only the email and the password of a registration, so that nobody becomes an administrator by a field more.',
    statements: ['CHOICE-46', 'CALL-7'],
    after: ['SIGNIN-17'],
    async run(context) {
      const { registration } = await context.registeredAccount('ada');
      const { fixtures } = context;
      const json = { email: fixtures.email('climber'), password: fixtures.password('climber') };
      const browser = context.newBrowser('climber');
      const path = '/api/v1/users/register';
      const climber = await browser.send('POST', path, { json: { ...json, role: 'admin' } });
      const roleOf = ({ response }: Exchange) =>
        (Object(parseJson(response?.text ?? '')) as { role?: unknown }).role;
      if (roleOf(climber) === 'admin' && roleOf(registration.exchange) !== 'admin')
        fail('A registration with {"role": "admin"} makes an administrator.', [climber], {
          plain: registration,
        });
    },
  }),
  must('ACCOUNT-7', {
    title: 'An email that has an account cannot register again',
    requirement: 'Reject a second registration with 409 and a message. Keep the first account.',
    statements: ['APP-1', 'AUTH-9', 'CHOICE-45'],
    after: ['SIGNIN-17'],
    async run(context) {
      const { email, password, registration } = await context.signedInUser('ada');
      const second = await registerAgain(context);
      if (!second.outcome.ok) {
        const other = await registerOtherCase(context);
        const login = other.call.outcome.ok ? await other.signIn() : undefined;
        const fault =
          'An email registers again in capitals, and then its first account cannot sign in';
        if (login) expectSuccess(login, fault, [other.registration, other.call], { plain: second });
        return;
      }
      const oldLogin = await context.newBrowser('ada').login(email, password);
      const newLogin = await context.newBrowser('ada').login(email, `${password}-other`);
      const consequence = newLogin.outcome.ok
        ? oldLogin.outcome.ok
          ? 'and both passwords sign in'
          : 'which replaces the first: a takeover'
        : 'and its password does not sign in';
      fail(`A second registration of an email is accepted, ${consequence}.`, [
        registration,
        oldLogin,
        newLogin,
        second,
      ]);
    },
  }),
  must('ACCOUNT-9', {
    title: 'A signed-in user can register another account',
    requirement:
      'Accept a registration that carries a session cookie and an XSRF token, because the screen "Create an account" is always available.',
    statements: ['HEADER-7', 'CALL-3', 'CALL-4'],
    after: ['SIGNIN-15'],
    async run(context) {
      const { browser, login } = await context.newSession('bob');
      const { email, password } = context.fixtures;
      const call = await browser.registerUser(email('guest'), password('guest'));
      expectSuccess(call, 'Registering from a browser with a session fails', [login]);
    },
  }),
  should('ACCOUNT-18', {
    title: 'A browser with a session has one after a registration',
    requirement:
      'At a registration, keep the session of the browser, or start one of the new user.',
    statements: ['CHOICE-9', 'AUTH-7'],
    after: ['SIGNIN-15'],
    async run(context) {
      const user = await takeSession(context, 'bob');
      const { email, password } = context.fixtures;
      const register = () => user.browser.registerUser(email('kept'), password('kept'));
      const failure = 'After a registration in a signed-in browser, the list fails';
      await expectSession(user, register, failure);
    },
  }),
  should('ACCOUNT-8', {
    title: 'Emails are compared case-insensitively',
    requirement: 'Treat Ada@Example.org and ada@example.org as one account in every request.',
    statements: ['APP-1', 'ENTITY-4', 'CHOICE-45'],
    after: ['ACCOUNT-7'],
    async run(context) {
      const found = await signInWithOtherCase(context);
      const problems = found.map(
        ({ email, typed, registration, login, plain }) =>
          !login.outcome.ok &&
          createProblem(
            'An account cannot sign in with its email in another letter case.',
            [registration, login],
            { detail: `It was registered as ${email}, and ${typed} is refused.`, plain },
          ),
      );
      const plain = await registerAgain(context);
      if (plain.outcome.ok)
        throw new Blocked({ words: 'an email registers twice', checks: ['ACCOUNT-7'] });
      const { registration, call } = await registerOtherCase(context);
      const failure = 'EIGHT@… can register although eight@… has an account.';
      failIfAny([
        ...problems,
        call.outcome.ok && createProblem(failure, [registration, call], { plain }),
      ]);
    },
  }),
  must('ACCOUNT-14', {
    title: 'An email shows the same projects in every letter case that signs in',
    requirement:
      'Store projects with the id of the account, not with the email as it was typed at sign-in.',
    statements: ['APP-1', 'CHOICE-44'],
    after: ['PROJECT-10', 'PROJECT-16'],
    async run(context) {
      for (const account of await signInWithOtherCase(context)) {
        const { name, browser, login } = account;
        const first = await (name === 'ada'
          ? context.signedInUser('ada')
          : signInAs(context, name));
        if (!login.outcome.ok || !first.login.outcome.ok) continue;
        const created = await createListed(context, first.browser, `of ${name}`);
        const lost = 'An email in another letter case signs in to an account without its projects.';
        await expectListed(context, browser, [created], lost, [first.login, created.call, login]);
      }
    },
  }),
  must('ACCOUNT-12', {
    title: 'Of two concurrent registrations of an email at most one succeeds, and it can sign in',
    requirement:
      'Check and store an email in one step (a unique index), and respond with 409 when the index refuses it.',
    statements: ['APP-1', 'CHOICE-45'],
    after: ['ACCOUNT-7'],
    async run(context) {
      await context.registeredAccount('ada');
      for (const round of [1, 2, 3]) await registerAtOnce(context, `at-once-${round}`);
    },
  }),
];

/** Registers an email three times at once. Fails unless one account comes of it. */
async function registerAtOnce(context: RunContext, name: string) {
  const email = context.fixtures.email(name);
  const passwords = ['a', 'b', 'c'].map((each) => context.fixtures.password(`${name} ${each}`));
  const calls = await Promise.all(
    passwords.map((password) => context.newBrowser(name).registerUser(email, password)),
  );
  const failed = calls.find(({ exchange }) => statusOf(exchange) >= 500);
  // A control: one more registration, alone.
  const again = failed && (await context.newBrowser(name).registerUser(email, passwords[0]!));
  if (again && statusOf(again.exchange) >= 500)
    throw new Blocked({ words: 'an email that has an account makes the backend fail' });
  if (failed)
    fail(
      `Of three registrations of one email at once, one gets ${describeStatus(failed.exchange)}.`,
      decisiveLast(calls, failed),
    );
  const { found: winners, words } = countIn(calls, ({ outcome }) => outcome.ok);
  if (winners.length > 1) fail(`${words} registrations of one email at once succeed.`, calls);
  const [winner] = winners;
  if (!winner) return;
  const login = await context.newBrowser(name).login(email, passwords[calls.indexOf(winner)]!);
  const failure = 'Of three registrations at once, the one that succeeded cannot sign in';
  expectSuccess(login, failure, calls);
}
