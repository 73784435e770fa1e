import type { Credentials } from '../../machines/types.ts';
import { lateMs } from '../http/clock.ts';
import { Blocked, type Exchange } from '../http/record.ts';
import {
  isClientError,
  isSuccess,
  parseJson,
  responseHeader,
  responseKey,
  statusOf,
} from '../http/response.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import { definedHeaders } from '../http/transport.ts';
import type { Account } from '../people/accounts.ts';
import { oncePerRun, type RunContext } from '../people/run-context.ts';
import { setCookieNames } from '../problems/cookie-faults.ts';
import { describeStatus, lowerFirst } from '../problems/describe.ts';
import { generalCause, type Cause } from '../problems/causes.ts';
import { createProblem, expectSuccess } from '../problems/problem.ts';
import { sendErrorCase } from './send-error-case.ts';

export type Send = (context: RunContext, browser: SimulatedBrowser) => Promise<ApiCall>;

export const sendWrongPassword: Send = async (context, browser) => {
  const { email, password } = await context.signedInUser('ada');
  return browser.login(email, `wrong-${password}`);
};

export const sendUnknownEmail: Send = async (context, browser) => {
  const { password } = await context.registeredAccount('ada');
  return browser.login(context.fixtures.email('unknown'), password);
};

/** Registers ada's email a second time, with another password. */
export const sendExistingEmail: Send = async (context, browser) => {
  const { email, password } = await context.signedInUser('ada');
  return browser.registerUser(email, `${password}-other`);
};

export const loginWithWrongPassword = async (context: RunContext) =>
  sendErrorCase(context, sendWrongPassword, await mistypingVisitor(context));

/** The browser of `loginWithWrongPassword`. It has no cookies before that. */
export const mistypingVisitor = oncePerRun(async (context) => context.newBrowser('stranger'));
export const loginWithUnknownEmail = (context: RunContext) =>
  sendErrorCase(context, sendUnknownEmail);
export const registerAgain = (context: RunContext) => sendErrorCase(context, sendExistingEmail);

/** What all sign-ins with this response have in common, which should be refused. */
export const wrongSignIn = ({ exchange }: Pick<ApiCall, 'exchange'>, subject: string): Cause => ({
  ...((isSuccess(exchange) && generalCause(exchange)) || {
    words: `wrong sign-ins get ${describeStatus(exchange)}${isSuccess(exchange) ? ', which signs the user in' : ''}`,
    key: `wrong sign-ins ${responseKey(exchange)}`,
  }),
  subject: lowerFirst(subject),
});

/**
 * Blocks a problem of a refused sign-in if an ordinary account is refused too, or if this account
 * signs in later. SIGNIN-17 reports that.
 */
export async function blockIfRefusedAnyway(
  context: RunContext,
  account?: Account,
  login?: ApiCall,
) {
  const ada = await context.signedInUser('ada');
  const control = await context.tryRegister(`control${context.reportedTo('SIGNIN-17').length}`);
  const signIn = ({ email, password }: Credentials) =>
    context.newBrowser('control').login(email, password);
  const first = await signIn(control);
  const second = await signIn(first.outcome.ok ? control : ada);
  if (!second.outcome.ok) {
    const fault = first.outcome.ok
      ? 'An account signs in once, and not again with the same email and password'
      : 'An account that has signed in before is refused with the same password';
    const exchanges = [first.outcome.ok ? control.registration : ada.login, first, second];
    const description = `${fault}: ${describeStatus(second.exchange)}.`;
    // What refuses other accounts may be the cause here.
    if (context.reportedTo('SIGNIN-17').length > 0)
      throw new Blocked({ words: 'sign-ins fail now and then', ...bySignIns });
    const lasting = first.outcome.ok ? [second.exchange] : undefined;
    context.reportTo('SIGNIN-17', createProblem(description, exchanges, { lasting }));
    throw new Blocked({ words: lowerFirst(description), ...bySignIns });
  }
  if (login && (await context.signInLate(account!, login)).outcome.ok)
    throw new Blocked({ words: 'a later sign-in succeeds', ...bySignIns });
}

const bySignIns = { checks: ['SIGNIN-17'] };

export const onNewConnection = { onNewConnection: true };

/** Without what tells from where a request comes. */
export const noOrigin = { origin: undefined, referer: undefined, 'sec-fetch-site': undefined };

export const originRequirement =
  'Accept the Origin of the app, as the browser shows its address. Behind a proxy, let it forward Host and X-Forwarded-Proto.';

type OtherWay = [words: string, headers: Record<string, string | undefined>, requirement: string];

const uncompressed: OtherWay = [
  'without compression',
  { 'accept-encoding': 'identity' },
  'Send all bytes of a compression: end it before you read them.',
];

/** How a plain request that is refused may pass. */
const otherWays: OtherWay[] = [
  [
    'on a new connection',
    {},
    'Judge each request by itself: keep nothing of its body, headers or user for the next one of a connection.',
  ],
  ['without an Origin', noOrigin, originRequirement],
  [
    'without an Idempotency-Key',
    { 'idempotency-key': undefined },
    'Accept each new Idempotency-Key: compare its whole text, per user, and leave the body for the rest.',
  ],
];

/** Like `expectSuccess`, of a plain call: says in which other way the same request succeeds. */
export async function expectPlain<Value>(
  { http }: RunContext,
  call: ApiCall<Value>,
  failure: string,
  previous: ApiCall[] = [],
): Promise<Value> {
  const { exchange } = call;
  const isRefused = isClientError(exchange);
  const isEncoded = !call.outcome.ok && responseHeader(exchange, 'content-encoding');
  const ways = isRefused ? otherWays : isEncoded ? [uncompressed] : [];
  for (const [words, changes, requirement] of ways) {
    const headers = definedHeaders({ ...exchange.request.headers, ...changes });
    const request = { ...exchange.request, headers, onNewConnection: isRefused };
    const again = await http.send(request, exchange).catch(() => exchange);
    if (isSuccess(again) && (isRefused || parseJson(again.response?.text) !== undefined))
      return expectSuccess(call, `${failure}, and works ${words}`, [...previous, again], {
        requirement,
      });
  }
  return expectSuccess(call, failure, previous);
}

/**
 * Blocks a check when a rejected session is valid again, because SIGNIN-14 reports that, or a
 * second later, as SIGNIN-15 does. A new project may be refused in a valid session, but not with
 * 401.
 */
export async function blockOnFlapping(rejected: ApiCall, ...browsers: SimulatedBrowser[]) {
  if (rejected.operation !== 'listProjects' && statusOf(rejected.exchange) !== 401) return;
  const isValid = async (browser: SimulatedBrowser) =>
    (await browser.clone('again').listProjects(onNewConnection)).outcome.ok;
  for (const browser of browsers)
    for (let count = 0; count < 6; count++)
      if (await isValid(browser))
        throw new Blocked({ words: 'a session is valid now and then', checks: ['SIGNIN-14'] });
  await browsers[0]!.http.clock.sleep(lateMs);
  if (await isValid(browsers[0]!))
    throw new Blocked({ words: 'a session is valid only later', checks: ['SIGNIN-15'] });
}

/** Returns whether a response is that of a sign-in: a success that sets the same cookies. */
export async function isSignIn(context: RunContext, exchange: Exchange): Promise<boolean> {
  const { login } = await context.signedInUser('ada');
  const names = setCookieNames(exchange);
  return (
    isSuccess(exchange) && setCookieNames(login.exchange).every((name) => names.includes(name))
  );
}

export const isUnauthorized = ({ outcome, exchange }: ApiCall) =>
  outcome.ok !== true && [401, 403, 419].includes(statusOf(exchange));
