import type { Check } from './check.ts';
import type { Project } from '../../machines/types.ts';
import {
  describeFailureScreen,
  describeMessageFault,
  describeResponse,
  describeScreen,
} from '../describe.ts';
import { type Exchange, headerValue } from '../http/client.ts';
import { isClientError, isSuccess, messageOf, parseJson, statusOf } from '../http/response.ts';
import type { ApiCall } from '../http/simulated-browser.ts';
import {
  createAsVisitor,
  createWithoutToken,
  hasIdOf,
  isListShared,
  loginWithUnknownEmail,
  loginWithWrongPassword,
  makeOrdinaryVisit,
  registerAgain,
} from '../probes.ts';
import type { RunContext } from '../run-context.ts';
import { fail, failIfAny, type Problem, problem, skip } from '../verdict.ts';

/** Something that goes wrong, and what people read then. */
type ErrorCase = {
  id: string;
  /** MUST where a person can meet it at the screen. */
  level: 'MUST' | 'SHOULD';
  /** As in "… is refused with a message". */
  subject: string;
  statements: string[];
  /** Where a backend may accept it, that is no fault. */
  noteIfAccepted?: string;
  /** What is shown of it, where the app never sends this or shows something of its own. */
  userReads?: string;
  trigger: (context: RunContext) => Promise<ApiCall | Exchange>;
};

const nobody = 'nobody: the app never sends this';

/** Everything that can go wrong, in the order of the table "What your users will read". */
export const errorCases: ErrorCase[] = [
  {
    id: 'ERR-1',
    level: 'MUST',
    subject: 'A wrong password',
    statements: ['ERROR-1', 'ERROR-2', 'CHOICE-14'],
    trigger: loginWithWrongPassword,
  },
  {
    id: 'ERR-2',
    level: 'MUST',
    subject: 'An unknown email',
    statements: ['ERROR-1', 'ERROR-2', 'CHOICE-14'],
    trigger: loginWithUnknownEmail,
  },
  {
    id: 'ERR-3',
    level: 'MUST',
    subject: 'A project by somebody who is not signed in',
    statements: ['ERROR-5', 'ERROR-6', 'CHOICE-41', 'CHOICE-43'],
    noteIfAccepted: 'visitors may create projects',
    trigger: createAsVisitor,
  },
  {
    id: 'ERR-4',
    level: 'MUST',
    subject: 'A project whose title is blank',
    statements: ['CHOICE-25', 'ERROR-5', 'ERROR-6'],
    noteIfAccepted: 'blank titles are kept',
    trigger: (context) =>
      context.once('blank title', async () =>
        (await context.signedInUser('olga')).browser.createProject({
          title: '   ',
          description: 'Its title is blank.',
        }),
      ),
  },
  {
    id: 'ERR-5',
    level: 'SHOULD',
    subject: 'An email that has an account',
    statements: ['ERROR-4', 'CHOICE-45'],
    trigger: registerAgain,
  },
  registration(
    'ERR-6',
    'An email that is no address',
    'not-an-email',
    undefined,
    'any text is taken as an email',
    'the app: "Invalid email address"',
  ),
  registration(
    'ERR-7',
    'A password of 7 characters',
    undefined,
    'aB3$xY7',
    'shorter passwords are taken',
    'the app: "Password must be at least 8 characters"',
  ),
  registration(
    'ERR-8',
    'A password of 128 characters',
    undefined,
    `Zz9?${'very-long-'.repeat(13)}`.slice(0, 128),
    'long passwords are taken',
  ),
  {
    id: 'ERR-9',
    level: 'SHOULD',
    subject: 'A sign-in without an email or a password',
    statements: ['CALL-5', 'ERROR-1'],
    userReads: 'the app: "Email is required" or "Password is required"',
    trigger: (context) =>
      odd(context, 'no password', 'login', { email: context.fixtures.email('nobody') }),
  },
  creating(
    'ERR-10',
    'A project without a title',
    { description: 'There is no title.' },
    'the app: "Title is required"',
  ),
  creating(
    'ERR-11',
    'A project without a description',
    { title: 'Without a description' },
    'the app: "Description is required"',
  ),
  creating(
    'ERR-12',
    'A project whose title is a number',
    { title: 42, description: 'The title is a number.' },
    nobody,
  ),
  raw('ERR-13', 'JSON that breaks off', '{"email": "somebody@exam', 'application/json'),
  raw('ERR-14', 'A body that is JSON and no object', '[]', 'application/json'),
  {
    ...raw(
      'ERR-15',
      'A form instead of JSON',
      'email=somebody%40example.org&password=correct+horse',
      'application/x-www-form-urlencoded',
    ),
    noteIfAccepted: 'forms are taken as well',
  },
  {
    id: 'ERR-16',
    level: 'SHOULD',
    subject: 'A project of 2 MB',
    statements: ['CHOICE-26', 'ERROR-5', 'ERROR-6'],
    noteIfAccepted: '2 MB are kept',
    trigger: (context) =>
      context.once('large body', async () =>
        (await context.signedInUser('olga')).browser.createProject(
          { title: 'Very large', description: 'x'.repeat(2_000_000) },
          { isAppRequest: false },
        ),
      ),
  },
  {
    id: 'ERR-17',
    level: 'SHOULD',
    subject: 'An address below /api/v1 that does not exist',
    statements: ['CALL-1', 'CALL-2'],
    userReads: nobody,
    trigger: (context) =>
      context.once('unknown path', () =>
        context.newBrowser('stranger').send('GET', '/api/v1/no-such-thing'),
      ),
  },
  {
    id: 'ERR-18',
    level: 'SHOULD',
    subject: 'A method that a call does not have',
    statements: ['CALL-1', 'CALL-5'],
    userReads: nobody,
    trigger: (context) =>
      context.once('wrong method', () =>
        context.newBrowser('stranger').send('GET', '/api/v1/auth/login'),
      ),
  },
  {
    id: 'ERR-19',
    level: 'SHOULD',
    subject: 'A project without the XSRF token',
    statements: ['CALL-4', 'ERROR-5', 'ERROR-6'],
    noteIfAccepted: 'no token is asked for',
    trigger: createWithoutToken,
  },
];

export const errorChecks: Check[] = [
  ...errorCases.map((situation): Check => ({
    id: situation.id,
    level: situation.level,
    title: `${situation.subject} is refused with a message`,
    requirement: situation.noteIfAccepted
      ? 'Accepted or refused: if refused, with a status from 400 to 499 and a JSON body whose "message" is a text for the person at the screen.'
      : 'A status from 400 to 499, and a JSON body whose "message" is a text for the person at the screen.',
    statements: situation.statements,
    run: (context) => refusedWithMessage(context, situation),
  })),
  {
    id: 'ERR-20',
    level: 'MUST',
    title: 'Nothing that the app sends makes the backend fail',
    requirement:
      'No answer from 500 to 599 to a call that the app makes. 503 with Retry-After is a wait, and no failure.',
    statements: ['ERROR-2', 'ERROR-6', 'ERROR-8'],
    async run(context) {
      await makeOrdinaryVisit(context);
      const failed = new Map<string, Problem>();
      for (const exchange of context.http.exchanges.filter(
        (each) => each.isAppRequest && statusOf(each) >= 500,
      )) {
        if (exchange.response?.headers.some(([name]) => name === 'retry-after')) continue;
        const { method, path } = exchange.request;
        failed.set(
          `${method} ${path}`,
          problem(
            `${method} ${path} is answered with ${describeResponse(exchange)}.`,
            [exchange],
            describeFailureScreen(exchange),
          ),
        );
      }
      failIfAny([...failed.values()]);
    },
  },
  {
    id: 'ERR-22',
    level: 'SHOULD',
    title: 'Messages are text and no markup',
    requirement:
      'The app shows a message as it comes: tags are read as tags, and "&amp;quot;" as that.',
    statements: ['ERROR-1', 'ERROR-5'],
    async run(context) {
      await makeOrdinaryVisit(context);
      for (const exchange of context.http.exchanges.filter(isClientError)) {
        const message = messageOf(exchange);
        if (message && /<\/?[a-z][^<>]*>|&(amp|lt|gt|quot|#\d+);/i.test(message))
          fail(
            `${exchange.request.method} ${exchange.request.path} is refused with a message that has markup in it: ${JSON.stringify(message)}.`,
            [exchange],
            `red banner: "${message}"`,
          );
      }
    },
  },
  {
    id: 'ERR-23',
    level: 'MUST',
    title: "No refusal brings up the browser's own sign-in",
    requirement:
      'A 401 without "WWW-Authenticate: Basic" (or Digest, Negotiate, NTLM): the browser would ask for a name and a password by itself, and the app waits meanwhile.',
    statements: ['ERROR-1', 'LOGIN-5'],
    async run(context) {
      await makeOrdinaryVisit(context);
      for (const exchange of context.http.exchanges.filter(isClientError)) {
        const asked = headerValue(exchange.response!, 'www-authenticate');
        if (asked && statusOf(exchange) === 401 && /\b(basic|digest|negotiate|ntlm)\b/i.test(asked))
          fail(
            `${exchange.request.method} ${exchange.request.path} is refused with "WWW-Authenticate: ${asked}".`,
            [exchange],
            "the browser's own box for a name and a password",
          );
      }
    },
  },
  {
    id: 'ERR-21',
    level: 'MUST',
    title: 'Objects in place of an email and a password sign nobody in',
    requirement:
      'Email and password are text. Whatever else comes is refused before it reaches a query (NoSQL and ORM injection), and so are SQL fragments.',
    statements: ['AUTH-5', 'ENTITY-4'],
    async run(context) {
      const { email } = await context.registeredAccount('ada');
      const tricks = [
        { email, password: { $ne: null } },
        { email: { $gt: '' }, password: { $gt: '' } },
        { email: `${email}' OR '1'='1' --`, password: "' OR '1'='1" },
        { email, password: [''] },
        { email, password: true },
        { email, password: null },
      ];
      for (const json of tricks) {
        const exchange = await context
          .newBrowser('trickster')
          .send('POST', '/api/v1/auth/login', { json });
        if (isSuccess(exchange))
          fail(
            `A sign-in with ${JSON.stringify({ password: json.password })} in place of a password succeeds.`,
            [exchange],
          );
      }
    },
  },
];

/** Brings a situation about, once a run. */
export const triggerError = (context: RunContext, situation: ErrorCase) =>
  context.once(`situation ${situation.id}`, () => situation.trigger(context));

/** What came of a situation that was brought about; nothing where it was not. */
export const triggeredError = (context: RunContext, { id }: ErrorCase) =>
  context.peek<ApiCall | Exchange>(`situation ${id}`);

async function refusedWithMessage(context: RunContext, situation: ErrorCase) {
  const provoked = await triggerError(context, situation);
  const exchange = 'outcome' in provoked ? provoked.exchange : provoked;
  const sees = describeUserMessage(situation, provoked);
  if (isSuccess(exchange)) {
    const fault = await acceptedFault(context, provoked);
    if (fault)
      fail(
        `${situation.subject} is answered with ${describeResponse(exchange)}, ${fault}.`,
        [provoked],
        sees,
      );
    if (situation.noteIfAccepted) skip(situation.noteIfAccepted);
    fail(
      `${situation.subject} is answered with ${describeResponse(exchange)}, which is a success.`,
      [provoked],
      sees,
    );
  }
  if (!isClientError(exchange))
    fail(`${situation.subject} is answered with ${describeResponse(exchange)}.`, [provoked], sees);
  const fault = describeMessageFault(exchange);
  if (fault)
    fail(
      `${situation.subject} is refused with ${statusOf(exchange)}, and ${fault}.`,
      [provoked],
      sees,
    );
  return undefined;
}

/** Why something that was answered with a success was none; nothing where it was one. */
async function acceptedFault(
  context: RunContext,
  provoked: ApiCall | Exchange,
): Promise<string | undefined> {
  if ('outcome' in provoked) {
    const { operation, outcome } = provoked as ApiCall<Project>;
    if (operation !== 'createProject') return undefined;
    if (!outcome.ok) return 'which is a success to the app, and no project';
    const people = [context.newBrowser('visitor'), (await context.signedInUser('ada')).browser];
    for (const browser of [...people, (await context.signedInUser('olga')).browser]) {
      const list = await browser.listProjects();
      if (list.outcome.ok && list.outcome.value.some(hasIdOf(outcome.value))) return undefined;
    }
    return "and the project is in nobody's list: whoever made it loses it";
  }
  if (!provoked.request.path.endsWith('register')) return undefined;
  const login = await context
    .newBrowser('odd')
    .send('POST', '/api/v1/auth/login', { json: parseJson(String(provoked.request.body)) });
  return isSuccess(login) ? undefined : 'which is a success, and does not sign in then';
}

/** What the person at the screen reads. */
export function describeUserMessage(
  { userReads: reads }: ErrorCase,
  provoked: ApiCall | Exchange,
): string {
  if (reads) return reads;
  if ('outcome' in provoked) return describeScreen(provoked);
  if (!provoked.request.path.endsWith('projects'))
    return isSuccess(provoked)
      ? 'the screen "Sign in", as after a successful registration'
      : 'no text at all: a failed registration shows none';
  return isSuccess(provoked)
    ? 'a new row'
    : `red banner: "${messageOf(provoked) ?? 'Internal Server Error'}"`;
}

function registration(
  id: string,
  what: string,
  email: string | undefined,
  password: string | undefined,
  mayBeAccepted: string,
  reads?: string,
): ErrorCase {
  return {
    id,
    level: 'SHOULD',
    subject: what,
    statements: ['CALL-7', 'ERROR-4', 'VALID-1', 'VALID-3'],
    noteIfAccepted: mayBeAccepted,
    ...(reads && { userReads: reads }),
    trigger: (context) =>
      context.once(what, () => {
        const typed = password ?? context.fixtures.password('odd');
        context.secrets.add(typed);
        const json = { email: email ?? context.fixtures.email(id.toLowerCase()), password: typed };
        return context.newBrowser('odd').send('POST', '/api/v1/users/register', { json });
      }),
  };
}

/** A project that the app would not send. Where everybody sees it, nobody should have to. */
function creating(id: string, what: string, json: object, reads: string): ErrorCase {
  return {
    id,
    level: 'SHOULD',
    subject: what,
    statements: ['CALL-9', 'ENTITY-1', 'ERROR-5'],
    noteIfAccepted: 'it is kept',
    userReads: reads,
    async trigger(context) {
      if (await isListShared(context))
        return context.once(what, () =>
          context.newBrowser('stranger').send('POST', '/api/v1/projects', { json: {} }),
        );
      return context.once(what, async () =>
        (await context.signedInUser('olga')).browser.send('POST', '/api/v1/projects', { json }),
      );
    },
  };
}

function raw(id: string, what: string, body: string, type: string): ErrorCase {
  return {
    id,
    level: 'SHOULD',
    subject: what,
    statements: ['CALL-2', 'CALL-5'],
    userReads: nobody,
    trigger: (context) =>
      context.once(what, () =>
        context
          .newBrowser('stranger')
          .send('POST', '/api/v1/auth/login', { body, headers: { 'content-type': type } }),
      ),
  };
}

function odd(context: RunContext, what: string, call: 'login', json: object) {
  return context.once(`${call}: ${what}`, () =>
    context.newBrowser('stranger').send('POST', '/api/v1/auth/login', { json }),
  );
}
