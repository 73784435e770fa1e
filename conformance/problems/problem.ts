import type { Project } from '../../machines/types.ts';
import { Blocked, type Exchange } from '../http/record.ts';
import { methodAndPath, statusOf } from '../http/response.ts';
import type { ApiCall } from '../http/simulated-browser.ts';
import { describeExchangeScreen, describeScreen } from './describe.ts';
import { generalCause, type Cause } from './causes.ts';
import { callFault } from './matchers.ts';

export const statuses = ['passed', 'failed', 'skipped', 'blocked'] as const;
export type Status = (typeof statuses)[number];

/** What a check that is met returns: nothing, or a note for the totals. */
export type Note = void | string;

/** One way in which the backend does not meet a check. */
export type Problem = More & {
  /** What is wrong, in at most 100 characters, without the response. */
  description: string;
  /** The requests that show it, the decisive one last. Reports add those that signed in. */
  exchanges: Exchange[];
  /** Where the kit found it. A test compares it with the places of the source. */
  foundAt?: Error;
};

/** What else is known of a problem. */
export type More = {
  /** Continues the description. */
  detail?: string | undefined;
  /** What the app shows its users. */
  userSees?: string | undefined;
  cause?: Cause | undefined;
  /** What the last list of the exchanges lacks. The tests compare it with the list. */
  lacks?: Project | undefined;
  /** Whether all later requests of its operation show it too, so that other failures follow. */
  isLasting?: boolean;
  /** What a backend has to do, where that of the check says something else. */
  requirement?: string;
};

/** Thrown by a check that is not met. */
export class CheckFailed extends Error {
  readonly problems: Problem[];

  constructor(problems: Problem[]) {
    super(problems.map(({ description }) => description).join(' '));
    this.problems = problems;
  }
}

/** Thrown when no check can succeed: it ends the run. */
export class NoBackend extends CheckFailed {}

/** Throws a single problem that ends the run. */
export function failAll(...problem: Parameters<typeof createProblem>): never {
  throw new NoBackend([createProblem(...problem)]);
}

/** Thrown when a check does not apply to this backend. */
export class Skipped extends Error {}

export function skip(reason: string): never {
  throw new Skipped(reason);
}

type Exchanges = (Exchange | ApiCall | undefined)[];

/** Throws a single problem. */
export function fail(...problem: Parameters<typeof createProblem>): never {
  throw new CheckFailed([createProblem(...problem)]);
}

/** Returns the value of a call, or fails when the app cannot use the response. */
export function expectSuccess<Value>(
  call: ApiCall<Value>,
  failure: string,
  previous: Exchanges = [],
  more?: More,
): Value {
  if (call.outcome.ok) return call.outcome.value;
  // That is no refusal, and tells nothing about the request.
  const { failure: fault, isAppRequest } = call.exchange;
  if (fault && !fault.isTimeout && isAppRequest && previous.length > 0)
    throw new Blocked({
      words: 'the response is not complete',
      exchange: call.exchange,
      checks: ['REACH-5'],
    });
  const description = `${failure}: ${callFault(call)}.`;
  return fail(description, [...previous.filter((each) => each !== call), call], more);
}

/** Throws the problems, if there are any. */
export function failIfAny(problems: readonly (Problem | false | undefined)[]) {
  const actual = problems.filter((each) => each !== false && each !== undefined);
  if (actual.length > 0) throw new CheckFailed(actual);
}

/** How to find a fault in a response, what users see of it, and what such faults have in common. */
export type ResponseRule = [
  faultOf: (exchange: Exchange) => string | undefined,
  userSees?: (exchange: Exchange) => string | undefined,
  causeOf?: (exchange: Exchange, address: string) => Cause | undefined,
];

/** Throws one problem for each operation and status in which `faultOf` finds a fault. */
export function failOnFaults(
  exchanges: Exchange[],
  ...[faultOf, userSees = describeAppScreen, causeOf]: ResponseRule
) {
  const problems = new Map<string, Problem>();
  for (const exchange of exchanges) {
    const subject = methodAndPath(exchange.request);
    const key = `${subject} ${statusOf(exchange)}`;
    const fault = problems.has(key) ? undefined : faultOf(exchange);
    if (fault === undefined) continue;
    const words = `kinds of requests: each ${fault}`;
    const cause = causeOf?.(exchange, subject) ?? { words, subject };
    const others = exchanges.filter(({ request }) => methodAndPath(request) === subject);
    const faulty = others.filter((each) => faultOf(each) !== undefined);
    const isPart = faulty.length < others.length;
    const isLasting =
      isPart && faulty.length > 4 && others.length - others.indexOf(exchange) === faulty.length;
    const detail = isPart
      ? `So in ${faulty.length} of ${others.length} requests${isLasting ? ', each since the first' : ''}.`
      : undefined;
    const more = { userSees: userSees(exchange), cause, detail, isLasting };
    problems.set(key, createProblem(`${subject} ${fault}.`, [exchange], more));
  }
  failIfAny([...problems.values()]);
}

const describeAppScreen = (exchange: Exchange) =>
  exchange.isAppRequest ? describeExchangeScreen(exchange) : undefined;

/** Returns several calls with the one last that shows a problem. */
export const decisiveLast = <Value>(calls: Value[], decisive: Value): Value[] => [
  ...calls.filter((each) => each !== decisive),
  decisive,
];

/** Creates a problem. `userSees` defaults to the screen after the last call of the app's client. */
export function createProblem(
  description: string,
  exchanges: Exchanges = [],
  more: More = {},
): Problem {
  const present = exchanges.filter((each) => each !== undefined);
  const last = present.at(-1);
  const all = present.flatMap((each) => ('exchanges' in each ? each.exchanges : [each]));
  return {
    description,
    exchanges: all,
    foundAt: new Error(),
    ...more,
    cause: more.cause ?? all.slice(-1).map(generalCause)[0],
    userSees: more.userSees ?? (last && 'outcome' in last ? describeScreen(last) : undefined),
  };
}
