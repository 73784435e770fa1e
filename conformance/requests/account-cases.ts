import type { Credentials } from '../../machines/types.ts';
import { Blocked } from '../http/record.ts';
import { isClientError, isSuccess } from '../http/response.ts';
import type { ApiCall } from '../http/simulated-browser.ts';
import type { Account } from '../people/accounts.ts';
import { emailDomain, type Fixtures } from '../people/fixtures.ts';
import { oncePerArguments, oncePerRun, type RunContext } from '../people/run-context.ts';
import { describeResponse, describeStatus, lowerFirst } from '../problems/describe.ts';
import { refusalCause } from '../problems/causes.ts';
import { messageFault } from '../problems/matchers.ts';
import { createProblem, expectSuccess, fail, failIfAny, skip } from '../problems/problem.ts';
import { judgeSpecial } from '../problems/special.ts';
import { blockIfRefusedAnyway, wrongSignIn } from './sign-ins.ts';

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
    characters: [' ', 'é', 'e\u0301', '🔑', '+', '%41', '$&', '"', '<', '\\'],
  },
  long: {
    words: 'A long password',
    field: 'password',
    text: () => `${`Aa1!${'longer-'.repeat(20)}`.slice(0, 127)}x`,
    // 60 characters are more than the 72 bytes that bcrypt reads.
    otherText: `Aa1!${'Ж'.repeat(55)}x`,
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
  plain: { words: 'A new account', field: 'email' },
} satisfies Record<string, AccountCase>;

type Name = keyof typeof accountCases;
const caseOf = (name: Name): AccountCase => accountCases[name];

/** Changes to an email or a password, by the words for their result. */
export type Changes = Record<string, (text: string) => string>;

/** What backends do to a text at registration. */
const usualChanges: Changes = {
  'without the outer spaces': (text) => text.trim(),
  'in small letters': (text) => text.toLowerCase(),
  'without the part after the plus sign': (text) => text.replace(/\+[^@]*/, ''),
};

/** Registers an account of the table, once per run. */
export async function register(context: RunContext, name: Name) {
  const { field, text, otherText } = caseOf(name);
  const account = await context.tryRegister(name, text && { [field]: text(context.fixtures) });
  // A control: a plain account can register.
  if (isClientError(account.registration.exchange)) await context.registeredAccount('ada');
  return otherText && isRefusedWithMessage(account.registration)
    ? context.tryRegister(`other-${name}`, { [field]: otherText })
    : account;
}

const isRefusedWithMessage = ({ exchange }: ApiCall) =>
  isClientError(exchange) && !messageFault(exchange);

/** Signs in to an account of the table, once per run and credentials. */
export const signInAs = oncePerArguments(
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
export const signsInAsTyped =
  (name: Name, changes: Changes = {}): ((context: RunContext) => Promise<void>) =>
  async (context) => {
    const account = await register(context, name);
    if (isRefusedWithMessage(account.registration)) skipRejected(name, account);
    await judgeSpecial<Name, ApiCall>(name, 'plain', (each) => expectSignIn(context, each));
    await signsInNotWith(name, changes)(context);
  };

/** Fails if an account of the table cannot register, or not sign in. */
async function expectSignIn(context: RunContext, name: Name): Promise<ApiCall> {
  const { words, field } = caseOf(name);
  const account = await register(context, name);
  const { registration } = account;
  const { exchange } = registration;
  if (!isSuccess(exchange)) {
    await expectPlainCharacters(context, name);
    const failure = isClientError(exchange)
      ? `${words} is refused, and ${messageFault(exchange)}.`
      : `${words} cannot register: ${describeStatus(exchange)}.`;
    fail(failure, [registration], { cause: refusalCause(exchange, lowerFirst(words)) });
  }
  const { login } = await signInAs(context, name);
  if (!login.outcome.ok) {
    await blockIfRefusedAnyway(context, account, login);
    await blockIfPlainBytesFail(context, name, Buffer.from(account[field]));
    for (const [change, textOf] of Object.entries(usualChanges)) {
      const changed = await signInAs(context, name, { [field]: textOf(account[field]) });
      if (changed.login.outcome.ok)
        fail(`${words} signs in only ${change}.`, [registration, login]);
    }
    failIfAny(await listCharacterProblems(context, name));
  }
  expectSuccess(login, `${words} can register, not sign in`, [registration]);
  return login;
}

/** Creates the `run` of a check: an account signs in with none of these changes. */
export const signsInNotWith =
  (name: Name, changes: Changes): ((context: RunContext) => Promise<void>) =>
  async (context) => {
    const { words, field } = caseOf(name);
    const account = await register(context, name);
    const { registration } = account;
    if (!isSuccess(registration.exchange)) skipRejected(name, account);
    for (const [change, textOf] of Object.entries(changes))
      await judgeSpecial(change, undefined, async (each) => {
        const typed = each ? textOf(account[field]) : context.fixtures[field]('unknown');
        const { login } = await signInAs(context, name, { [field]: typed });
        const description = `${words} also signs in ${each ?? `with another ${field}`}.`;
        const cause = each ? undefined : wrongSignIn(login, lowerFirst(words));
        if (login.outcome.ok) fail(description, [registration, login], { cause });
        return login;
      });
  };

const skipRejected = (name: Name, { registration: { exchange } }: Account) =>
  skip(`the backend rejects ${lowerFirst(caseOf(name).words)}: ${describeResponse(exchange)}`);

/** Blocks a problem of unusual text if as many plain bytes fail too: another check has it. */
async function blockIfPlainBytesFail(context: RunContext, name: Name, { length }: Buffer) {
  const { field, characters } = caseOf(name);
  const text = context.fixtures[field](`${name}plain`).padStart(length, 'x');
  const account = await context.tryRegister(`${name}plain`, { [field]: text });
  const login = await context.newBrowser(name).login(account.email, account.password);
  const checks = [field === 'email' ? 'ACCOUNT-16' : 'ACCOUNT-10'];
  if (characters && account.registration.outcome.ok && !login.outcome.ok)
    throw new Blocked({ words: `${length} plain characters cannot sign in`, checks });
}

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
    const createWith = (part: string, own: string) =>
      context.tryRegister(own, {
        [field]: context.fixtures[field](own).replace(/(?<=^.)/, () => part),
      });
    const { email, password, registration } = await createWith(character, `${name}${index}`);
    const isAccepted = registration.outcome.ok;
    const call = isAccepted ? await context.newBrowser(name).login(email, password) : registration;
    if (call.outcome.ok) continue;
    const letters = 'x'.repeat(Buffer.byteLength(character));
    const { registration: plain, ...other } = await createWith(letters, `${name}${index}plain`);
    const isPlain = !plain.outcome.ok;
    const isComposed = character === character.normalize();
    const shown = isComposed ? `"${character}"` : '"e" and U+0301, an accent of its own,';
    const what = isPlain ? `of ${other[field].length} letters and digits` : `with ${shown}`;
    const failure = `A plain ${field} ${what} cannot ${isAccepted ? 'sign in' : 'register'}: ${describeStatus(call.exchange)}.`;
    const exchanges = isPlain ? [plain] : isAccepted ? [registration, call] : [call];
    problems.push(createProblem(failure, exchanges, { plain }));
  }
  return problems;
});

/** Fails for the characters with which ordinary text cannot register, if unusual text cannot. */
export async function expectCharacters(context: RunContext, name: Name) {
  if (!(await register(context, name)).registration.outcome.ok)
    failIfAny(await listCharacterProblems(context, name));
}

/** Signs in to two accounts with another letter case than they were registered with. */
export const signInWithOtherCase = oncePerRun(async (context) => {
  const found = [];
  for (const name of ['ada', 'grace'] as const) {
    const account = await register(context, name);
    const typed = name === 'ada' ? account.email.toUpperCase() : account.email.toLowerCase();
    if (!isSuccess(account.registration.exchange)) continue;
    const signedIn = await signInAs(context, name, { email: typed });
    const { login: plain } = await signInAs(context, name);
    if (plain.outcome.ok) found.push({ ...account, name, ...signedIn, typed, plain });
  }
  return found;
});
