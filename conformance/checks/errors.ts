import type { ApiCall } from '../http/simulated-browser.ts';
import { headerValue, type Exchange } from '../http/client.ts';
import type { RunContext } from '../run-context.ts';
import { duplicate } from './accounts.ts';
import {
  describeResponse,
  isRefusal,
  isSuccess,
  jsonOf,
  messageFault,
  messageOf,
  problem,
  describeScreen,
  statusOf,
  fail,
  failIfAny,
  type Check,
  type Problem,
  skip,
} from './check.ts';
import { anonymousCreate, sharesLists, unknownEmail, wrongPassword } from './signin.ts';
import { isOne, type Project } from './projects.ts';
import { withoutToken } from './xsrf.ts';

/** Something that goes wrong, and what people read then. */
type Situation = {
  id: string;
  /** MUST where a person can meet it at the screen. */
  level: 'MUST' | 'SHOULD';
  /** As in "… is refused with a message". */
  what: string;
  statements: string[];
  /** Where a backend may accept it, that is no fault. */
  mayBeAccepted?: string;
  /** What is shown of it, where the app never sends this or shows something of its own. */
  reads?: string;
  provoke: (context: RunContext) => Promise<ApiCall | Exchange>;
};

const nobody = 'nobody: the app never sends this';

/** Everything that can go wrong, in the order of the table "What your users will read". */
export const situations: Situation[] = [
  {
    id: 'ERR-1',
    level: 'MUST',
    what: 'A wrong password',
    statements: ['ERROR-1', 'ERROR-2', 'CHOICE-14'],
    provoke: wrongPassword,
  },
  {
    id: 'ERR-2',
    level: 'MUST',
    what: 'An unknown email',
    statements: ['ERROR-1', 'ERROR-2', 'CHOICE-14'],
    provoke: unknownEmail,
  },
  {
    id: 'ERR-3',
    level: 'MUST',
    what: 'A project by somebody who is not signed in',
    statements: ['ERROR-5', 'ERROR-6', 'CHOICE-41', 'CHOICE-43'],
    mayBeAccepted: 'visitors may create projects',
    provoke: anonymousCreate,
  },
  {
    id: 'ERR-4',
    level: 'MUST',
    what: 'A project whose title is blank',
    statements: ['CHOICE-25', 'ERROR-5', 'ERROR-6'],
    mayBeAccepted: 'blank titles are kept',
    provoke: (context) =>
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
    what: 'An email that has an account',
    statements: ['ERROR-4', 'CHOICE-45'],
    provoke: duplicate,
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
    what: 'A sign-in without an email or a password',
    statements: ['CALL-5', 'ERROR-1'],
    reads: 'the app: "Email is required" or "Password is required"',
    provoke: (context) =>
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
    mayBeAccepted: 'forms are taken as well',
  },
  {
    id: 'ERR-16',
    level: 'SHOULD',
    what: 'A project of 2 MB',
    statements: ['CHOICE-26', 'ERROR-5', 'ERROR-6'],
    mayBeAccepted: '2 MB are kept',
    provoke: (context) =>
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
    what: 'An address below /api/v1 that does not exist',
    statements: ['CALL-1', 'CALL-2'],
    reads: nobody,
    provoke: (context) =>
      context.once('unknown path', () =>
        context.newBrowser('stranger').send('GET', '/api/v1/no-such-thing'),
      ),
  },
  {
    id: 'ERR-18',
    level: 'SHOULD',
    what: 'A method that a call does not have',
    statements: ['CALL-1', 'CALL-5'],
    reads: nobody,
    provoke: (context) =>
      context.once('wrong method', () =>
        context.newBrowser('stranger').send('GET', '/api/v1/auth/login'),
      ),
  },
  {
    id: 'ERR-19',
    level: 'SHOULD',
    what: 'A project without the XSRF token',
    statements: ['CALL-4', 'ERROR-5', 'ERROR-6'],
    mayBeAccepted: 'no token is asked for',
    provoke: withoutToken,
  },
];

export const errors: Check[] = [
  ...situations.map((situation): Check => ({
    id: situation.id,
    level: situation.level,
    title: `${situation.what} is refused with a message`,
    needs: situation.mayBeAccepted
      ? 'Accepted or refused: if refused, with a status from 400 to 499 and a JSON body whose "message" is a text for the person at the screen.'
      : 'A status from 400 to 499, and a JSON body whose "message" is a text for the person at the screen.',
    statements: situation.statements,
    run: (context) => refusedWithMessage(context, situation),
  })),
  {
    id: 'ERR-20',
    level: 'MUST',
    title: 'Nothing that the app sends makes the backend fail',
    needs:
      'No answer from 500 to 599 to a call that the app makes. 503 with Retry-After is a wait, and no failure.',
    statements: ['ERROR-2', 'ERROR-6', 'ERROR-8'],
    async run(context) {
      await ordinary(context);
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
            failureSeen(exchange),
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
    needs: 'The app shows a message as it comes: tags are read as tags, and "&amp;quot;" as that.',
    statements: ['ERROR-1', 'ERROR-5'],
    async run(context) {
      await ordinary(context);
      for (const exchange of context.http.exchanges.filter(isRefusal)) {
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
    needs:
      'A 401 without "WWW-Authenticate: Basic" (or Digest, Negotiate, NTLM): the browser would ask for a name and a password by itself, and the app waits meanwhile.',
    statements: ['ERROR-1', 'LOGIN-5'],
    async run(context) {
      await ordinary(context);
      for (const exchange of context.http.exchanges.filter(isRefusal)) {
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
    needs:
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
export const provoke = (context: RunContext, situation: Situation) =>
  context.once(`situation ${situation.id}`, () => situation.provoke(context));

/** What came of a situation that was brought about; nothing where it was not. */
export const known = (context: RunContext, { id }: Situation) =>
  context.peek<ApiCall | Exchange>(`situation ${id}`);

async function refusedWithMessage(context: RunContext, situation: Situation) {
  const provoked = await provoke(context, situation);
  const exchange = 'outcome' in provoked ? provoked.exchange : provoked;
  const sees = readingOf(situation, provoked);
  if (isSuccess(exchange)) {
    const fault = await acceptedFault(context, provoked);
    if (fault)
      fail(
        `${situation.what} is answered with ${describeResponse(exchange)}, ${fault}.`,
        [provoked],
        sees,
      );
    if (situation.mayBeAccepted) skip(situation.mayBeAccepted);
    fail(
      `${situation.what} is answered with ${describeResponse(exchange)}, which is a success.`,
      [provoked],
      sees,
    );
  }
  if (!isRefusal(exchange))
    fail(`${situation.what} is answered with ${describeResponse(exchange)}.`, [provoked], sees);
  const fault = messageFault(exchange);
  if (fault)
    fail(
      `${situation.what} is refused with ${statusOf(exchange)}, and ${fault}.`,
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
      if (list.outcome.ok && list.outcome.value.some(isOne(outcome.value))) return undefined;
    }
    return "and the project is in nobody's list: whoever made it loses it";
  }
  if (!provoked.request.path.endsWith('register')) return undefined;
  const login = await context
    .newBrowser('odd')
    .send('POST', '/api/v1/auth/login', { json: jsonOf(String(provoked.request.body)) });
  return isSuccess(login) ? undefined : 'which is a success, and does not sign in then';
}

/** What the person at the screen reads. */
export function readingOf({ reads }: Situation, provoked: ApiCall | Exchange): string {
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

function failureSeen({ request, response }: Exchange): string {
  const message = response && messageOf({ response } as Exchange);
  if (
    request.path.endsWith('login') ||
    (request.method === 'POST' && request.path.endsWith('projects'))
  )
    return `red banner: "${message ?? 'Internal Server Error'}"`;
  return request.method === 'GET' ? 'an empty list: "No projects to show."' : 'no text at all';
}

function registration(
  id: string,
  what: string,
  email: string | undefined,
  password: string | undefined,
  mayBeAccepted: string,
  reads?: string,
): Situation {
  return {
    id,
    level: 'SHOULD',
    what,
    statements: ['CALL-7', 'ERROR-4', 'VALID-1', 'VALID-3'],
    mayBeAccepted,
    ...(reads && { reads }),
    provoke: (context) =>
      context.once(what, () => {
        const typed = password ?? context.fixtures.password('odd');
        context.secrets.add(typed);
        const json = { email: email ?? context.fixtures.email(id.toLowerCase()), password: typed };
        return context.newBrowser('odd').send('POST', '/api/v1/users/register', { json });
      }),
  };
}

/** A project that the app would not send. Where everybody sees it, nobody should have to. */
function creating(id: string, what: string, json: object, reads: string): Situation {
  return {
    id,
    level: 'SHOULD',
    what,
    statements: ['CALL-9', 'ENTITY-1', 'ERROR-5'],
    mayBeAccepted: 'it is kept',
    reads,
    async provoke(context) {
      if (await sharesLists(context))
        return context.once(what, () =>
          context.newBrowser('stranger').send('POST', '/api/v1/projects', { json: {} }),
        );
      return context.once(what, async () =>
        (await context.signedInUser('olga')).browser.send('POST', '/api/v1/projects', { json }),
      );
    },
  };
}

function raw(id: string, what: string, body: string, type: string): Situation {
  return {
    id,
    level: 'SHOULD',
    what,
    statements: ['CALL-2', 'CALL-5'],
    reads: nobody,
    provoke: (context) =>
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

/** The calls of an ordinary visit, for checks that look at how answers come, whatever they say. */
export const ordinary = (context: RunContext) =>
  context.once('an ordinary visit', async () => {
    const steps = [
      () => wrongPassword(context),
      () => unknownEmail(context),
      () => anonymousCreate(context),
      () => context.newBrowser('visitor').listProjects(),
      async () => {
        const { browser } = await context.signedInUser('ada');
        await browser.createProject(context.fixtures.project('on an ordinary visit'));
        await browser.createProject({
          title: 'Ünïcode für alle',
          description: 'Größe: 5 µm, Preis: 3 €',
        });
        await browser.listProjects();
      },
    ];
    for (const step of steps) await step().catch(() => undefined);
  });
