import { operationOf } from '../../model/requests.ts';
import type { Exchange } from '../http/record.ts';
import {
  appErrorOf,
  maxLengthOf,
  minLengthOf,
  projectOf,
  textNames,
  type TextName,
} from '../http/project-texts.ts';
import { isClientError, isSuccess } from '../http/response.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import { emailDomain } from '../people/fixtures.ts';
import type { RunContext } from '../people/run-context.ts';
import { messageFault } from '../problems/matchers.ts';
import { skip } from '../problems/problem.ts';
import { createWithToken } from './creates.ts';
import { isListShared } from './owners.ts';
import { sendExistingEmail, sendUnknownEmail, sendWrongPassword } from './sign-ins.ts';
import { createAsVisitor } from './visitors.ts';

/** A request that the backend should refuse with a message. */
export type ErrorCase = {
  id: string;
  level: 'MUST' | 'SHOULD';
  /** As in "… is rejected with a message". */
  subject: string;
  /** Whether the backend may also accept the request. */
  mayBeAccepted: boolean;
  /** Whether it tries to sign in with a value that may reach a query. */
  isInjection: boolean;
  statements: string[];
  after: string[];
  /** What users read when the app does not show the response to this request. */
  userReads: string | undefined;
  /** The call of which this is a wrong form. ERR-24 makes a good one from the same browser. */
  call: FormCall | undefined;
  send: (context: RunContext, browser: SimulatedBrowser) => Promise<ApiCall | Exchange>;
};

/** The calls that have a form. */
export type FormCall = 'login' | 'registerUser' | 'createProject';
type Send = ErrorCase['send'];

/** Changes to a valid body, a body as it is sent, or another request. */
type Wrong = Record<string, unknown> | string | Buffer | Send;

/** What users see of a request that only the kit sends. */
export const notSentByApp = 'nothing: the app never sends this';
const latin1 = JSON.stringify(projectOf(() => 'Grüße: one byte for each letter'));
/** Where the run id and a number of the run go, so that each run registers emails of its own. */
const [runIdPlace, numberPlace] = ['(run id)', 12345678];
/** Where the email and the password of the account go, which some libraries take out of arrays. */
const [ownEmail, ownPassword] = ['(email)', '(password)'];
// The message of a parser may quote it.
const brokenJson = '{"email":"ada@example.org","password":"Kit-of-broken-JSON-1!"';
// Many servers allow 2 MiB.
const longText = 'x'.repeat(2_200_000);
const [longestText = textNames[0]!] = textNames.toSorted((a, b) => maxLengthOf(b) - maxLengthOf(a));
const tooShortFor = (name: TextName) => 'x'.repeat(minLengthOf(name) - 1);
const anyObjects = { email: { $gt: '' }, password: { $gt: '' } };
// A message may repeat the email, which must not contain the password.
const sqlFragments = { email: "ada' OR 1=1 --", password: "' OR '1'='1" };
const query = { isInjection: true, after: ['SIGNIN-2', 'ERR-21'] };
const form = 'email=ada%40example.org&password=correct+horse';

/** The statements of the wrong forms of a call. */
const statementsOf: Record<FormCall, string[]> = {
  login: ['CALL-2', 'CALL-5'],
  registerUser: ['CALL-7', 'ERROR-4', 'VALID-1', 'VALID-3'],
  createProject: ['CALL-9', 'ENTITY-1', 'ERROR-5'],
};

const get =
  (path: string): Send =>
  (_, browser) =>
    browser.send('GET', path);

const createAsOlga =
  (change: object, isAppRequest = true): Send =>
  async (context) => {
    const { browser } = await context.signedInUser('olga');
    const project = { ...context.fixtures.project('odd'), ...change };
    return browser.createProject(project, { isAppRequest });
  };

/** Sends a project for each text, which has this value there. Returns the worst response. */
const withEachText =
  (sendWith: (change: object) => Send, valueOf: (name: TextName) => unknown): Send =>
  async (...args) => {
    const results = [];
    for (const name of textNames) results.push(await sendWith({ [name]: valueOf(name) })(...args));
    return results.toSorted((a, b) => badnessOf(b) - badnessOf(a))[0]!;
  };

const createWithBlank = withEachText(createAsOlga, () => '   ');
const createWithTooLong = withEachText(createAsOlga, (name) => 'x'.repeat(maxLengthOf(name) + 1));

/** What is no usable response is worse than a refusal without a message, and this than the rest. */
function badnessOf(result: ApiCall | Exchange): number {
  const exchange = 'outcome' in result ? result.exchange : result;
  if (isClientError(exchange)) return messageFault(exchange) ? 2 : 0;
  return isSuccess(exchange) ? 1 : 3;
}

const sendWithoutToken: Send = (context, browser) => createWithToken(context, browser, undefined);

/** Returns a function that creates error cases. What differs from other cases comes last. */
const creatorOf =
  (mayBeAccepted: boolean) =>
  (
    id: string,
    call: FormCall | undefined,
    wrong: Wrong,
    subject: string,
    more: Partial<
      Pick<ErrorCase, 'level' | 'isInjection' | 'statements' | 'after' | 'userReads'>
    > = {},
  ): ErrorCase => {
    const isRequest = typeof wrong === 'function';
    return {
      id,
      level: 'SHOULD',
      subject,
      mayBeAccepted,
      isInjection: false,
      statements: call ? statementsOf[call] : [],
      after: [call === 'createProject' ? 'PROJECT-4' : 'REACH-6'],
      userReads: isRequest ? undefined : notSentByApp,
      call,
      send: isRequest ? wrong : sendBody(id, call!, wrong),
      ...more,
    };
  };

const refused = creatorOf(false);
const acceptable = creatorOf(true);

/** Creates the error case of a project with such a value in place of a text. */
const oddText = (
  create: typeof refused,
  id: string,
  valueOf: (name: TextName) => unknown,
  subject: string,
) =>
  create(
    id,
    'createProject',
    withEachText((change) => sendBody(id, 'createProject', change), valueOf),
    subject,
    { userReads: appMessages(valueOf) },
  );

/** Returns what the app says of these texts before it sends them. */
function appMessages(valueOf: (name: TextName) => unknown): string {
  const messages = textNames.flatMap((name) => {
    const { [name]: text = '' } = { [name]: valueOf(name) };
    return (typeof text === 'string' && appErrorOf(name, text)) || [];
  });
  return messages.length > 0 ? `the app: "${messages.join('" or "')}"` : notSentByApp;
}

/** All error cases, in the order of the table "What your users will read". */
export const errorCases: ErrorCase[] = [
  refused('ERR-1', 'login', sendWrongPassword, 'A wrong password', {
    level: 'MUST',
    statements: ['ERROR-1', 'ERROR-2', 'CHOICE-14'],
    after: ['SIGNIN-1', 'SIGNIN-2'],
  }),
  refused('ERR-2', 'login', sendUnknownEmail, 'An unknown email', {
    level: 'MUST',
    statements: ['ERROR-1', 'ERROR-2', 'CHOICE-14'],
    after: ['SIGNIN-1', 'SIGNIN-2'],
  }),
  acceptable('ERR-3', undefined, createAsVisitor, 'A project of a visitor without a session', {
    level: 'MUST',
    statements: ['ERROR-5', 'ERROR-6', 'CHOICE-41', 'CHOICE-43'],
  }),
  acceptable('ERR-4', undefined, createWithBlank, 'A blank text', {
    level: 'MUST',
    statements: ['CHOICE-25', 'ERROR-5', 'ERROR-6'],
    after: ['PROJECT-4'],
  }),
  refused('ERR-5', 'registerUser', sendExistingEmail, 'An email that has an account', {
    statements: ['ERROR-4', 'CHOICE-45'],
    after: ['ACCOUNT-7'],
  }),
  acceptable(
    'ERR-6',
    'registerUser',
    { email: `${runIdPlace}.${emailDomain}` },
    'An email that is not an address',
    { userReads: 'the app: "Invalid email address"' },
  ),
  acceptable('ERR-7', 'registerUser', { password: 'aB3$xY7' }, 'A password of 7 characters', {
    userReads: 'the app: "Password must be at least 8 characters"',
  }),
  refused('ERR-26', 'registerUser', { email: undefined }, 'A registration without an email', {
    userReads: 'the app: "Email is required"',
  }),
  refused('ERR-47', 'registerUser', { password: undefined }, 'A registration without a password', {
    userReads: 'the app: "Password is required"',
  }),
  refused('ERR-9', 'login', { password: undefined }, 'A sign-in without a password', {
    userReads: 'the app: "Password is required"',
  }),
  refused('ERR-25', 'login', { email: 5 }, 'An email that is a number'),
  refused('ERR-36', 'login', { password: 12345678 }, 'A password that is a number', query),
  refused('ERR-37', 'login', { password: { $ne: null } }, 'A password that is an object', query),
  refused('ERR-38', 'login', { email: [ownEmail] }, 'An email that is an array'),
  refused('ERR-39', 'login', anyObjects, 'An object in place of each credential', query),
  refused('ERR-40', 'login', sqlFragments, 'An email with a fragment of SQL', query),
  refused('ERR-43', 'login', { password: true }, 'A password that is true', query),
  refused('ERR-44', 'login', { password: null }, 'A password that is null', query),
  refused('ERR-45', 'login', { password: [ownPassword] }, 'A password that is an array'),
  refused('ERR-41', 'registerUser', { password: 12345678 }, 'A new password that is a number'),
  refused('ERR-49', 'registerUser', { email: numberPlace }, 'A new email that is a number'),
  refused('ERR-42', 'registerUser', { password: { a: 1 } }, 'A new password that is an object'),
  refused('ERR-13', 'login', brokenJson, 'Truncated JSON'),
  refused('ERR-14', 'login', '[]', 'An array in place of an object'),
  refused('ERR-46', 'createProject', '[]', 'An array in place of a project'),
  refused('ERR-27', 'login', 'null', 'null in place of an object'),
  refused('ERR-28', 'login', '', 'A request without a body'),
  refused('ERR-29', 'login', '['.repeat(20_000) + ']'.repeat(20_000), 'JSON with 20,000 levels'),
  acceptable('ERR-15', 'login', form, 'A form in place of JSON'),
  oddText(acceptable, 'ERR-10', () => undefined, 'A project without a text'),
  oddText(acceptable, 'ERR-50', tooShortFor, 'A project with a text that is too short'),
  oddText(acceptable, 'ERR-12', () => 42, 'A project with a number as a text'),
  oddText(refused, 'ERR-48', () => ['One', 'Two'], 'A project with an array as a text'),
  oddText(acceptable, 'ERR-35', () => null, 'A project with null as a text'),
  acceptable('ERR-30', 'createProject', Buffer.from(latin1, 'latin1'), 'A project in Latin-1'),
  acceptable('ERR-31', 'createProject', `\uFEFF${latin1}`, 'A project after a byte order mark'),
  acceptable('ERR-32', 'createProject', { colour: 'green' }, 'A project with an unknown field'),
  acceptable('ERR-51', undefined, createWithTooLong, 'A text that is longer than the maximum', {
    statements: ['CHOICE-26', 'ERROR-5', 'ERROR-6'],
    after: ['PROJECT-4'],
  }),
  acceptable(
    'ERR-16',
    undefined,
    createAsOlga({ [longestText]: longText }, false),
    'A project of 2.2 MB',
    { statements: ['CHOICE-26', 'ERROR-5', 'ERROR-6'], after: ['PROJECT-4'] },
  ),
  refused('ERR-17', undefined, get('/api/v1/no-such-thing'), 'An unknown address under /api/v1', {
    statements: ['CALL-1', 'CALL-2'],
    userReads: notSentByApp,
  }),
  refused('ERR-18', undefined, get('/api/v1/auth/login'), 'An unsupported method', {
    statements: ['CALL-1', 'CALL-5'],
    userReads: notSentByApp,
  }),
  acceptable('ERR-19', 'createProject', sendWithoutToken, 'A project without the XSRF token', {
    statements: ['CALL-4', 'ERROR-5', 'ERROR-6'],
  }),
];

function sendBody(id: string, call: FormCall, wrong: object | string): Send {
  return async (context, browser) => {
    const isProject = call === 'createProject';
    if (isProject && (await isListShared(context)))
      skip('not sent, because a project that the app cannot show would stay in the shared list');
    const { fixtures } = context;
    // An account that no later check needs, in case the backend locks it.
    const { email, password } =
      call === 'login'
        ? await context.registeredAccount('eight')
        : { email: fixtures.email(id.toLowerCase()), password: fixtures.password(id) };
    const good = isProject ? fixtures.project(id) : { email, password };
    const isRaw = typeof wrong === 'string' || Buffer.isBuffer(wrong);
    const type = wrong === form ? 'application/x-www-form-urlencoded' : 'application/json';
    return browser.send('POST', operationOf(call).path, {
      body: isRaw
        ? wrong
        : JSON.stringify({ ...good, ...wrong })
            .replace(runIdPlace, fixtures.runId)
            .replace(ownEmail, email)
            .replace(ownPassword, () => password)
            .replace(`"email":${numberPlace}`, `"email":${fixtures.number}`),
      headers: { 'content-type': type },
    });
  };
}
