import type { Credentials } from '../../machines/types.ts';
import { Blocked, type Exchange } from '../http/record.ts';
import { isClientError, isSuccess, parseJson, statusOf } from '../http/response.ts';
import type { ApiCall } from '../http/simulated-browser.ts';
import type { Account } from '../people/accounts.ts';
import { emailDomain, type Fixtures } from '../people/fixtures.ts';
import { oncePerArguments, oncePerRun, type RunContext } from '../people/run-context.ts';
import { describeResponse, describeStatus, lowerFirst } from '../problems/describe.ts';
import { refusalCause } from '../problems/causes.ts';
import { messageFault } from '../problems/matchers.ts';
import {
  createProblem,
  decisiveLast,
  expectSuccess,
  fail,
  failIfAny,
  skip,
} from '../problems/problem.ts';
import { createOrBlock } from '../requests/creates.ts';
import { isSameProject, listWith } from '../requests/lists.ts';
import { blockIfRefusedAnyway, isUnauthorized, registerAgain } from '../requests/sign-ins.ts';
import { must, should, type Check, type Run } from './check.ts';

/** An account that several checks sign in to. */
type AccountCase = {
  /** Begins a sentence about what is registered. */
  words: string;
  field: keyof Credentials;
  /** What is registered in place of the text of the fixtures. */
  text?: (fixtures: Fixtures) => string;
  /** What is registered when the backend rejects `text` with a message. */
  otherText?: string;
  /** Each is tried in ordinary text when the text of the table fails. */
  characters?: string[];
};

/** By the name of the account. */
const accountCases = {
  ada: { words: 'An account', field: 'email' },
  unusual: {
    words: 'A password with spaces, quotes, accents and an emoji',
    field: 'password',
    text: () => '  Pä55wörd Ж🔑 "quoted" \\ und cafe\u0301 a+b %41 <$&>  ',
    characters: [' ', 'é', '🔑', '+', '%41', '$&', '"', '<', '\\'],
  },
  long: {
    words: 'A long password',
    field: 'password',
    text: () => `${`Aa1!${'longer-'.repeat(20)}`.slice(0, 127)}x`,
    // 60 characters are more than the 72 bytes that bcrypt reads.
    otherText: `Aa1!${'Ж'.repeat(55)}x`,
  },
  nul: {
    words: 'A password with a NUL character',
    field: 'password',
    text: ({ password }) => `${password('nul')}\0end`,
  },
  grace: {
    words: 'An email with capitals, a dot, "\'" and "+"',
    field: 'email',
    text: ({ email }) => email("Grace.O'Hara").replace('@', '+work@Mail.'),
    characters: ['+', 'B', "'", '-'],
  },
  /** Some libraries change the emails of large providers only. No mailbox has so long a name. */
  gmail: {
    words: 'An email at gmail.com with dots and a plus sign',
    field: 'email',
    text: ({ runId }) => `${emailDomain}.dots.and.plus.${runId}+work@gmail.com`,
  },
  longest: {
    words: 'An email of 200 characters',
    field: 'email',
    text: ({ email }) => email('long').replace('@', `@${'long-name.'.repeat(16)}names.`),
  },
  bob: { words: 'A password', field: 'password' },
} satisfies Record<string, AccountCase>;

type Name = keyof typeof accountCases;
const caseOf = (name: Name): AccountCase => accountCases[name];

/** The statements of the checks that an account signs in as typed. */
const asTyped = ['APP-1', 'ENTITY-4', 'AUTH-5'];

/** Changes to an email or a password, by the words for their result. */
type Changes = Record<string, (text: string) => string>;

/** What backends do to a text at registration. */
const usualChanges: Changes = {
  'without the outer spaces': (text) => text.trim(),
  'in small letters': (text) => text.toLowerCase(),
  'without the part after the plus sign': (text) => text.replace(/\+[^@]*/, ''),
};

/** Registers an account of the table, once per run. */
async function register(context: RunContext, name: Name) {
  const { field, text, otherText } = caseOf(name);
  const account = await context.tryRegister(name, text && { [field]: text(context.fixtures) });
  return otherText && isRefusedWithMessage(account.registration)
    ? context.tryRegister(`other-${name}`, { [field]: otherText })
    : account;
}

const isRefusedWithMessage = ({ exchange }: ApiCall) =>
  isClientError(exchange) && !messageFault(exchange);

/** Signs in to an account of the table, once per run and credentials. */
const signInAs = oncePerArguments(
  async (context: RunContext, name: Name, typed: Partial<Credentials> = {}) => {
    const { email, password } = { ...(await register(context, name)), ...typed };
    const browser = context.newBrowser(name);
    const login = await browser.login(email, password);
    // The app also opens the projects after signing in, which can bring the XSRF token.
    if (login.outcome.ok) await browser.listProjects();
    return { browser, login };
  },
);

/** Creates the `run` of a check: an account signs in as registered, and not with these changes. */
const signsInAsTyped =
  (name: Name, changes: Changes = {}): Run =>
  async (context) => {
    const { words, field } = caseOf(name);
    const account = await register(context, name);
    const { registration } = account;
    const { exchange } = registration;
    if (!isSuccess(exchange)) {
      if (isRefusedWithMessage(registration)) skipRejected(name, account);
      await expectPlainCharacters(context, name);
      const subject = lowerFirst(words);
      const fault = messageFault(exchange);
      const failure = isClientError(exchange)
        ? `${words} is refused, and ${fault}.`
        : `${words} cannot register: ${describeStatus(exchange)}.`;
      fail(failure, [registration], { cause: refusalCause(exchange, subject) });
    }
    const { login } = await signInAs(context, name);
    const failure = `${words} can register, not sign in`;
    if (!login.outcome.ok) {
      await blockIfRefusedAnyway(context, account, login);
      for (const [change, textOf] of Object.entries(usualChanges)) {
        const changed = await signInAs(context, name, { [field]: textOf(account[field]) });
        if (changed.login.outcome.ok)
          fail(`${words} signs in only ${change}.`, [registration, login]);
      }
      failIfAny(await listCharacterProblems(context, name));
    }
    expectSuccess(login, failure, [registration]);
    await signsInNotWith(name, changes)(context);
  };

/** Creates the `run` of a check: an account signs in with none of these changes. */
const signsInNotWith =
  (name: Name, changes: Changes): Run =>
  async (context) => {
    const { words, field } = caseOf(name);
    const account = await register(context, name);
    const { registration } = account;
    if (!isSuccess(registration.exchange)) skipRejected(name, account);
    const problems = [];
    for (const [change, textOf] of Object.entries(changes)) {
      const { login } = await signInAs(context, name, { [field]: textOf(account[field]) });
      if (login.outcome.ok)
        problems.push(createProblem(`${words} also signs in ${change}.`, [registration, login]));
    }
    failIfAny(problems);
  };

const skipRejected = (name: Name, { registration: { exchange } }: Account) =>
  skip(`the backend rejects ${lowerFirst(caseOf(name).words)}: ${describeResponse(exchange)}`);

/** Blocks a problem of unusual text if one of its characters alone fails: another check has it. */
async function expectPlainCharacters(context: RunContext, name: Name) {
  const [problem] = await listCharacterProblems(context, name);
  const check = caseOf(name).field === 'email' ? 'ACCOUNT-19' : 'ACCOUNT-20';
  if (problem) throw new Blocked({ words: lowerFirst(problem.description), checks: [check] });
}

/** If unusual text fails, registers and signs in with ordinary text and one of its characters. */
const listCharacterProblems = oncePerArguments(async (context: RunContext, name: Name) => {
  const { field, characters = [] } = caseOf(name);
  const problems = [];
  for (const [index, character] of characters.entries()) {
    const text = context.fixtures[field](`${name}${index}`).replace(/(?<=^.)/, () => character);
    const account = await context.tryRegister(`${name}${index}`, { [field]: text });
    const { email, password, registration } = account;
    const isAccepted = registration.outcome.ok;
    const call = isAccepted ? await context.newBrowser(name).login(email, password) : registration;
    const failure = `A plain ${field} with "${character}" cannot ${isAccepted ? 'sign in' : 'register'}: ${describeStatus(call.exchange)}.`;
    const exchanges = isAccepted ? [registration, call] : [call];
    if (!call.outcome.ok) problems.push(createProblem(failure, exchanges));
  }
  return problems;
});

/** Fails for the characters with which ordinary text cannot register, if unusual text cannot. */
async function expectCharacters(context: RunContext, name: Name) {
  if (!(await register(context, name)).registration.outcome.ok)
    failIfAny(await listCharacterProblems(context, name));
}

/** Signs in to two accounts with another letter case than they were registered with. */
const signInWithOtherCase = oncePerRun(async (context) => {
  const found = [];
  for (const name of ['ada', 'grace'] as const) {
    const account = await register(context, name);
    const typed = name === 'ada' ? account.email.toUpperCase() : account.email.toLowerCase();
    if (!isSuccess(account.registration.exchange)) continue;
    const signedIn = await signInAs(context, name, { email: typed });
    // A control: the email as registered.
    if (!signedIn.login.outcome.ok && !(await signInAs(context, name)).login.outcome.ok) continue;
    found.push({ ...account, name, ...signedIn, typed });
  }
  return found;
});

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

export const accountChecks: Check[] = [
  must('ACCOUNT-1', {
    title: 'Registering with an email and a password succeeds',
    requirement:
      'Respond with 201 (any 2xx works) to a registration without cookies and without an XSRF token, which a new browser does not have. Read both fields from the JSON, and ask no mail server.',
    statements: ['APP-1', 'CALL-7', 'AUTH-7'],
    after: ['REACH-2'],
    async run(context) {
      const { registration } = await context.tryRegister('ada');
      const failure = 'Registering in a new browser fails';
      expectSuccess(registration, failure);
    },
  }),
  must('ACCOUNT-2', {
    title: 'A registered user can sign in at once with the same email and password',
    requirement: 'Accept the email and the password exactly as registered, from any browser.',
    statements: ['APP-1', 'ENTITY-4'],
    after: ['ACCOUNT-1'],
    async run(context) {
      const account = await context.registeredAccount('ada');
      const { email, password, browser, registration } = account;
      const user = context.signedInUser('ada');
      const { login } = await user.catch(() => signInAs(context, 'ada'));
      expectSuccess(login, 'Signing in with a registered email and password fails', [registration]);
      const here = await browser.login(email, password);
      if (!here.outcome.ok) await blockIfRefusedAnyway(context, account, here);
      expectSuccess(here, 'Signing in fails in the browser that registered', [registration, login]);
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
  should('ACCOUNT-17', {
    title: 'A password counts to its end after a NUL, or is rejected with a message',
    requirement:
      'Compare passwords to their end, or reject NUL with a message. bcrypt stops at a NUL: hash the password first.',
    statements: asTyped,
    after: ['ACCOUNT-10'],
    run: signsInAsTyped('nul', {
      'with another end': (password) => password.replace('end', 'END'),
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
      'Treat ada@… and ada+work@… as two emails, and ada.b@… and adab@… too. Only the user knows whether they share a mailbox.',
    statements: asTyped,
    after: ['ACCOUNT-15'],
    async run(context) {
      const changes: Changes = {
        'without the part after the plus sign': (email) => email.replace('+work', ''),
        'without the dot': (email) => email.replace('.', ''),
      };
      await signsInNotWith('grace', changes)(context);
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
    title: 'Emails with a plus sign, a capital letter, an apostrophe or a hyphen can register',
    requirement:
      'Accept every email that the app accepts, because users have such emails. The app shows no message when registering fails, so the user would be stuck.',
    statements: ['VALID-1', 'AUTH-10', 'CALL-7'],
    after: ['ACCOUNT-15'],
    run: (context) => expectCharacters(context, 'grace'),
  }),
  should('ACCOUNT-20', {
    title: 'Passwords with spaces, accents or emoji can register',
    requirement:
      'Accept every character in a password, because users type passphrases in their language. The app shows no message when registering fails, so the user would be stuck.',
    statements: ['VALID-3', 'AUTH-10', 'CALL-7'],
    after: ['ACCOUNT-4'],
    run: (context) => expectCharacters(context, 'unusual'),
  }),
  must('ACCOUNT-3', {
    title: 'A password of 8 characters is accepted',
    requirement:
      'Accept 8 characters, the minimum of the app. The app shows no message when registering fails, so the user would be stuck.',
    statements: ['CONST-2', 'VALID-3', 'AUTH-10'],
    after: ['SIGNIN-17'],
    async run(context) {
      await context.signedInUser('ada');
      const { registration } = await registerEight(context);
      const failure = 'Registering with 8 characters (both cases, digits, symbols) fails';
      expectSuccess(registration, failure);
    },
  }),
  must('ACCOUNT-23', {
    title: 'A password of small letters is accepted',
    requirement:
      'Require no capitals, digits or symbols. The app does not, and shows no message when registering fails, so the user would be stuck.',
    statements: ['VALID-3', 'AUTH-10'],
    after: ['SIGNIN-17'],
    async run(context) {
      const { registration: control } = await registerEight(context);
      if (!control.outcome.ok) skip('8 characters of each kind cannot register');
      const password = lettersOf(context.fixtures.password('plain')).slice(0, 8);
      const { registration } = await context.tryRegister('plain', { password });
      const failure = 'A password of 8 small letters is refused, and one with each kind is not';
      expectSuccess(registration, failure, [control]);
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
        fail('A registration with {"role": "admin"} makes an administrator.', [climber]);
    },
  }),
  must('ACCOUNT-7', {
    title: 'An email that has an account cannot register again',
    requirement: 'Reject a second registration with 409 and a message. Keep the first account.',
    statements: ['APP-1', 'AUTH-9', 'CHOICE-45'],
    after: ['SIGNIN-17'],
    async run(context) {
      const { email, password, registration } = await context.signedInUser('ada');
      const other = await registerOtherCase(context);
      const login = other.call.outcome.ok ? await other.signIn() : undefined;
      if (login && !login.outcome.ok)
        fail('An email registers again in capitals, and then its first account cannot sign in.', [
          other.registration,
          other.call,
          login,
        ]);
      const second = await registerAgain(context);
      if (statusOf(second.exchange) >= 500)
        fail(`A second registration of an email gets ${describeStatus(second.exchange)}.`, [
          registration,
          second,
        ]);
      if (!second.outcome.ok) return;
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
      const { login, call } = await registerGuest(context);
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
      const { login, before, call, after } = await registerGuest(context);
      if (!before.outcome.ok) skip('the list cannot be fetched');
      if (!call.outcome.ok) skip('a signed-in user cannot register');
      const failure = 'After a registration in a signed-in browser, the list fails';
      if (isUnauthorized(after)) expectSuccess(after, failure, [login, before, call]);
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
        ({ email, typed, registration, login }) =>
          !login.outcome.ok &&
          createProblem(
            'An account cannot sign in with its email in another letter case.',
            [registration, login],
            { detail: `It was registered as ${email}, and ${typed} is refused.` },
          ),
      );
      const { registration, call } = await registerOtherCase(context);
      const failure = 'EIGHT@… can register although eight@… has an account.';
      failIfAny([...problems, call.outcome.ok && createProblem(failure, [registration, call])]);
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
        const { name, email, typed, browser, login } = account;
        const first = await (name === 'ada'
          ? context.signedInUser('ada')
          : signInAs(context, name));
        if (!login.outcome.ok || !first.login.outcome.ok) continue;
        const created = await createOrBlock(context, first.browser, `of ${name}`);
        const { call, project } = created;
        const others = await listWith(context, browser, [created]);
        if (!others.projects.some(isSameProject(project)))
          fail(
            'An email in another letter case signs in to an account without its projects.',
            [first.login, call, login, others.call],
            { detail: `The project was created as ${email}, and the list is that of ${typed}.` },
          );
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
  const winners = calls.filter(({ outcome }) => outcome.ok);
  if (winners.length > 1)
    fail(`Of three registrations of one email at once, ${winners.length} succeed.`, calls);
  const [winner] = winners;
  if (!winner) return;
  const signIn = (password: string) => context.newBrowser(name).login(email, password);
  const login = await signIn(passwords[calls.indexOf(winner)]!);
  let isReplaced = false;
  for (const password of login.outcome.ok ? [] : passwords)
    isReplaced ||= (await signIn(password)).outcome.ok === true;
  const failure = isReplaced
    ? 'Of three registrations at once, a refused one replaces the password'
    : 'Of three registrations at once, the one that succeeded cannot sign in';
  expectSuccess(login, failure, calls);
}

/** Registers another account in the browser of a signed-in user. */
const registerGuest = oncePerRun(async (context) => {
  const { browser, login } = await signInAs(context, 'bob');
  if (!login.outcome.ok) skip('the user cannot sign in');
  const before = await browser.listProjects();
  const { email, password } = context.fixtures;
  const call = await browser.registerUser(email('guest'), password('guest'));
  return { login, before, call, after: await browser.listProjects() };
});
