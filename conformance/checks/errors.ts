import type { Credentials, Project } from '../../machines/types.ts';
import {
  describeExchangeScreen,
  describeFailureScreen,
  describeMessageFault,
  describeResponse,
  describeScreen,
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
import type { ApiCall } from '../http/simulated-browser.ts';
import {
  createAsVisitor,
  createWithoutToken,
  hasSameId,
  isListShared,
  loginWithUnknownEmail,
  loginWithWrongPassword,
  makeOrdinaryVisit,
  registerAgain,
} from '../probes.ts';
import type { RunContext } from '../run-context.ts';
import { fail, failOnFaults, skip } from '../verdict.ts';
import { must, should, type Check } from './check.ts';

/** A request that the backend should reject with a message. */
type ErrorCase = {
  id: string;
  /** MUST for errors that users of the app commonly meet, otherwise SHOULD. */
  level?: 'MUST';
  /** As in "… is rejected with a message". */
  subject: string;
  statements: string[];
  /** Present when a backend may accept the request: what it then allows. */
  noteIfAccepted?: string;
  /** What users read, when the app does not show the response to this request. */
  userReads?: string;
  send: (context: RunContext) => Promise<ApiCall | Exchange>;
};

type CaseText = Pick<ErrorCase, 'id' | 'subject' | 'noteIfAccepted' | 'userReads'>;

const notSentByApp = 'nothing: the app never sends this';

/** All error cases, in the order of the table "What your users will read". */
export const errorCases: ErrorCase[] = [
  {
    id: 'ERR-1',
    level: 'MUST',
    subject: 'A wrong password',
    statements: ['ERROR-1', 'ERROR-2', 'CHOICE-14'],
    send: loginWithWrongPassword,
  },
  {
    id: 'ERR-2',
    level: 'MUST',
    subject: 'An unknown email',
    statements: ['ERROR-1', 'ERROR-2', 'CHOICE-14'],
    send: loginWithUnknownEmail,
  },
  {
    id: 'ERR-3',
    level: 'MUST',
    subject: 'A project of a visitor without a session',
    statements: ['ERROR-5', 'ERROR-6', 'CHOICE-41', 'CHOICE-43'],
    noteIfAccepted: 'visitors may create projects',
    send: createAsVisitor,
  },
  {
    id: 'ERR-4',
    level: 'MUST',
    subject: 'A project with a blank title',
    statements: ['CHOICE-25', 'ERROR-5', 'ERROR-6'],
    noteIfAccepted: 'blank titles are accepted',
    async send(context) {
      const { browser } = await context.signedInUser('olga');
      return browser.createProject({ title: '   ', description: 'Its title is blank.' });
    },
  },
  {
    id: 'ERR-5',
    subject: 'An email that has an account',
    statements: ['ERROR-4', 'CHOICE-45'],
    send: registerAgain,
  },
  registrationCase({
    id: 'ERR-6',
    subject: 'An email that is not an address',
    noteIfAccepted: 'any text is accepted as an email',
    userReads: 'the app: "Invalid email address"',
    email: 'not-an-email',
  }),
  registrationCase({
    id: 'ERR-7',
    subject: 'A password of 7 characters',
    noteIfAccepted: 'shorter passwords are accepted',
    userReads: 'the app: "Password must be at least 8 characters"',
    password: 'aB3$xY7',
  }),
  registrationCase({
    id: 'ERR-8',
    subject: 'A password of 128 characters',
    noteIfAccepted: 'long passwords are accepted',
    password: `Zz9?${'very-long-'.repeat(13)}`.slice(0, 128),
  }),
  {
    id: 'ERR-9',
    subject: 'A sign-in without a password',
    statements: ['CALL-5', 'ERROR-1'],
    userReads: 'the app: "Password is required"',
    send: (context) =>
      context
        .newBrowser('stranger')
        .send('POST', '/api/v1/auth/login', { json: { email: context.fixtures.email('unknown') } }),
  },
  createProjectCase({
    id: 'ERR-10',
    subject: 'A project without a title',
    userReads: 'the app: "Title is required"',
    json: { description: 'There is no title.' },
  }),
  createProjectCase({
    id: 'ERR-11',
    subject: 'A project without a description',
    userReads: 'the app: "Description is required"',
    json: { title: 'Without a description' },
  }),
  createProjectCase({
    id: 'ERR-12',
    subject: 'A project whose title is a number',
    userReads: notSentByApp,
    json: { title: 42, description: 'The title is a number.' },
  }),
  rawLoginCase({ id: 'ERR-13', subject: 'Truncated JSON', body: '{"email": "ada@exam' }),
  rawLoginCase({ id: 'ERR-14', subject: 'A JSON body that is not an object', body: '[]' }),
  rawLoginCase({
    id: 'ERR-15',
    subject: 'A form instead of JSON',
    noteIfAccepted: 'forms are accepted too',
    body: 'email=ada%40example.org&password=correct+horse',
    type: 'application/x-www-form-urlencoded',
  }),
  {
    id: 'ERR-16',
    subject: 'A project of 2 MB',
    statements: ['CHOICE-26', 'ERROR-5', 'ERROR-6'],
    noteIfAccepted: 'projects of 2 MB are accepted',
    async send(context) {
      const { browser } = await context.signedInUser('olga');
      const project = { title: 'Very large', description: 'x'.repeat(2_000_000) };
      return browser.createProject(project, { isAppRequest: false });
    },
  },
  {
    id: 'ERR-17',
    subject: 'An unknown address under /api/v1',
    statements: ['CALL-1', 'CALL-2'],
    userReads: notSentByApp,
    send: (context) => context.newBrowser('stranger').send('GET', '/api/v1/no-such-thing'),
  },
  {
    id: 'ERR-18',
    subject: 'An unsupported method',
    statements: ['CALL-1', 'CALL-5'],
    userReads: notSentByApp,
    send: (context) => context.newBrowser('stranger').send('GET', '/api/v1/auth/login'),
  },
  {
    id: 'ERR-19',
    subject: 'A project without the XSRF token',
    statements: ['CALL-4', 'ERROR-5', 'ERROR-6'],
    noteIfAccepted: 'no XSRF token is required',
    send: createWithoutToken,
  },
];

function registrationCase({
  email,
  password,
  ...text
}: CaseText & Partial<Credentials>): ErrorCase {
  return {
    ...text,
    statements: ['CALL-7', 'ERROR-4', 'VALID-1', 'VALID-3'],
    send({ fixtures, secrets, newBrowser }) {
      const json = {
        email: email ?? fixtures.email(text.id.toLowerCase()),
        password: password ?? fixtures.password('odd'),
      };
      secrets.add(json.password);
      return newBrowser('odd').send('POST', '/api/v1/users/register', { json });
    },
  };
}

/** A project that the app never sends. It must not stay in a list that other users see. */
function createProjectCase({ json, ...text }: CaseText & { json: object }): ErrorCase {
  return {
    noteIfAccepted: `${text.subject.toLowerCase()} is accepted`,
    ...text,
    statements: ['CALL-9', 'ENTITY-1', 'ERROR-5'],
    async send(context) {
      const isShared = await isListShared(context);
      const browser = isShared
        ? context.newBrowser('stranger')
        : (await context.signedInUser('olga')).browser;
      return browser.send('POST', '/api/v1/projects', { json: isShared ? {} : json });
    },
  };
}

function rawLoginCase({
  body,
  type = 'application/json',
  ...text
}: CaseText & { body: string; type?: string }): ErrorCase {
  return {
    ...text,
    statements: ['CALL-2', 'CALL-5'],
    userReads: notSentByApp,
    send: (context) =>
      context
        .newBrowser('stranger')
        .send('POST', '/api/v1/auth/login', { body, headers: { 'content-type': type } }),
  };
}

export const errorChecks: Check[] = [
  ...errorCases.map((errorCase) => {
    const { id, level, subject, statements, noteIfAccepted } = errorCase;
    return (level === 'MUST' ? must : should)(id, {
      title: `${subject} is rejected with a message`,
      requirement: `${noteIfAccepted ? 'Accept the request, or respond' : 'Respond'} with a status 4xx and a JSON body whose "message" is a sentence for the user.`,
      statements,
      run: (context) => expectRejectionWithMessage(context, errorCase),
    });
  }),
  must('ERR-20', {
    title: 'No request of the app makes the backend fail',
    requirement: 'Never respond to the app with 5xx, except 503 with Retry-After (throttling).',
    statements: ['ERROR-2', 'ERROR-6', 'ERROR-8'],
    async run(context) {
      await makeOrdinaryVisit(context);
      failOnFaults(
        context.http.exchanges.filter(({ isAppRequest }) => isAppRequest),
        (exchange) =>
          statusOf(exchange) >= 500 && responseHeader(exchange, 'retry-after') === undefined
            ? `responds with ${describeResponse(exchange)}`
            : undefined,
        describeFailureScreen,
      );
    },
  }),
  should('ERR-22', {
    title: 'Messages are plain text without markup',
    requirement: 'Send no HTML tags or entities, because the app shows messages unchanged.',
    statements: ['ERROR-1', 'ERROR-5'],
    async run(context) {
      await makeOrdinaryVisit(context);
      failOnFaults(
        context.http.exchanges.filter(isClientError),
        (exchange) => {
          const message = messageOf(exchange);
          return message && /<\/?[a-z][^<>]*>|&(amp|lt|gt|quot|#\d+);/i.test(message)
            ? `responds with a message that contains markup: ${JSON.stringify(message)}`
            : undefined;
        },
        (exchange) => `red banner: "${messageOf(exchange)}"`,
      );
    },
  }),
  must('ERR-23', {
    title: "No rejection opens the browser's own sign-in dialog",
    requirement:
      'Send 401 without "WWW-Authenticate: Basic" (or Digest, Negotiate, NTLM). Otherwise the browser asks for a name and a password, and the app waits.',
    statements: ['ERROR-1', 'LOGIN-5'],
    async run(context) {
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
  }),
  must('ERR-21', {
    title: 'Objects and SQL fragments instead of an email and a password do not sign in',
    requirement:
      'Reject an email or a password that is not a string before it reaches a query (NoSQL and ORM injection). Bind strings as parameters (SQL injection).',
    statements: ['AUTH-5', 'ENTITY-4'],
    async run(context) {
      const { email } = await context.registeredAccount('ada');
      for (const json of [
        { email, password: { $ne: null } },
        { email: { $gt: '' }, password: { $gt: '' } },
        { email: `${email}' OR '1'='1' --`, password: "' OR '1'='1" },
        { email, password: [''] },
        { email, password: true },
        { email, password: null },
      ]) {
        const browser = context.newBrowser('trickster');
        const exchange = await browser.send('POST', '/api/v1/auth/login', { json });
        const password = JSON.stringify({ password: json.password });
        if (isSuccess(exchange)) fail(`Signing in with ${password} succeeds.`, [exchange]);
      }
    },
  }),
];

/** Sends the request of an error case, once per run. */
export const triggerError = (context: RunContext, { id, send }: ErrorCase) =>
  context.once(`error case ${id}`, () => send(context));

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

async function expectRejectionWithMessage(context: RunContext, errorCase: ErrorCase) {
  const { subject, noteIfAccepted } = errorCase;
  const result = await triggerError(context, errorCase);
  const exchange = exchangeOf(result);
  const failWith = (fault: string) =>
    fail(`${subject}: the backend ${fault}.`, [result], describeUserMessage(errorCase, result));
  const response = `responds with ${describeResponse(exchange)}`;
  if (isSuccess(exchange)) {
    const fault = await findAcceptanceFault(context, result);
    if (fault) failWith(`${response}, but ${fault}`);
    if (noteIfAccepted) skip(noteIfAccepted);
  }
  if (!isClientError(exchange)) failWith(`${response} instead of a status 4xx`);
  const fault = describeMessageFault(exchange);
  if (fault) failWith(`rejects it with ${statusOf(exchange)}, but ${fault}`);
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
    const isCreated = hasSameId(outcome.value as Project);
    for (const browser of [
      context.newBrowser('visitor'),
      (await context.signedInUser('ada')).browser,
      (await context.signedInUser('olga')).browser,
    ]) {
      const list = await browser.listProjects();
      if (list.outcome.ok && list.outcome.value.some(isCreated)) return undefined;
    }
    return 'no list contains the project, so its user loses it';
  }
  if (!result.request.path.endsWith('register')) return undefined;
  const json = parseJson(String(result.request.body));
  const login = await context.newBrowser('odd').send('POST', '/api/v1/auth/login', { json });
  return isSuccess(login) ? undefined : 'the new account cannot sign in';
}
