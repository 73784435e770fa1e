import type { Project } from '../../machines/types.ts';
import { Blocked, type Exchange } from '../http/record.ts';
import type { ApiCall } from '../http/simulated-browser.ts';
import { describeScreen } from './describe.ts';
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
  /** Failures that others follow from: since the first one, with its status. */
  lasting?: Exchange[] | undefined;
  /** Whether the same request may succeed and fail, so that any other failure may follow. */
  comesAndGoes?: boolean;
  /** Of a special request: its plain twin, which shows no such problem. */
  plain?: ApiCall | Exchange | undefined;
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

/** Thrown when a check does not apply to this backend. */
export class Skipped extends Error {}

export function skip(reason: string): never {
  throw new Skipped(reason);
}

type Exchanges = (Exchange | ApiCall | undefined)[];

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

export function failIfAny(problems: readonly (Problem | false | undefined)[]) {
  const actual = problems.filter((each) => each !== false && each !== undefined);
  if (actual.length > 0) throw new CheckFailed(actual);
}

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
