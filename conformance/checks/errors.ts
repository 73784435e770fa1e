import { STATUS_CODES } from 'node:http';
import type { NewProject, Project } from '../../machines/types.ts';
import { definitionOf, operationOf } from '../../model/calls.ts';
import {
  describeExchangeScreen,
  describeListFault,
  describeMessageFault,
  describeResponse,
  describeScreen,
  lowerFirst,
  refusalCause,
} from '../describe.ts';
import type { Exchange } from '../http/client.ts';
import {
  isClientError,
  isSuccess,
  messageOf,
  parseJson,
  responseHeader,
  statusOf,
} from '../http/response.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import {
  createAsVisitor,
  createOrBlock,
  createWithoutToken,
  creatingVisitor,
  findProject,
  isListShared,
  isUnauthorized,
  makeOrdinaryVisit,
  sendErrorCase,
  sendExistingEmail,
  sendUnknownEmail,
  sendWrongPassword,
} from '../probes.ts';
import type { RunContext } from '../run-context.ts';
import { Blocked, expectSuccess, fail, failOnFaults, skip, type Cause } from '../verdict.ts';
import { verdictsOf, type CheckId, type Verdicts } from './check.ts';

/** A request that the backend should refuse with a message. */
type ErrorCase = {
  id: CheckId;
  /** As in "… is rejected with a message". */
  subject: string;
  /** Present when a backend may accept the request: what it then allows. */
  noteIfAccepted: string | undefined;
  userReads: string | undefined;
  /** The call of which this is a wrong form. ERR-24 makes a good one from the same browser. */
  call: Call | undefined;
  send: (context: RunContext, browser: SimulatedBrowser) => Promise<ApiCall | Exchange>;
};

type Call = keyof typeof goodCalls;
type Send = ErrorCase['send'];

/** Changes to a valid body, a body as it is sent, or another request. */
type Wrong = object | string | Buffer | Send;

/** What users see of a request that only the kit sends. */
export const notSentByApp = 'nothing: the app never sends this';
const latin1 = '{"title":"Grüße","description":"These letters are one byte in Latin-1."}';
const twoMegabytes = 'x'.repeat(2_000_000);
const anyObjects = { email: { $gt: '' }, password: { $gt: '' } };
const sqlFragments = { email: "ada' OR '1'='1' --", password: "' OR '1'='1" };
/** Errors that ERR-21 inspects too. */
const injections = [36, 37, 38, 39, 40, 43, 44, 45].map((number) => `ERR-${number}`);
const form = 'email=ada%40example.org&password=correct+horse';

/** What users read, when the app does not show the response to this request. */
const notShown: Record<string, string> = {
  'ERR-6': 'the app: "Invalid email address"',
  'ERR-7': 'the app: "Password must be at least 8 characters"',
  'ERR-26': 'the app: "Email is required"',
  'ERR-9': 'the app: "Password is required"',
  'ERR-10': 'the app: "Title is required"',
  'ERR-11': 'the app: "Description is required"',
  'ERR-17': notSentByApp,
  'ERR-18': notSentByApp,
};

const notesIfAccepted: Record<string, string> = {
  'ERR-3': 'visitors may create projects',
  'ERR-4': 'blank titles are accepted',
  'ERR-6': 'any text is accepted as an email',
  'ERR-7': 'shorter passwords are accepted',
  'ERR-41': 'a password that is a number is accepted',
  'ERR-15': 'forms are accepted too',
  'ERR-16': 'projects of 2 MB are accepted',
  'ERR-19': 'no XSRF token is required',
};

const get =
  (path: string): Send =>
  (_, browser) =>
    browser.send('GET', path);

const createAsOlga =
  (change: Partial<NewProject>, isAppRequest = true): Send =>
  async (context) => {
    const { browser } = await context.signedInUser('olga');
    return browser.createProject(
      { ...context.fixtures.project('odd'), ...change },
      { isAppRequest },
    );
  };

/** All error cases, in the order of the table "What your users will read". */
export const errorCases: ErrorCase[] = (
  [
    ['ERR-1', 'login', 'A wrong password', sendWrongPassword],
    ['ERR-2', 'login', 'An unknown email', sendUnknownEmail],
    ['ERR-3', undefined, 'A project of a visitor without a session', createAsVisitor],
    ['ERR-4', undefined, 'A blank title', createAsOlga({ title: '   ' })],
    ['ERR-5', 'registerUser', 'An email that has an account', sendExistingEmail],
    ['ERR-6', 'registerUser', 'An email that is not an address', { email: 'not-an-email' }],
    ['ERR-7', 'registerUser', 'A password of 7 characters', { password: 'aB3$xY7' }],
    ['ERR-26', 'registerUser', 'A registration without an email', { email: undefined }],
    ['ERR-9', 'login', 'A sign-in without a password', { password: undefined }],
    ['ERR-25', 'login', 'An email that is a number', { email: 5 }],
    ['ERR-36', 'login', 'A password that is a number', { password: 12345678 }],
    ['ERR-37', 'login', 'A password that is an object', { password: { $ne: null } }],
    ['ERR-38', 'login', 'An email that is an array', { email: ['ada@example.org'] }],
    ['ERR-39', 'login', 'An email and a password that are objects', anyObjects],
    ['ERR-40', 'login', 'An email with a fragment of SQL', sqlFragments],
    ['ERR-43', 'login', 'A password that is true', { password: true }],
    ['ERR-44', 'login', 'A password that is null', { password: null }],
    ['ERR-45', 'login', 'A password that is an array', { password: [''] }],
    ['ERR-41', 'registerUser', 'A new password that is a number', { password: 12345678 }],
    ['ERR-42', 'registerUser', 'A new password that is an object', { password: { a: 1 } }],
    ['ERR-13', 'login', 'Truncated JSON', '{"email": "ada@exam'],
    ['ERR-14', 'login', 'An array in place of an object', '[]'],
    ['ERR-27', 'login', 'null in place of an object', 'null'],
    ['ERR-28', 'login', 'A request without a body', ''],
    ['ERR-29', 'login', 'JSON with 2,000 levels', '['.repeat(2000) + ']'.repeat(2000)],
    ['ERR-15', 'login', 'A form in place of JSON', form],
    ['ERR-10', 'createProject', 'A project without a title', { title: undefined }],
    ['ERR-11', 'createProject', 'A project without a description', { description: undefined }],
    ['ERR-12', 'createProject', 'A project whose title is a number', { title: 42 }],
    ['ERR-35', 'createProject', 'A project whose description is null', { description: null }],
    ['ERR-30', 'createProject', 'A project in Latin-1', Buffer.from(latin1, 'latin1')],
    ['ERR-31', 'createProject', 'A project after a byte order mark', `\uFEFF${latin1}`],
    ['ERR-32', 'createProject', 'A project with an unknown field', { colour: 'green' }],
    ['ERR-16', undefined, 'A project of 2 MB', createAsOlga({ description: twoMegabytes }, false)],
    ['ERR-17', undefined, 'An unknown address under /api/v1', get('/api/v1/no-such-thing')],
    ['ERR-18', undefined, 'An unsupported method', get('/api/v1/auth/login')],
    ['ERR-19', undefined, 'A project without the XSRF token', createWithoutToken],
  ] satisfies [CheckId, ErrorCase['call'], string, Wrong][]
).map(([id, call, subject, wrong]) => ({
  id,
  call,
  subject,
  userReads: notShown[id] ?? (typeof wrong === 'function' ? undefined : notSentByApp),
  noteIfAccepted:
    call === 'createProject' ? `${lowerFirst(subject)} is accepted` : notesIfAccepted[id],
  send: typeof wrong === 'function' ? wrong : sendBody(id, call!, wrong),
}));

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
    const credentials = { email, password };
    const changed = { ...(isProject ? fixtures.project(id) : credentials), ...Object(wrong) };
    const isRaw = typeof wrong === 'string' || Buffer.isBuffer(wrong);
    const type = wrong === form ? 'application/x-www-form-urlencoded' : 'application/json';
    return browser.send('POST', operationOf(call).path, {
      body: isRaw ? wrong : JSON.stringify(changed),
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

const casesOf = (call: ErrorCase['call']) => errorCases.filter((each) => each.call === call);

/**
 * Sends all wrong forms of a call and then a good one, from one browser, and returns the good one.
 * Projects are cheap, so that a good one follows each wrong one, and the first that fails counts.
 * Once per run. A wrong project may make a list unreadable: no later check reads this list.
 */
const refuseAll = (context: RunContext, call: Call): Promise<ApiCall> =>
  context.once(`refusals of ${call}`, async () => {
    const isProject = call === 'createProject';
    const { browser } = isProject
      ? await context.signedInUser('tess')
      : { browser: context.newBrowser('stranger') };
    const good = (id: string) => goodCalls[call](context, browser, `after-${id}`);
    let failed: ApiCall | undefined;
    for (const errorCase of casesOf(call)) {
      await sendErrorCase(context, errorCase.id, errorCase.send, browser).catch(() => undefined);
      const next = isProject && !failed ? await good(errorCase.id) : undefined;
      if (next && !next.outcome.ok) failed = next;
    }
    return failed ?? good('refusals');
  });

export const errorChecks: Verdicts = {
  async 'ERR-24'(context) {
    for (const call of Object.keys(goodCalls) as Call[]) {
      const { outcome } = await refuseAll(context, call);
      for (const [index, errorCase] of outcome.ok ? [] : casesOf(call).entries())
        await expectSuccessAfter(context, call, errorCase, index);
    }
  },
  ...verdictsOf(errorCases, expectRefusalWithMessage),
  async 'ERR-20'(context) {
    await makeOrdinaryVisit(context);
    failOnFaults(
      context.http.exchanges.filter(({ isAppRequest }) => isAppRequest),
      (exchange) =>
        statusOf(exchange) >= 500 && responseHeader(exchange, 'retry-after') === undefined
          ? `responds with ${describeResponse(exchange)}`
          : undefined,
    );
  },
  async 'ERR-22'(context) {
    await makeOrdinaryVisit(context);
    for (const errorCase of errorCases) await triggerError(context, errorCase).catch(() => {});
    failOnFaults(
      context.http.exchanges.filter(isClientError),
      (exchange) => {
        const fault = describeNoSentence(exchange);
        return fault && `responds with a message that ${fault}: "${messageOf(exchange)}"`;
      },
      (exchange) => (exchange.isAppRequest ? describeExchangeScreen(exchange) : notSentByApp),
      (exchange, subject) => ({
        words: `responses have a message that ${describeNoSentence(exchange)}`,
        subject,
      }),
    );
  },
  async 'ERR-23'(context) {
    await makeOrdinaryVisit(context);
    failOnFaults(
      context.http.exchanges.filter((exchange) => statusOf(exchange) === 401),
      (exchange) => {
        const challenge = responseHeader(exchange, 'www-authenticate');
        return challenge && /\b(basic|digest|negotiate|ntlm)\b/i.test(challenge)
          ? `responds with 401 and "WWW-Authenticate: ${challenge}"`
          : undefined;
      },
      () => "the browser's own dialog for a name and a password",
    );
  },
  async 'ERR-21'(context) {
    for (const errorCase of errorCases.filter(({ id }) => injections.includes(id))) {
      const result = await triggerError(context, errorCase);
      if (isSuccess(exchangeOf(result))) fail(`${errorCase.subject} signs in.`, [result]);
    }
  },
  async 'ERR-33'(context) {
    const { browser } = await context.signedInUser('olga');
    const { call: control } = await createOrBlock(context, browser, 'sent as JSON');
    for (const type of ['application/json;charset=UTF-8', 'Application/Json']) {
      const overrides = { headers: { 'content-type': type }, isAppRequest: false };
      const project = context.fixtures.project(`sent as ${type}`);
      const call = await browser.createProject(project, overrides);
      expectSuccess(call, `A project sent as ${type} is refused`, [control], notSentByApp);
    }
  },
};

/** Returns what is wrong with the text of a message; undefined when it is a sentence. */
function describeNoSentence(exchange: Exchange): string | undefined {
  const message = messageOf(exchange)?.trim() ?? '';
  // A message may repeat what the user typed.
  const sent = String(exchange.request.body ?? '');
  const has = (pattern: RegExp) =>
    pattern.test(message) && !sent.includes(pattern.exec(message)![0]);
  if (has(/<\/?[a-z][^<>]*>|&(amp|lt|gt|quot|#\d+);/i)) return 'contains markup';
  if (has(/\{\{? ?[\w.]+ ?\}|%(?:\d\$)?[sd]\b|\$\{\w+/)) return 'has an empty placeholder';
  if (has(/^(?:null|undefined|none|nil|true|false)$|\[object \w+\]/i)) return 'is no text';
  if (has(/^[\w.\\$]+(?:Exception|Error)\b/)) return 'is the name of an exception';
  if (exchange.isAppRequest && message === STATUS_CODES[statusOf(exchange)])
    return 'only repeats the status';
  // Without a space, and with a separator, a digit or a capital inside: error.api.401, ERR_INVALID.
  if (has(/^[\w.:/-]*(?:[a-z][A-Z]|[A-Za-z][._:/-][A-Za-z\d]|\d)[\w.:/-]*$/)) return 'is a code';
  return undefined;
}

/** Sends the request of an error case, once per run. */
export async function triggerError(context: RunContext, errorCase: ErrorCase) {
  if (errorCase.call) await refuseAll(context, errorCase.call);
  return sendErrorCase(context, errorCase.id, errorCase.send);
}

/** Sends the request of an error case. Blocks the check when a good request is refused too. */
export async function triggerJudged(context: RunContext, errorCase: ErrorCase) {
  const result = await triggerError(context, errorCase);
  const good = errorCase.call && (await refuseAll(context, errorCase.call));
  if (good && isClientError(good.exchange))
    throw new Blocked(`a good request is refused too: ${describeResponse(good.exchange)}`);
  return result;
}

/** Returns the result of `triggerError`; undefined when the run has not called it. */
export const triggeredError = (context: RunContext, { id }: ErrorCase) =>
  context.peek<ApiCall | Exchange>(`error case ${id}`);

export const exchangeOf = (result: ApiCall | Exchange): Exchange =>
  'outcome' in result ? result.exchange : result;

/** Returns what users read in an error case. */
export function describeUserMessage({ userReads }: ErrorCase, result: ApiCall | Exchange): string {
  if (userReads) return userReads;
  return 'outcome' in result ? describeScreen(result) : describeExchangeScreen(result);
}

async function expectRefusalWithMessage(context: RunContext, errorCase: ErrorCase) {
  const { subject, noteIfAccepted } = errorCase;
  const result = await triggerError(context, errorCase);
  const exchange = exchangeOf(result);
  const failWith = (fault: string, cause?: Cause) =>
    fail(
      `${subject}: the backend ${fault}.`,
      [result],
      describeUserMessage(errorCase, result),
      cause,
    );
  const response = `responds with ${describeResponse(exchange)}`;
  if (isSuccess(exchange)) {
    const fault = await findAcceptanceFault(context, result);
    if (fault) failWith(`${response}, but ${fault}`);
    if (noteIfAccepted) skip(noteIfAccepted);
  }
  if (!isClientError(exchange)) {
    const { method, path } = exchange.request;
    const words = `wrong requests to ${method} ${path} get ${describeResponse(exchange)}`;
    const cause = isSuccess(exchange) ? undefined : { words, subject: lowerFirst(subject) };
    failWith(`${response} instead of a status 4xx`, cause);
  }
  const fault = describeMessageFault(exchange);
  if (fault)
    failWith(
      `rejects it with ${statusOf(exchange)}, but ${fault}`,
      refusalCause(exchange, lowerFirst(subject)),
    );
  await triggerJudged(context, errorCase);
}

/** Fails if a call succeeds before one refusal and not after it, both in a new browser. */
async function expectSuccessAfter(
  context: RunContext,
  call: Call,
  errorCase: ErrorCase,
  index: number,
) {
  const browser =
    call === 'createProject'
      ? (await context.newSession('tess')).browser
      : context.newBrowser('stranger');
  const before = await goodCalls[call](context, browser, `before-refusal-${index}`);
  const { subject } = definitionOf(call).words;
  if (!before.outcome.ok && call === 'login') await expectSignInAfterWrongPassword(context);
  if (!before.outcome.ok)
    throw new Blocked(`${subject} fails: ${describeResponse(before.exchange)}`);
  const refusal = await errorCase.send(context, browser);
  const after = await goodCalls[call](context, browser, `after-refusal-${index}`);
  if (after.outcome.ok) return;
  const end = isUnauthorized(after) && call === 'createProject' ? ' The session has ended.' : '';
  fail(
    `After a refusal (${lowerFirst(errorCase.subject)}), ${subject} correctly from the same browser fails: the backend responds with ${describeResponse(after.exchange)}.${end}`,
    [before, refusal, after],
  );
}

/** Fails if an account signs in before a wrong password and not after it. */
async function expectSignInAfterWrongPassword(context: RunContext) {
  const { email, password } = await context.registeredAccount('mistyped');
  const browser = context.newBrowser('stranger');
  const before = await browser.login(email, password);
  const wrong = await browser.login(email, `${password}?`);
  const after = await browser.login(email, password);
  if (before.outcome.ok)
    expectSuccess(after, 'After one wrong password, signing in with the right one fails', [
      before,
      wrong,
    ]);
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
    const visitors = await (await creatingVisitor(context)).listProjects();
    const users = [await context.signedInUser('ada'), await context.signedInUser('olga')];
    const fetchLists = () => Promise.all(users.map(({ browser }) => browser.listProjects()));
    let lists = await fetchLists();
    const isListed = (list: ApiCall<Project[]>) =>
      list.outcome.ok && findProject(list.outcome.value, outcome.value as Project);
    if ([visitors, ...lists].some(isListed)) return undefined;
    // The backend may store the project after its response.
    await context.http.clock.sleep(500);
    lists = await fetchLists();
    if (lists.some(isListed)) return undefined;
    const unreadable = lists.find((list) => !list.outcome.ok);
    if (unreadable) throw new Blocked(`the list cannot be shown: ${describeListFault(unreadable)}`);
    return 'no list contains the project, so its user loses it';
  }
  if (!result.request.path.endsWith('register')) return undefined;
  const json = parseJson(String(result.request.body));
  const login = await context.newBrowser('odd').send('POST', '/api/v1/auth/login', { json });
  return isSuccess(login) ? undefined : 'the new account cannot sign in';
}
