import type { NewProject, Project } from '../../machines/types.ts';
import { definitionOf, operationOf } from '../../model/calls.ts';
import {
  describeExchangeScreen,
  describeResponse,
  describeStatus,
  describeScreen,
  lowerFirst,
  truncate,
} from '../problems/describe.ts';
import type { Exchange } from '../http/record.ts';
import {
  isClientError,
  isSuccess,
  messageOf,
  parseJson,
  responseHeader,
  statusOf,
} from '../http/response.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import { messageFault, sentenceFault, refusalCause } from '../problems/matchers.ts';
import {
  blockIfRefusedAnyway,
  isSignIn,
  isUnauthorized,
  sendErrorCase,
  sentErrorCase,
  sendExistingEmail,
  sendUnknownEmail,
  sendWrongPassword,
} from '../requests/sign-ins.ts';
import { createAsVisitor, creatingVisitor } from '../requests/visitors.ts';
import { createListed, findProjectLoosely, isListShared, listWith } from '../requests/lists.ts';
import { createOrBlock, createWithToken } from '../requests/creates.ts';
import { makeOrdinaryVisit } from '../people/visits.ts';
import { oncePerArguments, type RunContext } from '../people/run-context.ts';
import {
  Blocked,
  expectSuccess,
  fail,
  failOnFaults,
  skip,
  type Cause,
  type ResponseRule,
} from '../problems/problem.ts';
import { must, should, type Check, type Level, type Run } from './check.ts';

/** A request that the backend should refuse with a message. */
type ErrorCase = {
  id: string;
  level: Level;
  /** As in "… is rejected with a message". */
  subject: string;
  isPlural: boolean;
  /** Whether the backend may also accept the request. */
  mayBeAccepted: boolean;
  /** Whether it tries to sign in with a value that may reach a query. */
  isInjection: boolean;
  statements: string[];
  after: string[];
  /** What users read when the app does not show the response to this request. */
  userReads: string | undefined;
  /** The call of which this is a wrong form. ERR-24 makes a good one from the same browser. */
  call: Call | undefined;
  send: (context: RunContext, browser: SimulatedBrowser) => Promise<ApiCall | Exchange>;
};

type Call = keyof typeof goodCalls;
type Send = ErrorCase['send'];

/** Changes to a valid body, a body as it is sent, or another request. */
type Wrong = Record<string, unknown> | string | Buffer | Send;

/** What users see of a request that only the kit sends. */
const notSentByApp = 'nothing: the app never sends this';
const latin1 = '{"title":"Grüße","description":"These letters are one byte in Latin-1."}';
const twoMegabytes = 'x'.repeat(2_000_000);
const anyObjects = { email: { $gt: '' }, password: { $gt: '' } };
const sqlFragments = { email: "ada' OR '1'='1' --", password: "' OR '1'='1" };
const injection = { isInjection: true, after: ['SIGNIN-2', 'ERR-21'] };
const form = 'email=ada%40example.org&password=correct+horse';

/** The statements of the wrong forms of a call. */
const statementsOf: Record<Call, string[]> = {
  login: ['CALL-2', 'CALL-5'],
  registerUser: ['CALL-7', 'ERROR-4', 'VALID-1', 'VALID-3'],
  createProject: ['CALL-9', 'ENTITY-1', 'ERROR-5'],
};

const get =
  (path: string): Send =>
  (_, browser) =>
    browser.send('GET', path);

const createAsOlga =
  (change: Partial<NewProject>, isAppRequest = true): Send =>
  async (context) => {
    const { browser } = await context.signedInUser('olga');
    const project = { ...context.fixtures.project('odd'), ...change };
    return browser.createProject(project, { isAppRequest });
  };

const sendWithoutToken: Send = (context, browser) => createWithToken(context, browser, undefined);

/** Returns a function that creates error cases. What differs from other cases comes last. */
const creatorOf =
  (mayBeAccepted: boolean) =>
  (
    id: string,
    call: Call | undefined,
    wrong: Wrong,
    subject: string,
    more: Partial<
      Pick<ErrorCase, 'level' | 'isPlural' | 'isInjection' | 'statements' | 'after' | 'userReads'>
    > = {},
  ): ErrorCase => {
    const isRequest = typeof wrong === 'function';
    return {
      id,
      level: 'SHOULD',
      subject,
      isPlural: false,
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
  acceptable('ERR-4', undefined, createAsOlga({ title: '   ' }), 'A blank title', {
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
    { email: 'not-an-email' },
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
  refused('ERR-36', 'login', { password: 12345678 }, 'A password that is a number', injection),
  refused(
    'ERR-37',
    'login',
    { password: { $ne: null } },
    'A password that is an object',
    injection,
  ),
  refused(
    'ERR-38',
    'login',
    { email: ['ada@example.org'] },
    'An email that is an array',
    injection,
  ),
  refused('ERR-39', 'login', anyObjects, 'Objects in place of an email and a password', {
    isPlural: true,
    ...injection,
  }),
  refused('ERR-40', 'login', sqlFragments, 'An email with a fragment of SQL', injection),
  refused('ERR-43', 'login', { password: true }, 'A password that is true', injection),
  refused('ERR-44', 'login', { password: null }, 'A password that is null', injection),
  refused('ERR-45', 'login', { password: [''] }, 'A password that is an array', injection),
  refused('ERR-41', 'registerUser', { password: 12345678 }, 'A new password that is a number'),
  refused('ERR-49', 'registerUser', { email: 12345678 }, 'A new email that is a number'),
  refused('ERR-42', 'registerUser', { password: { a: 1 } }, 'A new password that is an object'),
  refused('ERR-13', 'login', '{"email": "ada@exam', 'Truncated JSON'),
  refused('ERR-14', 'login', '[]', 'An array in place of an object'),
  refused('ERR-46', 'createProject', '[]', 'An array in place of a project'),
  refused('ERR-27', 'login', 'null', 'null in place of an object'),
  refused('ERR-28', 'login', '', 'A request without a body'),
  refused('ERR-29', 'login', '['.repeat(2000) + ']'.repeat(2000), 'JSON with 2,000 levels'),
  acceptable('ERR-15', 'login', form, 'A form in place of JSON'),
  acceptable('ERR-10', 'createProject', { title: undefined }, 'A project without a title', {
    userReads: 'the app: "Title is required"',
  }),
  acceptable(
    'ERR-11',
    'createProject',
    { description: undefined },
    'A project without a description',
    { userReads: 'the app: "Description is required"' },
  ),
  acceptable('ERR-12', 'createProject', { title: 42 }, 'A project whose title is a number'),
  refused('ERR-48', 'createProject', { title: ['One', 'Two'] }, 'A title that is an array'),
  acceptable(
    'ERR-35',
    'createProject',
    { description: null },
    'A project whose description is null',
  ),
  acceptable('ERR-30', 'createProject', Buffer.from(latin1, 'latin1'), 'A project in Latin-1'),
  acceptable('ERR-31', 'createProject', `\uFEFF${latin1}`, 'A project after a byte order mark'),
  acceptable('ERR-32', 'createProject', { colour: 'green' }, 'A project with an unknown field'),
  acceptable(
    'ERR-16',
    undefined,
    createAsOlga({ description: twoMegabytes }, false),
    'A project of 2 MB',
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

/** Creates the check that the request of an error case is refused with a message. */
function refusalCheck(errorCase: ErrorCase): Check {
  const { id, level, subject, isPlural, mayBeAccepted, statements, after } = errorCase;
  const [accepted, accept] = mayBeAccepted
    ? ['accepted, or rejected', 'Accept the request, or respond']
    : ['rejected', 'Respond'];
  return {
    id,
    level,
    title: `${subject} ${isPlural ? 'are' : 'is'} ${accepted} with a message`,
    requirement: `${accept} with a status 4xx and a JSON body whose "message" is a sentence for the user.`,
    statements,
    after,
    run: (context) => expectRefusalWithMessage(context, errorCase),
  };
}

/** Returns what a backend allows that accepts the request of an error case. */
export const describeAcceptance = ({ subject }: ErrorCase) => `${lowerFirst(subject)} is accepted`;

function sendBody(id: string, call: Call, wrong: object | string): Send {
  return async (context, browser) => {
    const isProject = call === 'createProject';
    if (isProject && (await isListShared(context)))
      skip('not sent, because a project that the app cannot show would stay in the shared list');
    const { fixtures } = context;
    // An account that no later check needs, in case the backend locks it.
    const { email, password } =
      call === 'login'
        ? await context.registeredAccount('eight')
        : { email: fixtures.email(id), password: fixtures.password(id) };
    const good = isProject ? fixtures.project(id) : { email, password };
    const isRaw = typeof wrong === 'string' || Buffer.isBuffer(wrong);
    const type = wrong === form ? 'application/x-www-form-urlencoded' : 'application/json';
    return browser.send('POST', operationOf(call).path, {
      body: isRaw ? wrong : JSON.stringify({ ...good, ...wrong }),
      headers: { 'content-type': type },
    });
  };
}

/** A good form of each call. `name` makes its email or its title unique. */
const goodCalls = {
  async login(context: RunContext, browser: SimulatedBrowser): Promise<ApiCall> {
    const { email, password } = await context.registeredAccount('ada');
    return browser.login(email, password);
  },
  registerUser: ({ fixtures }: RunContext, browser: SimulatedBrowser, name: string) =>
    browser.registerUser(fixtures.email(name), fixtures.password(name)),
  createProject: ({ fixtures }: RunContext, browser: SimulatedBrowser, name: string) =>
    browser.createProject(fixtures.project(name)),
};

/** Returns the name of a request if it was refused, so that it is not in use. */
async function freeName(
  context: RunContext,
  { id, send }: ErrorCase,
  other: string,
): Promise<string> {
  const result = await sentErrorCase(context, send);
  return result && isClientError(exchangeOf(result)) ? id : other;
}

const casesOf = (call: ErrorCase['call']) => errorCases.filter((each) => each.call === call);

/** Returns the last wrong form of a call, whose email or title may be in use if it was accepted. */
const lastOf = (call: Call) => casesOf(call).at(-1)!;

/**
 * Sends all wrong forms of a call and then a good one, from one browser, and returns the good one.
 * Projects are cheap, so that a good one follows each wrong one, and the first that fails counts.
 * Once per run. A wrong project may make a list unreadable: no later check reads this list.
 */
const refuseAll = oncePerArguments(async (context: RunContext, call: Call): Promise<ApiCall> => {
  const isProject = call === 'createProject';
  const { browser } = isProject
    ? await context.signedInUser('erin')
    : { browser: context.newBrowser('stranger') };
  const good = (name: string) => goodCalls[call](context, browser, name);
  let failed: ApiCall | undefined;
  for (const errorCase of casesOf(call)) {
    await sendErrorCase(context, errorCase.send, browser).catch(() => undefined);
    const next = isProject && !failed ? await good(`after-${errorCase.id}`) : undefined;
    if (next && !next.outcome.ok) failed = next;
  }
  return failed ?? good(await freeName(context, lastOf(call), 'after-refusals'));
});

export const errorChecks: Check[] = [
  must('ERR-24', {
    title: 'After a refusal, a good request of the same browser succeeds',
    requirement:
      'Refuse the request and change nothing else: keep the session, do not lock the account, and roll back the transaction of the database.',
    statements: ['ERROR-1', 'ERROR-5', 'CHOICE-9'],
    after: ['PROJECT-4'],
    async run(context) {
      for (const call of Object.keys(goodCalls) as Call[]) {
        const { outcome } = await refuseAll(context, call);
        for (const errorCase of outcome.ok ? [] : casesOf(call))
          await expectSuccessAfter(context, call, errorCase);
      }
    },
  }),
  ...errorCases.map(refusalCheck),
  must('ERR-20', {
    title: 'No request of the app makes the backend fail',
    requirement: 'Never respond to the app with 5xx, except 503 with Retry-After (throttling).',
    statements: ['ERROR-2', 'ERROR-6', 'ERROR-8'],
    after: ['REACH-6'],
    inspects: true,
    run: inspectResponses((exchange) =>
      exchange.isAppRequest &&
      statusOf(exchange) >= 500 &&
      responseHeader(exchange, 'retry-after') === undefined
        ? `gets ${describeStatus(exchange)}`
        : undefined,
    ),
  }),
  should('ERR-22', {
    title: 'Messages are sentences in plain text',
    requirement:
      'Write messages in words of the user, without markup. Send codes in another field, and fill in every placeholder.',
    statements: ['ERROR-1', 'ERROR-5'],
    after: ['REACH-6'],
    inspects: true,
    run: inspectResponses(
      (exchange) => {
        const fault = sentenceFault(exchange);
        return fault && `gets a message that ${fault}: "${truncate(messageOf(exchange)!, 20)}"`;
      },
      undefined,
      (exchange, subject) => ({
        words: `responses have a message that ${sentenceFault(exchange)}`,
        subject,
      }),
    ),
  }),
  must('ERR-23', {
    title: "No rejection opens the browser's own sign-in dialog",
    requirement:
      'Send 401 without "WWW-Authenticate: Basic" (or Digest, Negotiate, NTLM). Otherwise the browser asks for a name and a password, and the app waits.',
    statements: ['ERROR-1', 'LOGIN-5'],
    after: ['REACH-6'],
    inspects: true,
    run: inspectResponses(
      (exchange) => {
        const challenge = responseHeader(exchange, 'www-authenticate') ?? '';
        return statusOf(exchange) === 401 && /\b(basic|digest|negotiate|ntlm)\b/i.test(challenge)
          ? `gets 401 and "WWW-Authenticate: ${truncate(challenge, 20)}"`
          : undefined;
      },
      () => "the browser's own dialog for a name and a password",
    ),
  }),
  must('ERR-21', {
    title:
      'No object, array, other value or SQL fragment in place of an email and a password signs in',
    requirement:
      'Reject an email or a password that is not a string before it reaches a query (NoSQL and ORM injection). Bind strings as parameters (SQL injection).',
    statements: ['AUTH-5', 'ENTITY-4'],
    after: ['REACH-6'],
    async run(context) {
      for (const errorCase of errorCases.filter(({ isInjection }) => isInjection)) {
        const result = await triggerError(context, errorCase);
        if (await isSignIn(context, exchangeOf(result)))
          fail(`${errorCase.subject} signs in.`, [result]);
      }
    },
  }),
  should('ERR-33', {
    title: 'JSON is accepted with a charset, and with any letter case of its content type',
    requirement:
      'Compare the media type without its parameters and without regard to case: "Application/JSON;charset=UTF-8" is JSON.',
    statements: ['CALL-2'],
    after: ['PROJECT-4'],
    async run(context) {
      const { browser } = await context.signedInUser('olga');
      const { call: control } = await createOrBlock(context, browser, 'sent as JSON');
      const types = ['application/json;charset=UTF-8', 'Application/Json'];
      for (const [index, type] of types.entries()) {
        const overrides = { headers: { 'content-type': type }, isAppRequest: false };
        const project = context.fixtures.project(`sent as JSON ${index}`);
        const call = await browser.createProject(project, overrides);
        expectSuccess(call, `A project sent as ${type} is refused`, [control], {
          userSees: notSentByApp,
        });
      }
    },
  }),
];

/** Creates a verdict on the responses to an ordinary visit and to the error cases. */
export function inspectResponses(...rule: ResponseRule): Run {
  return async (context) => failOnFaults(await collectExchanges(context), ...rule);
}

/** Makes an ordinary visit and sends all error cases. Returns the exchanges of the run so far. */
export async function collectExchanges(context: RunContext): Promise<Exchange[]> {
  await makeOrdinaryVisit(context).catch(() => {});
  for (const errorCase of errorCases) await triggerError(context, errorCase).catch(() => {});
  return context.http.exchanges;
}

/** Returns what users read in each error case of this run that the app can bring about. */
export async function listUserMessages(context: RunContext) {
  const rows = [];
  for (const errorCase of errorCases.filter(({ userReads }) => userReads !== notSentByApp)) {
    const result = await sentErrorCase(context, errorCase.send);
    if (!result) continue;
    const exchange = exchangeOf(result);
    rows.push({
      id: errorCase.id,
      situation: errorCase.subject,
      status: statusOf(exchange),
      response: describeResponse(exchange),
      message: describeUserMessage(errorCase, result),
    });
  }
  return rows;
}

/** Sends the request of an error case, once per run. A wrong form has the session of its call. */
async function triggerError(context: RunContext, { call, send }: ErrorCase) {
  if (call) await refuseAll(context, call);
  return sendErrorCase(context, send);
}

/** Sends the request of an error case. Blocks the check when a good request is refused too. */
export async function triggerJudged(context: RunContext, errorCase: ErrorCase) {
  const result = await triggerError(context, errorCase);
  const good = errorCase.call && (await refuseAll(context, errorCase.call));
  if (good && isClientError(good.exchange))
    throw new Blocked(`a good request is refused too: ${describeResponse(good.exchange)}`);
  return result;
}

export const exchangeOf = (result: ApiCall | Exchange): Exchange =>
  'outcome' in result ? result.exchange : result;

/** Returns what users read in an error case. */
const describeUserMessage = ({ userReads }: ErrorCase, result: ApiCall | Exchange) =>
  userReads ?? ('outcome' in result ? describeScreen(result) : describeExchangeScreen(result));

async function expectRefusalWithMessage(context: RunContext, errorCase: ErrorCase) {
  const { subject, mayBeAccepted } = errorCase;
  const result = await triggerError(context, errorCase);
  const exchange = exchangeOf(result);
  const userSees = describeUserMessage(errorCase, result);
  const verb = errorCase.isPlural ? 'get' : 'gets';
  const failWith = (fault: string, cause?: Cause) =>
    fail(`${subject} ${verb} ${describeStatus(exchange)}${fault}.`, [result], {
      userSees,
      cause,
      isTypical: true,
    });
  if (isSuccess(exchange)) {
    const fault = await findAcceptanceFault(context, result);
    if (fault) failWith(`, but ${fault}`);
    if (mayBeAccepted) skip(describeAcceptance(errorCase));
  }
  if (!isClientError(exchange)) {
    const { method, path } = exchange.request;
    const words = `wrong requests to ${method} ${path} get ${describeStatus(exchange)}`;
    const key = `${method} ${path} ${describeResponse(exchange)}`;
    const cause = isSuccess(exchange) ? undefined : { words, key, subject: lowerFirst(subject) };
    failWith(', not 4xx', cause);
  }
  const fault = messageFault(exchange);
  const cause = refusalCause(exchange, lowerFirst(subject));
  if (fault) failWith(`, and ${fault}`, cause);
  await triggerJudged(context, errorCase);
}

/** Fails if a call succeeds before one refusal and not after it, both in a new browser. */
async function expectSuccessAfter(context: RunContext, call: Call, errorCase: ErrorCase) {
  const browser =
    call === 'createProject'
      ? (await context.newSession('erin')).browser
      : context.newBrowser('stranger');
  const before = await goodCalls[call](context, browser, `before-${errorCase.id}`);
  const { subject } = definitionOf(call).words;
  if (!before.outcome.ok && call === 'login') await expectSignInAfterWrongPassword(context);
  if (!before.outcome.ok)
    throw new Blocked(`${subject} fails: ${describeResponse(before.exchange)}`);
  const refusal = await errorCase.send(context, browser);
  const name = await freeName(context, errorCase, `next-${errorCase.id}`);
  const after = await goodCalls[call](context, browser, name);
  const isEnd = isUnauthorized(after) && call === 'createProject';
  const what = isEnd ? 'the session has ended' : `${subject} fails`;
  const failure = `After ${lowerFirst(errorCase.subject)}, ${what}`;
  expectSuccess(after, failure, [before, refusal]);
}

/** Fails if an account signs in before a wrong password and not after it. */
async function expectSignInAfterWrongPassword(context: RunContext) {
  const { email, password } = await context.registeredAccount('mistyped');
  const browser = context.newBrowser('stranger');
  const before = await browser.login(email, password);
  const wrong = await browser.login(email, `${password}?`);
  const after = await browser.login(email, password);
  const failure = 'After one wrong password, the right one fails';
  if (!after.outcome.ok) await blockIfRefusedAnyway(context);
  if (before.outcome.ok) expectSuccess(after, failure, [before, wrong]);
}

/** Returns what contradicts a success response; undefined when the backend did what it says. */
async function findAcceptanceFault(
  context: RunContext,
  result: ApiCall | Exchange,
): Promise<string | undefined> {
  if ('outcome' in result) {
    const { operation, outcome } = result;
    if (operation !== 'createProject') return undefined;
    if (!outcome.ok) return 'the body is not a project';
    const created = { call: result, project: outcome.value as Project };
    const visitors = await (await creatingVisitor(context)).listProjects();
    if (visitors.outcome.ok && findProjectLoosely(visitors.outcome.value, created.project))
      return undefined;
    const { browser } = await context.signedInUser('olga');
    if ((await listWith(context, browser, [created])).missing.length === 0) return undefined;
    await createListed(context, browser, 'beside an odd one');
    return 'no list contains it';
  }
  const { path } = result.request;
  if (path.endsWith('/projects') && !('id' in Object(parseJson(result.response!.text))))
    return 'the body is not a project';
  if (!path.endsWith('/register')) return undefined;
  const json = parseJson(String(result.request.body));
  const login = await context.newBrowser('odd').send('POST', '/api/v1/auth/login', { json });
  return isSuccess(login) ? undefined : 'its sign-in is refused';
}
