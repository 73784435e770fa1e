import type { Project } from '../../machines/types.ts';
import { definitionOf } from '../../model/calls.ts';
import { Blocked, type Exchange } from '../http/record.ts';
import {
  isClientError,
  isSuccess,
  messageOf,
  parseJson,
  responseHeader,
  responseKey,
  statusOf,
} from '../http/response.ts';
import type { ApiCall } from '../http/simulated-browser.ts';
import type { RunContext } from '../people/run-context.ts';
import { describeStatus, lowerFirst, truncate } from '../problems/describe.ts';
import { failOnFailures } from '../problems/fail-on-faults.ts';
import { refusalCause, refusalRequirement, type Cause } from '../problems/causes.ts';
import { messageFault, projectFault, sentenceFault } from '../problems/matchers.ts';
import { expectSuccess, fail, skip } from '../problems/problem.ts';
import { judgeSpecial } from '../problems/special.ts';
import { errorCases, type FormCall, type ErrorCase } from '../requests/error-cases.ts';
import { createListed, expectReadableList, findByIdOrText, listWith } from '../requests/lists.ts';
import {
  casesOf,
  describeUserMessage,
  exchangeOf,
  freeName,
  goodCalls,
  refuseAll,
  triggerError,
  triggerJudged,
} from '../requests/refusals.ts';
import {
  blockIfRefusedAnyway,
  isSignIn,
  isUnauthorized,
  wrongSignIn,
} from '../requests/sign-ins.ts';
import { creatingVisitor } from '../requests/visitors.ts';
import { must, should, type Check } from './check.ts';
import { collectExchanges, inspectResponses } from './inspectors.ts';

export const errorChecks: Check[] = [
  must('ERR-24', {
    title: 'After a refusal, a good request of the same browser succeeds',
    requirement:
      'Refuse the request and change nothing else: store nothing, keep the session, do not lock the account, and roll back the transaction of the database.',
    statements: ['ERROR-1', 'ERROR-5', 'CHOICE-9'],
    after: ['PROJECT-4'],
    async run(context) {
      for (const call of Object.keys(goodCalls) as FormCall[]) {
        const { good, before } = await refuseAll(context, call);
        if (before && good.operation === 'listProjects') {
          const refusal = exchangeOf(await triggerError(context, before));
          const { browser } = await context.signedInUser('erin');
          await expectReadableList(context, browser, lowerFirst(before.subject), refusal);
        }
        for (const errorCase of good.outcome.ok ? [] : casesOf(call))
          await expectSuccessAfter(context, call, errorCase);
      }
    },
  }),
  ...errorCases.map(refusalCheck),
  must('ERR-20', {
    title: 'No request of the app makes the backend fail',
    requirement:
      'Never respond to the app with 5xx, except 503 with Retry-After (throttling), after which the request passes.',
    statements: ['ERROR-2', 'ERROR-6', 'ERROR-8'],
    after: ['REACH-6'],
    inspects: true,
    run: async (context) =>
      failOnFailures(
        context.http,
        await collectExchanges(context),
        ({ isAppRequest, isThrottled }) => isAppRequest && !isThrottled,
        (exchange) => (statusOf(exchange) >= 500 ? `gets ${describeStatus(exchange)}` : undefined),
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
        words: `kinds of responses have a message that ${sentenceFault(exchange)}`,
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
        return exchange.isAppRequest &&
          statusOf(exchange) === 401 &&
          /\b(basic|digest|negotiate|ntlm)\b/i.test(challenge)
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
      const plain = errorCases.find(({ id }) => id === 'ERR-1')!;
      for (const errorCase of errorCases.filter(({ isInjection }) => isInjection))
        await judgeSpecial(errorCase, plain, async (each) => {
          const result = await triggerError(context, each);
          const exchange = exchangeOf(result);
          const cause = each === plain ? wrongSignIn({ exchange }, each.subject) : undefined;
          if (await isSignIn(context, exchange))
            fail(`${each.subject} signs in.`, [result], { cause });
          return result;
        });
    },
  }),
];

function refusalCheck(errorCase: ErrorCase): Check {
  const { id, level, subject, mayBeAccepted, statements, after } = errorCase;
  const [accepted, requirement] = mayBeAccepted
    ? ['accepted, or rejected', `Accept the request. Or ${lowerFirst(refusalRequirement)}`]
    : ['rejected', refusalRequirement];
  return {
    id,
    level,
    title: `${subject} is ${accepted} with a message`,
    requirement,
    about: 'refusals',
    statements,
    after,
    run: (context) => expectRefusalWithMessage(context, errorCase),
  };
}

async function expectRefusalWithMessage(context: RunContext, errorCase: ErrorCase) {
  const { subject, mayBeAccepted } = errorCase;
  const result = await triggerError(context, errorCase);
  const exchange = exchangeOf(result);
  const userSees = describeUserMessage(errorCase, result);
  const failWith = (fault: string, cause?: Cause) =>
    fail(`${subject} gets ${describeStatus(exchange)}${fault}.`, [result], {
      userSees,
      cause,
    });
  if (isSuccess(exchange)) {
    const fault = await findAcceptanceFault(context, result);
    if (fault) failWith(`, but ${fault}`);
    if (mayBeAccepted) skip(`${lowerFirst(subject)} is accepted`);
  }
  if (!isClientError(exchange)) {
    const { method, path } = exchange.request;
    const words = `wrong requests to ${method} ${path} get ${describeStatus(exchange)}`;
    const key = `${method} ${path} ${responseKey(exchange)}`;
    if (!isSuccess(exchange)) await triggerJudged(context, errorCase);
    else if (errorCase.call === 'login') failWith(', not 4xx', wrongSignIn({ exchange }, subject));
    const isFailure = exchange.response && !isSuccess(exchange);
    const cause = isFailure ? { words, key, subject: lowerFirst(subject) } : undefined;
    failWith(', not 4xx', cause);
  }
  const fault = messageFault(exchange);
  const cause = refusalCause(exchange, lowerFirst(subject));
  if (fault) failWith(`, and ${fault}`, cause);
  await triggerJudged(context, errorCase);
}

/** Fails if a call succeeds before one refusal and not after it, both in a new browser. */
async function expectSuccessAfter(context: RunContext, call: FormCall, errorCase: ErrorCase) {
  const browser =
    call === 'createProject'
      ? (await context.newSession('erin')).browser
      : context.newBrowser('stranger');
  const before = await goodCalls[call](context, browser, `before-${errorCase.id}`);
  const { subject } = definitionOf(call).words;
  if (!before.outcome.ok && call === 'login') await expectSignInAfterWrongPassword(context);
  if (!before.outcome.ok)
    throw new Blocked({ words: `${subject} fails`, exchange: before.exchange });
  const refusal = await errorCase.send(context, browser);
  const name = await freeName(context, errorCase, `next-${errorCase.id}`);
  const after = await goodCalls[call](context, browser, name);
  const isEnd = isUnauthorized(after) && call === 'createProject';
  const isSession = isEnd && !(await browser.listProjects()).outcome.ok;
  const what = isSession
    ? 'the session has ended'
    : `${subject} fails${isEnd ? ', and lists work' : ''}`;
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
    if (visitors.outcome.ok && findByIdOrText(visitors.outcome.value, created.project))
      return undefined;
    const { browser } = await context.signedInUser('olga');
    if ((await listWith(context, browser, [created])).missing.length === 0) return undefined;
    await createListed(context, browser, 'beside an odd one');
    return 'no list contains it';
  }
  const { path } = result.request;
  if (path.endsWith('/projects') && projectFault(parseJson(result.response!.text)))
    return 'the body is not a project';
  if (!path.endsWith('/register')) return undefined;
  const json = parseJson(String(result.request.body));
  const login = await context.newBrowser('odd').send('POST', '/api/v1/auth/login', { json });
  return isSuccess(login) ? undefined : 'its sign-in is refused';
}
