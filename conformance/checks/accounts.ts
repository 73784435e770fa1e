import type { Check } from './check.ts';
import { describeMessageFault, describeResponse } from '../describe.ts';
import { isClientError, isSuccess } from '../http/response.ts';
import { registerAgain } from '../probes.ts';
import { blockOnServerError, fail, failIfAny, problem, skip } from '../verdict.ts';

/** Two passwords that people really use, and that careless code changes. */
const unusual = '  Pä55wörd 🗝️ "quoted" \\ und Blanks  ';

const longPassword = `${`Aa1!${'longer-'.repeat(20)}`.slice(0, 127)}x`;

export const accountChecks: Check[] = [
  {
    id: 'ACCOUNT-1',
    level: 'MUST',
    title: 'Registering with an email and a password succeeds',
    requirement:
      'POST /api/v1/users/register with {"email", "password"} answers 201 (any status from 200 to 299 will do) to a visitor without cookies.',
    statements: ['APP-1', 'CALL-7', 'AUTH-7'],
    async run(context) {
      const { registration } = await context.tryRegister('ada');
      if (!registration.outcome.ok) {
        fail(
          `Registering a new account is answered with ${describeResponse(registration.exchange)}.`,
          [registration],
        );
      }
    },
  },
  {
    id: 'ACCOUNT-2',
    level: 'MUST',
    title: 'Whoever registered signs in with the same email and password',
    requirement:
      'The email and the password of a registration sign in, to the letter as they were typed, in any browser.',
    statements: ['APP-1', 'ENTITY-4'],
    async run(context) {
      const account = await context.registeredAccount('ada');
      const login = await context.newBrowser('ada').login(account.email, account.password);
      if (!login.outcome.ok) {
        fail(
          `Signing in with what was registered is answered with ${describeResponse(login.exchange)}.`,
          [account.registration, login],
        );
      }
    },
  },
  {
    id: 'ACCOUNT-3',
    level: 'MUST',
    title: 'A password of 8 characters is accepted',
    requirement:
      'The app lets 8 characters pass, and shows no message when registering is refused: whoever is refused here is stuck.',
    statements: ['CONST-2', 'VALID-3', 'AUTH-10'],
    async run(context) {
      await context.signedInUser('ada');
      const { registration } = await context.tryRegister('eight', { password: 'aB3$xY7!' });
      if (!registration.outcome.ok) {
        fail(
          `A password of 8 characters (letters of both cases, digits, signs) is refused with ${describeResponse(registration.exchange)}.`,
          [registration],
        );
      }
    },
  },
  {
    id: 'ACCOUNT-4',
    level: 'MUST',
    title: 'A password with blanks, quotes, accents and emoji signs in as it was typed',
    requirement: 'Passwords are any characters, never trimmed: what registers also signs in.',
    statements: ['APP-1', 'ENTITY-4'],
    async run(context) {
      const account = await context.tryRegister('unusual', { password: unusual });
      if (!isSuccess(account.registration.exchange)) {
        skip(`such a password is refused: ${describeResponse(account.registration.exchange)}`);
      }
      const login = await context.newBrowser('unusual').login(account.email, unusual);
      blockOnServerError(login);
      if (!login.outcome.ok) {
        fail(
          'A password with blanks around it, quotes, accents and an emoji registers and then does not sign in: it is changed on the way in, in one of the two calls.',
          [account.registration, login],
        );
      }
    },
  },
  {
    id: 'ACCOUNT-5',
    level: 'SHOULD',
    title: 'Passwords are not trimmed',
    requirement: 'A password is any characters. Without the blanks around it, it is another one.',
    statements: ['ENTITY-4', 'AUTH-5'],
    async run(context) {
      const account = await context.tryRegister('unusual', { password: unusual });
      if (!isSuccess(account.registration.exchange)) skip('such a password is refused');
      const login = await context.newBrowser('unusual').login(account.email, unusual.trim());
      if (login.outcome.ok)
        fail(
          'A password that was registered with blanks around it signs in without them: passwords are trimmed.',
          [account.registration, login],
        );
    },
  },
  {
    id: 'ACCOUNT-6',
    level: 'SHOULD',
    title: 'A long password counts to its last character',
    requirement:
      'A password of 128 characters is accepted and compared whole, or refused with a message. (bcrypt looks at 72 bytes; hash the password first, or refuse longer ones.)',
    statements: ['ENTITY-4', 'AUTH-5'],
    async run(context) {
      const password = longPassword;
      const account = await context.tryRegister('long', { password });
      if (!isSuccess(account.registration.exchange)) {
        const { exchange } = account.registration;
        const fault = isClientError(exchange) && describeMessageFault(exchange);
        if (fault)
          fail(`A password of 128 characters is refused, and ${fault}.`, [account.registration]);
        skip(`128 characters are refused: ${describeResponse(account.registration.exchange)}`);
      }
      const other = await context
        .newBrowser('long')
        .login(account.email, `${password.slice(0, 127)}y`);
      if (other.outcome.ok) {
        fail(
          'Of a password of 128 characters, the last one may be any: only its beginning is compared.',
          [account.registration, other],
        );
      }
    },
  },
  {
    id: 'ACCOUNT-7',
    level: 'MUST',
    title: 'An email that has an account is not registered again',
    requirement:
      'A second registration of an email is refused (409 with a message), and the first account stays as it was.',
    statements: ['APP-1', 'AUTH-9', 'CHOICE-45'],
    async run(context) {
      const first = await context.signedInUser('ada');
      const password = `${first.password}-other`;
      const second = await registerAgain(context);
      if (!second.outcome.ok) return;
      const old = await context.newBrowser('ada').login(first.email, first.password);
      const taken = await context.newBrowser('ada').login(first.email, password);
      const what =
        'An email that has an account is registered again with another password and answered as a success';
      if (taken.outcome.ok && !old.outcome.ok) {
        fail(
          `${what}, and the new password replaces the old one: anybody can take over an account.`,
          [first.registration, second, old],
        );
      }
      if (taken.outcome.ok) {
        fail(`${what}. Both passwords sign in from then on.`, [first.registration, second, taken]);
      }
      fail(
        `${what}. The app then asks the person to sign in, and what they have just registered does not.`,
        [first.registration, second, taken],
        `after registering, on the screen "Sign in": ${taken.outcome.ok === false ? `red banner: "${taken.outcome.message}"` : 'no message'}`,
      );
    },
  },
  {
    id: 'ACCOUNT-8',
    level: 'SHOULD',
    title: 'Emails are compared without regard to case',
    requirement:
      'Ada@Example.org and ada@example.org are one account, when signing in and when registering.',
    statements: ['APP-1', 'ENTITY-4', 'CHOICE-45'],
    async run(context) {
      const { email, password, registration } = await context.signedInUser('ada');
      const upper = email.replace('ada', 'ADA').replace('example', 'Example');
      const login = await context.newBrowser('ada').login(upper, password);
      const again = await context.newBrowser('ada').registerUser(upper, `${password}-other`);
      failIfAny([
        ...(login.outcome.ok
          ? []
          : [
              problem(
                'Whoever registered ada@… does not sign in as ADA@…, as phones like to write it.',
                [registration, login],
              ),
            ]),
        ...(again.outcome.ok
          ? [problem('ADA@… is registered although ada@… has an account.', [registration, again])]
          : []),
      ]);
    },
  },
  {
    id: 'ACCOUNT-9',
    level: 'MUST',
    title: 'Somebody who is signed in can register another account',
    requirement:
      'The screen "Create an account" is always open, so registering works with the cookies of a session too, and with its XSRF token in the header.',
    statements: ['HEADER-7', 'CALL-3', 'CALL-4'],
    async run(context) {
      const user = await context.newSession('bob');
      const { browser } = user;
      const password = context.fixtures.password('guest');
      context.secrets.add(password);
      const registration = await browser.registerUser(context.fixtures.email('guest'), password);
      if (!registration.outcome.ok) {
        fail(
          `Registering in a browser that is signed in is answered with ${describeResponse(registration.exchange)}.`,
          [...user.registration.exchanges, ...user.login.exchanges, registration],
        );
      }
    },
  },
  {
    id: 'ACCOUNT-10',
    level: 'MUST',
    title: 'A long password that registers signs in',
    requirement:
      'A password of 128 characters is kept whole, or refused when registering: never accepted and then unknown.',
    statements: ['APP-1', 'CHOICE-26', 'ENTITY-4'],
    async run(context) {
      const account = await context.tryRegister('long', { password: longPassword });
      if (!isSuccess(account.registration.exchange)) skip('such a password is refused');
      const login = await context.newBrowser('long').login(account.email, longPassword);
      blockOnServerError(login);
      if (!login.outcome.ok) {
        fail('A password of 128 characters registers and then does not sign in.', [
          account.registration,
          login,
        ]);
      }
    },
  },
  {
    id: 'ACCOUNT-11',
    level: 'SHOULD',
    title: 'Emails that differ are accounts that differ',
    requirement:
      'ada@… and ada+work@… are two emails, and so are ada.b@… and adab@…: only the person knows whether they lead to one mailbox.',
    statements: ['APP-1', 'ENTITY-4'],
    async run(context) {
      const { email, password, registration } = await context.signedInUser('bob');
      const found = [];
      for (const other of [email.replace('@', '+work@'), email.replace('.', '')]) {
        const second = await context.newBrowser('bob').registerUser(other, `${password}-other`);
        const login = await context.newBrowser('bob').login(other, password);
        if (login.outcome.ok)
          found.push(
            problem(
              `The password of ${email} signs in with ${other} too, which is another email.`,
              [registration, login],
            ),
          );
        else if (isClientError(second.exchange))
          found.push(
            problem(
              `${other} is refused with ${describeResponse(second.exchange)}, after ${email} registered.`,
              [registration, second],
            ),
          );
      }
      failIfAny(found);
    },
  },
  {
    id: 'ACCOUNT-12',
    level: 'SHOULD',
    title: 'Of two registrations of one email at once, one is refused',
    requirement:
      'That an email is free is looked at and kept in one step (a unique index): otherwise the second registration succeeds, and its password does not sign in.',
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
        fail(
          'Two registrations of one email that come at once, with two passwords, are both answered as a success.',
          calls,
        );
    },
  },
];
