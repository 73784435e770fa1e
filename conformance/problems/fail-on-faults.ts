import type { Exchange } from '../http/record.ts';
import { isSuccess, methodAndPath, parseJson, statusOf } from '../http/response.ts';
import type { Cause } from './causes.ts';
import { countIn, describeExchangeScreen, truncate } from './describe.ts';
import { createProblem, failIfAny, type Problem } from './problem.ts';

/** The requests of one operation in order, those that show a problem, and the problem. */
type Faulty = { own: Exchange[]; faulty: Exchange[]; problem: Problem };

/** A hanging operation gets no more requests than these. */
const minLasting = 4;

const requirement =
  'End what a request begins, also if it is refused or fails: release its lock, return its connection, and roll back its transaction.';

/** Whether an operation worked, and fails since a moment, to the end of the run. */
function isEnding({ own, faulty: [first] }: Faulty): boolean {
  const start = own.indexOf(first!);
  const isFailure = !first!.response || statusOf(first!) >= 500;
  return isFailure && own.slice(0, start).some(isSuccess) && !own.slice(start).some(isSuccess);
}

const nameResponse = (exchange: Exchange) =>
  `${methodAndPath(exchange.request)} got ${statusOf(exchange) || 'no response'}`;

/** Returns the text that no ordinary request has, to follow "with"; undefined if there is none. */
function nameSpecial({ request: { body = '' } }: Exchange): string | undefined {
  const { password: _secret, ...texts } = Object(parseJson(String(body))) as Record<
    string,
    unknown
  >;
  const special = Object.entries(texts).find(
    ([, value]) => !/^([\w .@!?-]{8,90})?$/.test(String(value)),
  );
  return special && `the ${special[0]} ${JSON.stringify(truncate(String(special[1]), 12))}`;
}

/**
 * Returns the problems. One that lasts names the response since which its operation fails: one of a
 * new kind, between the last good response of each operation and the first failure.
 */
function withBeginnings(record: Exchange[], found: Faulty[]): Problem[] {
  const endings = found.filter(isEnding);
  if (!endings.some(({ faulty }) => faulty.length >= minLasting))
    return found.map(({ problem }) => problem);
  const rangeOf = ({ own, faulty: [first] }: Faulty) =>
    [own[own.indexOf(first!) - 1]!, first!].map((each) => record.indexOf(each)) as [number, number];
  const starts = endings.map((each) => rangeOf(each)[0]);
  const ends = endings.map((each) => rangeOf(each)[1]);
  const common: [number, number] = [Math.max(...starts), Math.min(...ends)];
  return found.map((each) => {
    const { own, faulty, problem } = each;
    const isCommon = common[0] < common[1];
    if (!endings.includes(each) || (!isCommon && faulty.length < minLasting)) return problem;
    const [start, end] = isCommon ? common : rangeOf(each);
    const between = record.slice(start, end);
    // What had no effect before is not the cause. The first failure itself may be.
    const known = new Set(record.slice(0, start).map(nameResponse));
    const unknown = between.filter((other) => !known.has(nameResponse(other)));
    // One that is not judged may be the first.
    const isFailure = (other: Exchange) => nameResponse(other) === nameResponse(record[end]!);
    const failure = between.find(isFailure) ?? record[end]!;
    const special = nameSpecial(failure);
    const causes = unknown.filter((other) => !isFailure(other));
    const suspects = special || causes.length === 0 ? [...causes, failure] : causes;
    const [cause, ...others] = suspects;
    const isSure = others.every((other) => nameResponse(other) === nameResponse(cause!));
    const which = cause === failure && special ? `, with ${special}` : '';
    const inFlight = record
      .slice(failure.startedAfter)
      .filter((other) => other.startedAfter <= failure.startedAfter);
    const atOnce = [...new Set(inFlight.map(({ request }) => methodAndPath(request)))];
    const since =
      cause !== failure || special
        ? `since ${nameResponse(cause!)}${which}${isSure ? '' : ', or soon after'}`
        : inFlight.length > 1
          ? `since ${inFlight.length} requests at once (${atOnce.join(', ')})`
          : 'to the end of the run';
    const subject = methodAndPath(faulty[0]!.request);
    const status = statusOf(faulty[0]!);
    return {
      ...problem,
      description: `${subject} ${status ? `gets ${status}` : 'fails'} ${since}.`,
      detail: `None of ${own.indexOf(faulty[0]!)} requests before did.`,
      exchanges: [...new Set([faulty[0]!, cause!])],
      cause: {
        words: `kinds of requests ${status ? `get ${status}` : 'fail'} ${since}`,
        subject,
        requirement,
      },
      lasting: faulty,
    };
  });
}

/** How to find a fault in a response, what users see of it, and what such faults have in common. */
export type ResponseRule = [
  faultOf: (exchange: Exchange) => string | undefined,
  userSees?: (exchange: Exchange) => string | undefined,
  causeOf?: (exchange: Exchange, address: string) => Cause | undefined,
];

/** Throws one problem for each operation and status in which `faultOf` finds a fault. */
export function failOnFaults(
  record: Exchange[],
  isJudged: (exchange: Exchange) => unknown,
  ...[faultOf, userSees = describeAppScreen, causeOf]: ResponseRule
) {
  const faults = new Map(record.filter(isJudged).map((each) => [each, faultOf(each)]));
  const found = new Map<string, Faulty>();
  for (const [exchange, fault] of faults) {
    const subject = methodAndPath(exchange.request);
    const key = `${subject} ${statusOf(exchange)}`;
    if (fault === undefined || found.has(key)) continue;
    const own = [...faults.keys()].filter(({ request }) => methodAndPath(request) === subject);
    const isFaulty = (each: Exchange) =>
      faults.get(each) !== undefined && statusOf(each) === statusOf(exchange);
    const words = `kinds of requests: each ${fault}`;
    const cause = causeOf?.(exchange, subject) ?? { words, subject };
    const share = countIn(own, isFaulty);
    const detail = share.found.length < own.length ? `So in ${share.words} requests.` : undefined;
    const more = { userSees: userSees(exchange), cause, detail };
    const problem = createProblem(`${subject} ${fault}.`, [exchange], more);
    found.set(key, { own, faulty: share.found, problem });
  }
  failIfAny(withBeginnings(record, [...found.values()]));
}

const describeAppScreen = (exchange: Exchange) =>
  exchange.isAppRequest ? describeExchangeScreen(exchange) : undefined;
