import { describeMessageFault, describeResponse, refusalCause } from '../describe.ts';
import { isClientError, isSuccess } from '../http/response.ts';
import { registerAgain } from '../probes.ts';
import {
  blockOnServerError,
  expectSuccess,
  fail,
  failIfAny,
  createProblem,
  skip,
} from '../verdict.ts';
import type { RunContext } from '../run-context.ts';
import { must, should, type Check } from './check.ts';

const unusualPassword = '  Pä55wörd 🗝️ "quoted" \\ und Blanks  ';
const longPassword = `${`Aa1!${'longer-'.repeat(20)}`.slice(0, 127)}x`;

export const accountChecks: Check[] = [
  must('ACCOUNT-1', {
    title: 'Registering with an email and a password succeeds',
    requirement: 'Respond with 201 (any 2xx works) to a registration without cookies.',
    statements: ['APP-1', 'CALL-7', 'AUTH-7'],
    async run(context) {
      const { registration } = await context.tryRegister('ada');
      expectSuccess(registration, 'Registering a new account fails');
    },
  }),
  must('ACCOUNT-2', {
    title: 'A registered user can sign in with the same email and password',
    requirement: 'Accept the email and the password exactly as registered, from any browser.',
    statements: ['APP-1', 'ENTITY-4'],
    async run(context) {
      const { email, password, registration } = await context.registeredAccount('ada');
      const login = await context.newBrowser('ada').login(email, password);
      expectSuccess(login, 'Signing in with a registered email and password fails', [registration]);
    },
  }),
  must('ACCOUNT-3', {
    title: 'A password of 8 characters is accepted',
    requirement:
      'Accept 8 characters, the minimum of the app. The app shows no message when registering fails, so the user would be stuck.',
    statements: ['CONST-2', 'VALID-3', 'AUTH-10'],
    async run(context) {
      await context.signedInUser('ada');
      const { registration } = await context.tryRegister('eight', { password: 'aB3$xY7!' });
      expectSuccess(
        registration,
        'Registering with 8 characters (upper and lower case, digits, symbols) fails',
      );
    },
  }),
  must('ACCOUNT-4', {
    title: 'A password with spaces, quotes, accents and emoji signs in as typed',
    requirement: 'Keep every character of a password. If it can be registered, it can sign in.',
    statements: ['APP-1', 'ENTITY-4'],
    async run(context) {
      const { email, registration } = await registerOrSkip(context, 'unusual', unusualPassword);
      const login = await context.newBrowser('unusual').login(email, unusualPassword);
      blockOnServerError(login);
      expectSuccess(
        login,
        'A password with outer spaces, quotes, accents and an emoji can register but not sign in, so one of the two calls changes it',
        [registration],
      );
    },
  }),
  should('ACCOUNT-5', {
    title: 'Passwords are not trimmed',
    requirement: 'Compare passwords including their leading and trailing spaces.',
    statements: ['ENTITY-4', 'AUTH-5'],
    async run(context) {
      const { email, registration } = await registerOrSkip(context, 'unusual', unusualPassword);
      const login = await context.newBrowser('unusual').login(email, unusualPassword.trim());
      if (login.outcome.ok)
        fail(
          'A password registered with outer spaces signs in without them, so the backend trims it.',
          [registration, login],
        );
    },
  }),
  should('ACCOUNT-6', {
    title: 'Every character of a long password counts, or it is rejected with a message',
    requirement:
      'Compare all of 128 characters, or reject the password with a message. bcrypt reads only 72 bytes: hash the password first, or reject longer ones.',
    statements: ['ENTITY-4', 'AUTH-5'],
    async run(context) {
      const { registration: first } = await context.tryRegister('long', { password: longPassword });
      const fault = isClientError(first.exchange) && describeMessageFault(first.exchange);
      if (fault)
        fail(
          `The backend rejects a password of 128 characters, but ${fault}.`,
          [first],
          undefined,
          refusalCause(first.exchange, 'a password of 128 characters'),
        );
      const { email, registration } = await registerOrSkip(context, 'long', longPassword);
      const login = await context.newBrowser('long').login(email, `${longPassword.slice(0, 127)}y`);
      if (login.outcome.ok)
        fail(
          'A password of 128 characters signs in with another last character, so the backend compares only its beginning.',
          [registration, login],
        );
    },
  }),
  must('ACCOUNT-7', {
    title: 'An email that has an account cannot register again',
    requirement: 'Reject a second registration with 409 and a message. Keep the first account.',
    statements: ['APP-1', 'AUTH-9', 'CHOICE-45'],
    async run(context) {
      const { email, password, registration } = await context.signedInUser('ada');
      const second = await registerAgain(context);
      if (!second.outcome.ok) return;
      const oldLogin = await context.newBrowser('ada').login(email, password);
      const newLogin = await context.newBrowser('ada').login(email, `${password}-other`);
      const fact = 'The backend accepts a second registration of an email with another password';
      if (newLogin.outcome.ok && !oldLogin.outcome.ok)
        fail(`${fact}, which replaces the first one: any visitor can take over an account.`, [
          registration,
          second,
          oldLogin,
        ]);
      if (newLogin.outcome.ok)
        fail(`${fact}, and then both passwords sign in.`, [registration, second, newLogin]);
      fail(
        `${fact}, but that password does not sign in. The app asks the user to sign in with it.`,
        [registration, second, newLogin],
        `after registering, on the screen "Sign in": ${newLogin.outcome.ok === false ? `red banner: "${newLogin.outcome.message}"` : 'no message'}`,
      );
    },
  }),
  should('ACCOUNT-8', {
    title: 'Emails are compared case-insensitively',
    requirement: 'Treat Ada@Example.org and ada@example.org as one account in every request.',
    statements: ['APP-1', 'ENTITY-4', 'CHOICE-45'],
    async run(context) {
      const { email, password, registration } = await context.signedInUser('ada');
      const upper = email.replace('ada', 'ADA').replace('example', 'Example');
      const login = await context.newBrowser('ada').login(upper, password);
      const second = await context.newBrowser('ada').registerUser(upper, `${password}-other`);
      failIfAny([
        !login.outcome.ok &&
          createProblem(
            'An account registered as ada@… cannot sign in as ADA@…, which phone keyboards produce.',
            [registration, login],
          ),
        second.outcome.ok &&
          createProblem('ADA@… can register although ada@… has an account.', [
            registration,
            second,
          ]),
      ]);
    },
  }),
  must('ACCOUNT-9', {
    title: 'A signed-in user can register another account',
    requirement:
      'Accept a registration that carries a session cookie and an XSRF token, because the screen "Create an account" is always available.',
    statements: ['HEADER-7', 'CALL-3', 'CALL-4'],
    async run(context) {
      const { browser, registration, login } = await context.newSession('bob');
      const password = context.fixtures.password('guest');
      context.secrets.add(password);
      const call = await browser.registerUser(context.fixtures.email('guest'), password);
      expectSuccess(call, 'Registering from a browser with a session fails', [registration, login]);
    },
  }),
  must('ACCOUNT-10', {
    title: 'A long password that can register can sign in',
    requirement: 'Store a password of 128 characters completely, or reject its registration.',
    statements: ['APP-1', 'CHOICE-26', 'ENTITY-4'],
    async run(context) {
      const { email, registration } = await registerOrSkip(context, 'long', longPassword);
      const login = await context.newBrowser('long').login(email, longPassword);
      blockOnServerError(login);
      expectSuccess(login, 'A registered password of 128 characters fails', [registration]);
    },
  }),
  should('ACCOUNT-11', {
    title: 'Different emails are different accounts',
    requirement:
      'Treat ada@… and ada+work@… as two emails, and ada.b@… and adab@… too. Only the user knows whether they share a mailbox.',
    statements: ['APP-1', 'ENTITY-4'],
    async run(context) {
      const { email, password, registration } = await context.signedInUser('bob');
      const problems = [];
      for (const other of [email.replace('@', '+work@'), email.replace('.', '')]) {
        const second = await context.newBrowser('bob').registerUser(other, `${password}-other`);
        const login = await context.newBrowser('bob').login(other, password);
        if (login.outcome.ok)
          problems.push(
            createProblem(`The password of ${email} also signs in with ${other}.`, [
              registration,
              login,
            ]),
          );
        else if (isClientError(second.exchange))
          problems.push(
            createProblem(
              `After ${email} registered, the backend rejects ${other} with ${describeResponse(second.exchange)}.`,
              [registration, second],
            ),
          );
      }
      failIfAny(problems);
    },
  }),
  should('ACCOUNT-12', {
    title: 'At most one of two concurrent registrations of an email succeeds',
    requirement:
      'Check and store an email in one step (a unique index). Otherwise both registrations succeed, and one of the passwords cannot sign in.',
    statements: ['APP-1', 'CHOICE-45'],
    async run(context) {
      await context.registeredAccount('ada');
      const email = context.fixtures.email('twice');
      const passwords = ['one', 'two'].map((name) => context.fixtures.password(`twice ${name}`));
      passwords.forEach(context.secrets.add);
      const calls = await Promise.all(
        passwords.map((password) => context.newBrowser('twice').registerUser(email, password)),
      );
      if (calls.every(({ outcome }) => outcome.ok))
        fail('Two concurrent registrations of one email with two passwords both succeed.', calls);
    },
  }),
];

async function registerOrSkip(context: RunContext, name: string, password: string) {
  const account = await context.tryRegister(name, { password });
  const { exchange } = account.registration;
  if (!isSuccess(exchange))
    skip(`the backend rejects this password with ${describeResponse(exchange)}`);
  return account;
}
