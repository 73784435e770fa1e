import { isClientError } from '../http/response.ts';
import { emailDomain } from '../people/fixtures.ts';
import { expectSuccess, fail } from '../problems/problem.ts';
import { blockIfRefusedAnyway, expectPlain } from '../requests/sign-ins.ts';
import { must, should, type Check } from './check.ts';
import {
  signInAs,
  signsInAsTyped,
  signsInNotWith,
  expectCharacters,
  type Changes,
} from '../requests/account-cases.ts';

/** The statements of the checks that an account signs in as typed. */
const asTyped = ['APP-1', 'ENTITY-4', 'AUTH-5'];

export const accountChecks: Check[] = [
  must('ACCOUNT-1', {
    title: 'Registering with an email and a password succeeds',
    requirement:
      'Respond with 201 (any 2xx works) to a registration without cookies and without an XSRF token, which a new browser does not have. Read both fields from the JSON, and ask no mail server.',
    statements: ['APP-1', 'CALL-7', 'AUTH-7'],
    after: ['REACH-2'],
    async run(context) {
      const { registration } = await context.tryRegister('ada');
      await expectPlain(context, registration, 'Registering in a new browser fails');
    },
  }),
  must('ACCOUNT-2', {
    title: 'A registered user can sign in at once with the same email and password',
    requirement:
      'Store the account before you respond to its registration. Accept its email and its password exactly as registered, from any browser.',
    statements: ['APP-1', 'ENTITY-4'],
    after: ['ACCOUNT-1'],
    async run(context) {
      const account = await context.registeredAccount('ada');
      const { email, password, browser, registration } = account;
      const user = context.signedInUser('ada');
      const { login } = await user.catch(() => signInAs(context, 'ada'));
      const failure = 'Signing in with a registered email and password fails';
      await expectPlain(context, login, failure, [registration]);
      const here = await browser.login(email, password);
      if (!here.outcome.ok) await blockIfRefusedAnyway(context, account, here);
      const isLater =
        !here.outcome.ok && !(await context.newBrowser('ada').login(email, password)).outcome.ok;
      const where = isLater ? 'later, in each browser' : 'in the browser that registered';
      expectSuccess(here, `Signing in fails ${where}`, [registration, login]);
    },
  }),
  must('ACCOUNT-4', {
    title:
      'A password with spaces, quotes, signs, accents and emoji signs in as typed, or is rejected with a message',
    requirement:
      'Keep every character of a password in both calls, or reject the registration with a message.',
    statements: asTyped,
    after: ['SIGNIN-3'],
    run: signsInAsTyped('unusual'),
  }),
  should('ACCOUNT-5', {
    title: 'Passwords are not trimmed',
    requirement: 'Compare passwords including their leading and trailing spaces.',
    statements: asTyped,
    after: ['ACCOUNT-4'],
    run: signsInNotWith('unusual', { 'without the outer spaces': (password) => password.trim() }),
  }),
  must('ACCOUNT-13', {
    title: 'Letters and emoji outside ASCII count in a password',
    requirement:
      'Encode passwords as UTF-8 before hashing, and remove no character. Otherwise all Greek passwords of one length are equal.',
    statements: asTyped,
    after: ['ACCOUNT-4'],
    run: signsInNotWith('unusual', {
      // Both letters have the same low byte and the same length in UTF-8 and UTF-16.
      'with another Cyrillic letter': (password) => password.replace('Ж', 'Ԗ'),
      'without the emoji': (password) => password.replace('🔑', ''),
    }),
  }),
  must('ACCOUNT-10', {
    title: 'A password of 128 characters signs in as typed, or is rejected with a message',
    requirement:
      'Store a password of 128 characters completely, or reject its registration with a message.',
    statements: asTyped,
    after: ['SIGNIN-3'],
    run: signsInAsTyped('long'),
  }),
  should('ACCOUNT-6', {
    title: 'Every character of a long password counts, or it is rejected with a message',
    requirement:
      'Compare every character, or reject the password with a message. bcrypt reads only 72 bytes, which can be 36 letters: hash the password first, or limit its bytes.',
    statements: asTyped,
    after: ['ACCOUNT-10'],
    run: signsInNotWith('long', {
      'with another last character': (password) => password.replace(/x$/, 'y'),
    }),
  }),
  must('ACCOUNT-15', {
    title:
      'An email with capitals, a dot, an apostrophe and a plus sign signs in as typed, or is rejected with a message',
    requirement:
      'Change emails the same way in both calls, or not at all. Bind them as parameters in SQL.',
    statements: asTyped,
    after: ['SIGNIN-3'],
    run: signsInAsTyped('grace'),
  }),
  should('ACCOUNT-11', {
    title: 'Different emails are different accounts',
    requirement:
      'Treat ada@… and ada+work@… as two emails, and ada.b@… and adab@… too, and adá@…. Only the user knows whether they share a mailbox.',
    statements: asTyped,
    after: ['ACCOUNT-15'],
    async run(context) {
      const changes: Changes = {
        'without the part after the plus sign': (email) => email.replace('+work', ''),
        'without the dot': (email) => email.replace('.', ''),
      };
      await signsInNotWith('grace', {
        ...changes,
        'with "á" for "a"': (email) => email.replace('a', 'á'),
        'with a letter of full width': (email) => email.replace('c', 'ｃ'),
      })(context);
      await signsInNotWith('gmail', changes)(context);
    },
  }),
  must('ACCOUNT-16', {
    title: 'An email of 200 characters signs in as typed, or is rejected with a message',
    requirement: 'Store and compare the whole email, or reject its registration with a message.',
    statements: asTyped,
    after: ['ACCOUNT-15'],
    run: signsInAsTyped('longest', { 'with another end': (email) => email.replace(/org$/, 'com') }),
  }),
  must('SIGNIN-3', {
    title: 'A password that is almost right does not sign in',
    requirement: 'Compare the whole password, case-sensitively.',
    statements: asTyped,
    after: ['SIGNIN-17', 'SIGNIN-1', 'SIGNIN-2'],
    run: signsInAsTyped('bob', {
      'in capital letters': (password) => password.toUpperCase(),
      'without its last character': (password) => password.slice(0, -1),
      'with an additional letter': (password) => `${password}x`,
    }),
  }),
  should('ACCOUNT-19', {
    title: 'Emails with "+", "\'", a hyphen, a capital, or a host without a dot can register',
    requirement:
      'Accept every email that the app accepts, because users have such emails. The app shows no message when registering fails, so the user would be stuck.',
    statements: ['VALID-1', 'AUTH-10', 'CALL-7'],
    after: ['ACCOUNT-15'],
    async run(context) {
      await expectCharacters(context, 'grace');
      const { registration: plain } = await context.registeredAccount('ada');
      const email = `${emailDomain}.${context.fixtures.runId}@localhost`;
      const { registration } = await context.tryRegister('local', { email });
      if (isClientError(registration.exchange))
        fail(`The email ${email} cannot register.`, [registration], { plain });
    },
  }),
  should('ACCOUNT-20', {
    title: 'Passwords with spaces, accents or emoji can register',
    requirement:
      'Accept every character in a password, because users type passphrases in their language. The app shows no message when registering fails, so the user would be stuck.',
    statements: ['VALID-3', 'AUTH-10', 'CALL-7'],
    after: ['ACCOUNT-4'],
    async run(context) {
      await expectCharacters(context, 'unusual');
      // Each vowel sign is a character of its own, on the letter before.
      const register = (name: string, length: number) =>
        context.tryRegister(name, { password: 'कि'.repeat(length / 2) });
      const { registration } = await register('marks', 8);
      const { registration: plain } = await register('moremarks', 16);
      if (plain.outcome.ok && isClientError(registration.exchange))
        fail(
          'A password of 8 characters, 4 of them vowel signs, cannot register.',
          [registration],
          {
            requirement: 'Count code points, as the contract does, not what users see as letters.',
            plain,
          },
        );
    },
  }),
];
