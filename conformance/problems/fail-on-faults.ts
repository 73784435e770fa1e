import type { HttpClient } from '../http/client.ts';
import { isAlone, listAtOnce, type Exchange } from '../http/record.ts';
import { isClientError, isSuccess, methodAndPath, parseJson, statusOf } from '../http/response.ts';
import type { Cause } from './causes.ts';
import {
  countIn,
  describeExchangeScreen,
  groupBy,
  inSeconds,
  listSome,
  plural,
  truncate,
} from './describe.ts';
import { createProblem, failIfAny, type Problem } from './problem.ts';

/** The requests of one operation in order, those that show a problem, and the problem. */
type Faulty = { own: Exchange[]; faulty: Exchange[]; problem: Problem };

/** A hanging operation gets no more requests than these. */
const minLasting = 4;

const endRequirement =
  'End what a request begins, also if it is refused or fails: release its lock, return its connection, and roll back its transaction.';

export const atOnceRequirement =
  'Let requests at once wait for each other, but not for ever: take one connection of the pool for a request and locks in one order, and hold no thread for an idle connection. SQLite needs BEGIN IMMEDIATE and a busy timeout. Let the insert choose an id, not a count before it.';

const passingRequirement =
  'Never respond to the app with 5xx. Look for what requests share: a thread, a connection of a pool, an open transaction, a lock. A limit of requests responds with 429 and a message.';

/** Whether an operation worked, and fails since a moment, to the end of the run. */
function isEnding({ own, faulty: [first] }: Faulty): boolean {
  const start = own.indexOf(first!);
  const isFailure = !first!.response || statusOf(first!) >= 500;
  return isFailure && own.slice(0, start).some(isSuccess) && !own.slice(start).some(isSuccess);
}

const isLasting = (each: Faulty) => isEnding(each) && each.faulty.length >= minLasting;

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

/** What precedes a lasting failure, and what a backend has to do about it. */
type Beginning = { cause: Exchange; since: string; more?: string; requirement: string };

/**
 * Returns what may have caused the failures since `end`: a response of a new kind after the last
 * good one at `start`, the text or the requests at once of the first failure, or else all refusals.
 */
function findBeginning(record: Exchange[], start: number, end: number): Beginning {
  const between = record.slice(start, end);
  const isFailure = (other: Exchange) => nameResponse(other) === nameResponse(record[end]!);
  // One that is not judged may be the first.
  const failure = between.find(isFailure) ?? record[end]!;
  // What had no effect before is not the cause.
  const known = new Set(record.slice(0, start).map(nameResponse));
  const isNew = (other: Exchange) => !known.has(nameResponse(other)) && !isFailure(other);
  const [cause, ...others] = between.filter(isNew);
  const special = nameSpecial(failure);
  const requirement = endRequirement;
  if (cause) {
    const names = new Set([...others, ...(special ? [failure] : [])].map(nameResponse));
    names.delete(nameResponse(cause));
    const since = `since ${nameResponse(cause)}${names.size > 0 ? ', or soon after' : ''}`;
    const more = names.size > 0 ? `Soon after: ${listSome([...names])}.` : '';
    return { cause, since, more, requirement };
  }
  if (special)
    return {
      cause: failure,
      since: `since ${nameResponse(failure)}, with ${special}`,
      requirement,
    };
  const atOnce = listAtOnce(record, failure);
  if (atOnce.length > 1) {
    const addresses = new Set(atOnce.map(({ request }) => methodAndPath(request)));
    const since = `since ${atOnce.length} requests at once (${[...addresses].join(', ')})`;
    return { cause: failure, since, requirement: atOnceRequirement };
  }
  const isRight = between.some(isClientError);
  const earlier = isRight ? between : record.slice(0, start);
  const refusals = groupBy(earlier.filter(isClientError), nameResponse);
  const counts = [...refusals]
    .toSorted((a, b) => b[1].length - a[1].length)
    .map(([name, { length }]) => `${length} × ${name}`);
  const more =
    counts.length > 0 ? `Refused ${isRight ? 'right ' : ''}before: ${listSome(counts)}.` : '';
  return { cause: failure, since: 'to the end of the run', more, requirement };
}

/** Returns the problems. One that lasts names that since which its operation fails. */
function withBeginnings(record: Exchange[], found: Faulty[]): Problem[] {
  const endings = found.filter(isEnding);
  if (!endings.some(isLasting)) return found.map(({ problem }) => problem);
  const rangeOf = ({ own, faulty: [first] }: Faulty) =>
    [own[own.indexOf(first!) - 1]!, first!].map((each) => record.indexOf(each)) as [number, number];
  const starts = endings.map((each) => rangeOf(each)[0]);
  const ends = endings.map((each) => rangeOf(each)[1]);
  const common: [number, number] = [Math.max(...starts), Math.min(...ends)];
  return found.map((each) => {
    const { own, faulty, problem } = each;
    const isCommon = common[0] < common[1];
    if (!endings.includes(each) || (!isCommon && faulty.length < minLasting)) return problem;
    const beginning = findBeginning(record, ...(isCommon ? common : rangeOf(each)));
    const { cause, since, more = '', requirement } = beginning;
    const subject = methodAndPath(faulty[0]!.request);
    const status = statusOf(faulty[0]!);
    return {
      ...problem,
      description: `${subject} ${status ? `gets ${status}` : 'fails'} ${since}.`,
      detail: `${plural(own.indexOf(faulty[0]!), 'request')} before did not. ${more}`.trim(),
      exchanges: [...new Set([faulty[0]!, cause])],
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

/** Throws one problem for each operation and status in which a rule finds a fault. */
export function failOnFaults(...[record, ...rule]: Parameters<typeof findFaults>) {
  failIfAny(withBeginnings(record, findFaults(record, ...rule)));
}

/** Like `failOnFaults`, of statuses 5xx, which may come and go. */
export async function failOnFailures(
  http: HttpClient,
  ...[record, ...rule]: Parameters<typeof findFaults>
) {
  const find = async (each: Faulty) => ({
    ...each,
    passing: await findPassing(http, record, each),
  });
  const found = await Promise.all(findFaults(record, ...rule).map(find));
  const statuses = new Set(found.filter(({ passing }) => passing).map(statusOfFaulty));
  const comesAndGoes = (each: Faulty) => statuses.has(statusOfFaulty(each));
  const others = found.filter((each) => !comesAndGoes(each));
  const problems = [
    found.filter(comesAndGoes).map((each) => createPassing(record, each)),
    withBeginnings(record, others),
  ];
  // What lasts names the response since which it does.
  if (others.some(isLasting)) problems.reverse();
  failIfAny(problems.flat());
}

const statusOfFaulty = ({ faulty: [first] }: Faulty) => statusOf(first!);

/** Returns a success of a request that has failed alone. */
async function findPassing(http: HttpClient, record: Exchange[], { faulty }: Faulty) {
  const failed = faulty.find((each) => isAlone(record, each));
  if (!failed) return undefined;
  const textOf = ({ request: { method, path, body, headers } }: Exchange) =>
    JSON.stringify([method, path, body, headers['cookie']]);
  const isSame = (each: Exchange) => textOf(each) === textOf(failed);
  const passing = record
    .slice(record.indexOf(failed))
    .find((each) => isSame(each) && isSuccess(each));
  return passing ?? (await http.resend(failed)).find(isSuccess);
}

/** Creates the problem of requests that fail now and then, as `passing` or others show. */
function createPassing(
  record: Exchange[],
  { own, faulty, problem, passing }: Faulty & { passing: Exchange | undefined },
) {
  const failed = faulty.find((each) => isAlone(record, each)) ?? faulty[0]!;
  const subject = methodAndPath(failed.request);
  const words = `${statusOf(failed)} now and then`;
  const [start, end] = [own[own.indexOf(failed) - 1], failed].map((each) => record.indexOf(each!));
  const { cause } = findBeginning(record, start!, end!);
  const atOnce = faulty.filter((each) => !isAlone(record, each)).length;
  const facts = [
    `So in ${countIn(own, (each) => faulty.includes(each)).words} requests${atOnce > 0 ? `, ${atOnce} of them at once with others` : ''}.`,
    ...(passing ? ['The same one succeeds when it is sent again.'] : []),
    ...(cause === failed ? [] : [`The first came after ${nameResponse(cause)}.`]),
    ...(failed.durationMs < 1000 ? [] : [`It took ${inSeconds(failed.durationMs)}.`]),
  ];
  return {
    ...problem,
    description: `${subject} gets ${passing ? words : statusOf(failed)}.`,
    detail: facts.join(' '),
    exchanges: passing ? [passing, failed] : [failed],
    cause: { words: `kinds of requests get ${words}`, subject, requirement: passingRequirement },
    lasting: faulty,
  };
}

/** Returns the requests of each operation and status in which `faultOf` finds a fault. */
function findFaults(
  record: Exchange[],
  isJudged: (exchange: Exchange) => unknown,
  ...[faultOf, userSees = describeAppScreen, causeOf]: ResponseRule
): Faulty[] {
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
    const isAnyAlone = share.found.some((each) => isAlone(record, each));
    const which = share.found.length > 1 && !isAnyAlone ? ', each at once with others' : '';
    const detail =
      share.found.length < own.length ? `So in ${share.words} requests${which}.` : undefined;
    const more = { userSees: userSees(exchange), cause, detail };
    const problem = createProblem(`${subject} ${fault}.`, [exchange], more);
    found.set(key, { own, faulty: share.found, problem });
  }
  return [...found.values()];
}

const describeAppScreen = (exchange: Exchange) =>
  exchange.isAppRequest ? describeExchangeScreen(exchange) : undefined;
