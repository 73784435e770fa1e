import type { Credentials } from '../../machines/types.ts';
import {
  describeMessageFault,
  describeResponse,
  describeType,
  lowerFirst,
  refusalCause,
} from '../describe.ts';
import type { Fixtures } from '../fixtures.ts';
import { isClientError, isSuccess, parseJson, statusOf } from '../http/response.ts';
import {
  blockIfRefusedAnyway,
  createOrBlock,
  isSameProject,
  listWith,
  registerAgain,
} from '../probes.ts';
import type { ApiCall } from '../http/simulated-browser.ts';
import type { RunContext } from '../run-context.ts';
import { createProblem, expectSuccess, fail, failIfAny, skip } from '../verdict.ts';
import type { CheckId, Verdicts } from './check.ts';

/** An account, and the checks that sign in to it. */
type AccountCases = {
  /** Begins a sentence about what is registered. */
  words: string;
  field: keyof Credentials;
  /** What is registered in place of the text of the fixtures. */
  text?: (fixtures: Fixtures) => string;
  /** What is registered when the backend rejects `text` with a message. */
  otherText?: string;
  /** Each is tried in ordinary text when the text of the table fails. */
  characters?: string[];
  /** What must not sign in. The first check also signs in as registered. */
  checks: Partial<Record<CheckId, Changes>>;
};

/** Changes to an email or a password, by the words for their result. */
type Changes = Record<string, (text: string) => string>;

/** By the name of the account. */
const accountCases: Record<string, AccountCases> = {
  ada: { words: 'An account', field: 'email', checks: {} },
  unusual: {
    words: 'A password with outer spaces, quotes, accents, an emoji, "+", "%41" and "$&"',
    field: 'password',
    text: () => '  Pä55wörd Ж🔑 "quoted" \\ und cafe\u0301 a+b %41 <$&>  ',
    characters: [' ', 'é', '🔑', '+', '%41', '$&', '"', '<', '\\'],
    checks: {
      'ACCOUNT-4': {},
      'ACCOUNT-5': { 'without the outer spaces': (password) => password.trim() },
      // Both letters have the same low byte and the same length in UTF-8 and UTF-16.
      'ACCOUNT-13': {
        'with another Cyrillic letter': (password) => password.replace('Ж', 'Ԗ'),
        'without the emoji': (password) => password.replace('🔑', ''),
      },
    },
  },
  long: {
    words: 'A long password',
    field: 'password',
    text: () => `${`Aa1!${'longer-'.repeat(20)}`.slice(0, 127)}x`,
    // 60 characters are more than the 72 bytes that bcrypt reads.
    otherText: `Aa1!${'Ж'.repeat(55)}x`,
    checks: {
      'ACCOUNT-10': {},
      'ACCOUNT-6': { 'with another last character': (password) => password.replace(/x$/, 'y') },
    },
  },
  nul: {
    words: 'A password with a NUL character',
    field: 'password',
    text: ({ password }) => `${password('nul')}\0end`,
    checks: {
      'ACCOUNT-17': { 'with another end': (password) => password.replace('end', 'END') },
    },
  },
  grace: {
    words: 'An email with capital letters, a dot, an apostrophe and a plus sign',
    field: 'email',
    text: ({ email }) => email("Grace.O'Hara").replace('@', '+work@Mail.'),
    characters: ['+', 'B', "'"],
    checks: {
      'ACCOUNT-15': {},
      'ACCOUNT-11': {
        'without the part after the plus sign': (email) => email.replace('+work', ''),
        'without the dot': (email) => email.replace('.', ''),
      },
    },
  },
  longest: {
    words: 'An email of 200 characters',
    field: 'email',
    text: ({ email }) => email('long').replace('@', `@${'long-name.'.repeat(16)}names.`),
    checks: { 'ACCOUNT-16': { 'with another end': (email) => email.replace(/org$/, 'com') } },
  },
  bob: {
    words: 'A password',
    field: 'password',
    checks: {
      'SIGNIN-3': {
        'in capital letters': (password) => password.toUpperCase(),
        'without its last character': (password) => password.slice(0, -1),
        'with an additional letter': (password) => `${password}x`,
      },
    },
  },
};

/** Registers an account of the table, once per run. */
async function register(context: RunContext, name: string) {
  const { field, text, otherText } = accountCases[name]!;
  const account = await context.tryRegister(name, text && { [field]: text(context.fixtures) });
  return otherText && isRefusedWithMessage(account.registration)
    ? context.tryRegister(`other-${name}`, { [field]: otherText })
    : account;
}

const isRefusedWithMessage = ({ exchange }: ApiCall) =>
  isClientError(exchange) && !describeMessageFault(exchange);

/** Signs in to an account of the table, once per run and credentials. */
const signInAs = (context: RunContext, name: string, typed: Partial<Credentials> = {}) =>
  context.once(`sign-in ${name} ${JSON.stringify(typed)}`, async () => {
    const { email, password } = { ...(await register(context, name)), ...typed };
    const browser = context.newBrowser(name);
    const login = await browser.login(email, password);
    // The app also opens the projects after signing in, which can bring the XSRF token.
    if (login.outcome.ok) await browser.listProjects();
    return { browser, login };
  });

/** Signs in as registered (the first check of an account), and as no other text. */
async function expectSignIn(context: RunContext, name: string, rejected: Changes) {
  const { words, field, checks } = accountCases[name]!;
  const isFirst = rejected === Object.values(checks)[0];
  const account = await register(context, name);
  const { registration } = account;
  const { exchange } = registration;
  if (!isSuccess(exchange)) {
    const response = `${lowerFirst(words)}: ${describeResponse(exchange)}`;
    if (!isFirst || isRefusedWithMessage(registration)) skip(`the backend rejects ${response}`);
    const cause = refusalCause(exchange, lowerFirst(words));
    fail(`Registering fails for ${response}.`, [registration], undefined, cause);
  }
  if (isFirst) {
    const { login } = await signInAs(context, name);
    const failure = `${words} can register but not sign in (one of the two calls changes it)`;
    if (!login.outcome.ok) await blockIfRefusedAnyway(context, account, login);
    failIfAny(login.outcome.ok ? [] : await listCharacterProblems(context, name));
    expectSuccess(login, failure, [registration]);
  }
  const problems = [];
  for (const [change, textOf] of Object.entries(rejected)) {
    const { login } = await signInAs(context, name, { [field]: textOf(account[field]) });
    if (login.outcome.ok)
      problems.push(createProblem(`${words} also signs in ${change}.`, [registration, login]));
  }
  failIfAny(problems);
}

const tableVerdicts: Verdicts = Object.fromEntries(
  Object.entries(accountCases).flatMap(([name, { checks }]) =>
    Object.entries(checks).map(([id, rejected]) => [
      id,
      (context: RunContext) => expectSignIn(context, name, rejected),
    ]),
  ),
);

/** If unusual text fails, registers and signs in with ordinary text and one of its characters. */
const listCharacterProblems = (context: RunContext, name: string) =>
  context.once(`characters of ${name}`, async () => {
    const { field, characters = [] } = accountCases[name]!;
    const problems = [];
    for (const [index, character] of characters.entries()) {
      const text = context.fixtures[field](`${name}${index}`).replace(/(?<=^.)/, () => character);
      const account = await context.tryRegister(`${name}${index}`, { [field]: text });
      const { email, password, registration } = account;
      const isAccepted = registration.outcome.ok;
      const call = isAccepted
        ? await context.newBrowser(name).login(email, password)
        : registration;
      const failure = `A plain ${field} with "${character}" cannot ${isAccepted ? 'sign in' : 'register'}: ${describeResponse(call.exchange)}.`;
      if (!call.outcome.ok) problems.push(createProblem(failure, [registration, call]));
    }
    return problems;
  });

/** Fails for the characters with which ordinary text cannot register, if unusual text cannot. */
async function expectCharacters(context: RunContext, name: string) {
  if (!(await register(context, name)).registration.outcome.ok)
    failIfAny(await listCharacterProblems(context, name));
}

/** Signs in to two accounts with another letter case than they were registered with. */
const signInWithOtherCase = (context: RunContext) =>
  context.once('other letter case', async () => {
    const found = [];
    for (const name of ['ada', 'grace']) {
      const account = await register(context, name);
      const typed = name === 'ada' ? account.email.toUpperCase() : account.email.toLowerCase();
      if (!isSuccess(account.registration.exchange)) continue;
      const signedIn = await signInAs(context, name, { email: typed });
      found.push({ ...account, ...signedIn, typed });
    }
    return found;
  });

/** Registers the email of an account in capital letters, with another password. */
const registerOtherCase = (context: RunContext) =>
  context.once('registration in capitals', async () => {
    const { email, password, registration } = await context.registeredAccount('eight');
    const browser = context.newBrowser('eight');
    const call = await browser.registerUser(email.toUpperCase(), `${password}-other`);
    const signIn = () => context.newBrowser('eight').login(email, password);
    return { registration, call, signIn };
  });

export const accountChecks: Verdicts = {
  async 'ACCOUNT-1'(context) {
    const { registration } = await context.tryRegister('ada');
    const failure = 'Registering in a new browser, without cookies and without a token, fails';
    expectSuccess(registration, failure);
  },
  async 'ACCOUNT-2'(context) {
    const { registration } = await context.registeredAccount('ada');
    const user = context.signedInUser('ada');
    const { login } = await user.catch(() => signInAs(context, 'ada'));
    expectSuccess(login, 'Signing in with a registered email and password fails', [registration]);
  },
  ...tableVerdicts,
  'ACCOUNT-19': (context) => expectCharacters(context, 'grace'),
  'ACCOUNT-20': (context) => expectCharacters(context, 'unusual'),
  async 'ACCOUNT-3'(context) {
    await context.signedInUser('ada');
    const { registration } = await context.tryRegister('eight', { password: 'aB3$xY7!' });
    const failure = 'Registering with 8 characters (both cases, digits, symbols) fails';
    expectSuccess(registration, failure);
  },
  async 'ACCOUNT-21'(context) {
    const { registration } = await context.registeredAccount('ada');
    const { text } = registration.exchange.response!;
    const { role = '' } = Object(parseJson(text)) as { role?: unknown };
    if (typeof role !== 'string')
      fail(`The role of a new account is ${describeType(role)}, not a text.`, [registration]);
  },
  async 'ACCOUNT-7'(context) {
    const { email, password, registration } = await context.signedInUser('ada');
    const other = await registerOtherCase(context);
    const login = other.call.outcome.ok ? await other.signIn() : undefined;
    if (login && !login.outcome.ok)
      fail(
        'An email in capital letters registers a second time, and then the first account cannot sign in: any visitor can take over an account.',
        [other.registration, other.call, login],
      );
    const second = await registerAgain(context);
    if (!second.outcome.ok) return;
    const oldLogin = await context.newBrowser('ada').login(email, password);
    const newLogin = await context.newBrowser('ada').login(email, `${password}-other`);
    const consequence = newLogin.outcome.ok
      ? oldLogin.outcome.ok
        ? 'and then both passwords sign in'
        : 'which replaces the first one: any visitor can take over an account'
      : 'but that password does not sign in. The app asks the user to sign in with it';
    fail(
      `The backend accepts a second registration of an email with another password, ${consequence}.`,
      [registration, second, oldLogin, newLogin],
    );
  },
  async 'ACCOUNT-9'(context) {
    const { login, call } = await registerGuest(context);
    expectSuccess(call, 'Registering from a browser with a session fails', [login]);
  },
  async 'ACCOUNT-18'(context) {
    const { browser, login, before, call } = await registerGuest(context);
    if (!before.outcome.ok) skip('the list cannot be fetched');
    if (!call.outcome.ok) skip('a signed-in user cannot register');
    const after = await browser.listProjects();
    const failure = 'After a registration in a signed-in browser, the list fails';
    expectSuccess(after, failure, [login, before, call]);
  },
  async 'ACCOUNT-8'(context) {
    const found = await signInWithOtherCase(context);
    const problems = found.map(
      ({ email, typed, registration, login }) =>
        !login.outcome.ok &&
        createProblem(
          `An account registered as ${email} cannot sign in as ${typed}. Phone keyboards change the case.`,
          [registration, login],
        ),
    );
    const { registration, call } = await registerOtherCase(context);
    const failure = 'EIGHT@… can register although eight@… has an account.';
    failIfAny([...problems, call.outcome.ok && createProblem(failure, [registration, call])]);
  },
  async 'ACCOUNT-14'(context) {
    for (const account of await signInWithOtherCase(context)) {
      const { name, email, typed, browser, login } = account;
      const first = await (name === 'ada' ? context.signedInUser('ada') : signInAs(context, name));
      if (!login.outcome.ok || !first.login.outcome.ok) continue;
      const created = await createOrBlock(context, first.browser, `of ${name}`);
      const { call, project } = created;
      const others = await listWith(browser, [created]);
      if (!others.projects.some(isSameProject(project)))
        fail(
          `A project created as ${email} is missing after signing in as ${typed}: the projects belong to the email as typed.`,
          [first.login, call, login, others.call],
        );
    }
  },
  async 'ACCOUNT-12'(context) {
    await context.registeredAccount('ada');
    const email = context.fixtures.email('twice');
    const passwords = ['one', 'two'].map((name) => context.fixtures.password(`twice ${name}`));
    const calls = await Promise.all(
      passwords.map((password) => context.newBrowser('twice').registerUser(email, password)),
    );
    const failed = calls.find(({ exchange }) => statusOf(exchange) >= 500);
    const second = failed && (await registerAgain(context));
    const isAlways = second && statusOf(second.exchange) >= 500;
    const fault = failed
      ? `One of them gets ${describeResponse(failed.exchange)}${isAlways ? '. So does a user who registers an email that has had an account for some time' : ''}`
      : calls.every(({ outcome }) => outcome.ok) && 'Both succeed';
    if (fault) fail(`Two users register one email at the same time. ${fault}.`, calls);
    const winner = calls.findIndex(({ outcome }) => outcome.ok);
    if (winner < 0) return;
    const signIn = (index: number) => context.newBrowser('twice').login(email, passwords[index]!);
    const login = await signIn(winner);
    const failure = 'The one of two concurrent registrations that succeeded cannot sign in';
    const isReplaced = !login.outcome.ok && (await signIn(1 - winner)).outcome.ok;
    const reason = isReplaced ? ', because the refused one has replaced the password' : '';
    expectSuccess(login, failure + reason, calls);
  },
};

/** Registers another account in the browser of a signed-in user. */
const registerGuest = (context: RunContext) =>
  context.once('guest', async () => {
    const { browser, login } = await signInAs(context, 'bob');
    if (!login.outcome.ok) skip('the user cannot sign in');
    const before = await browser.listProjects();
    const { email, password } = context.fixtures;
    const call = await browser.registerUser(email('guest'), password('guest'));
    return { browser, login, before, call };
  });
