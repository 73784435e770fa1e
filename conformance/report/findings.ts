import type { Check } from '../checks/check.ts';
import { compareCauses, isCauseOf } from '../checks/order.ts';
import type { Exchange, Reason } from '../http/record.ts';
import { areAlike, isSuccess, methodAndPath, responseKey, statusOf } from '../http/response.ts';
import type { Cause } from '../problems/causes.ts';
import { groupBy } from '../problems/describe.ts';
import type { Problem } from '../problems/problem.ts';
import type { CheckResult } from '../checks/run.ts';

/** A check that is not met, or several with a common cause. */
export type Finding = ReturnType<typeof listFindings>[number];

/** Returns the findings: causes first, each MUST before each SHOULD. */
export function listFindings(results: CheckResult[]) {
  const failed = results
    .filter(({ status }) => status === 'failed')
    .toSorted((a, b) => compareCauses(a.check, b.check));
  const reported = failed.flatMap(({ check, problems }) =>
    problems.map((problem) => ({ check, problem })),
  );
  const problemsOf = (check: Check) => failed.find((each) => each.check === check)!.problems;
  const sizes = groupBy(reported, causeKeyOf);
  /** A check of one request knows more of its failure than a check of all requests. */
  const shownBy = (item: Item) => reported.find((other) => showsFailureOf(item, other));
  const groups = groupBy(reported, (each) => {
    const item = shownBy(each) ?? each;
    return sizes.get(causeKeyOf(item))!.length > 1 ? causeKeyOf(item) : item.check.id;
  });
  const findings = [...groups.values()].map((unsorted) => {
    const items = unsorted
      .filter((item) => !shownBy(item))
      .toSorted((a, b) => rankOf(a).localeCompare(rankOf(b)));
    const own = [...new Set(items.map(({ check }) => check))];
    const checks = [...new Set([...own, ...unsorted.map(({ check }) => check)])];
    const causesOf = (check: Check) =>
      failed
        .map((other) => other.check)
        .filter((other) => !checks.includes(other))
        .filter((other) => explains(problemsOf(other), problemsOf(check), isCauseOf(other, check)));
    const isConsequence = own.every((check) => causesOf(check).length > 0);
    return {
      /** MUST checks come first, in causal order. */
      checks,
      /** MUST if one of the checks is a MUST. */
      level: checks.map(({ level }) => level).toSorted()[0]!,
      ...summarizeCauses(items),
      problems: items.map(({ problem }) => withNumbers(problem, unsorted.filter(shownBy))),
      /** Failed checks that may be why all of these failed. Empty for a finding that is a cause. */
      causes: isConsequence ? [...new Set(own.flatMap(causesOf))] : [],
    };
  });
  const explained = findings.map((finding) => ({
    ...finding,
    causes: listHeads(findings, finding.causes),
  }));
  /** What explains a MUST ranks as one. */
  const levelOf = ({ level, checks }: (typeof explained)[number]) =>
    [
      level,
      ...explained.flatMap((each) => (each.causes.includes(checks[0]!) ? each.level : [])),
    ].toSorted()[0]!;
  return explained
    .map((finding) => ({ ...finding, level: levelOf(finding) }))
    .toSorted(
      (a, b) =>
        Number(a.causes.length > 0) - Number(b.causes.length > 0) ||
        Number(isLasting(b)) - Number(isLasting(a)) ||
        a.level.localeCompare(b.level),
    );
}

/**
 * Returns whether problems of one check explain each of another: the latter has a request like the
 * one that shows the former, or began during a failure that lasts. A fault that comes and goes may
 * be in each request.
 */
const explains = (causes: Problem[], problems: Problem[], isBefore: boolean) =>
  problems.every(({ exchanges }) =>
    causes.some(({ lasting: [first] = [], comesAndGoes, exchanges: [...shown] }) => {
      const isLater = (each: Exchange) =>
        first && each.startedAfter >= first.startedAfter && statusOf(each) === statusOf(first);
      const decisive = shown.at(-1);
      const isAlike = !decisive || exchanges.map(kindOf).includes(kindOf(decisive));
      return exchanges.some(isLater) || (isBefore && (comesAndGoes || isAlike));
    }),
  );

/** The refusal of a session has one kind in each call. */
const kindOf = (exchange: Exchange) =>
  [401, 403, 419].includes(statusOf(exchange))
    ? responseKey(exchange)
    : `${methodAndPath(exchange.request)} ${statusOf(exchange)}`;

/** Whether all later requests fail too, so that other failures follow. */
const isLasting = ({ level, problems }: { level: string; problems: Problem[] }) =>
  level === 'MUST' && problems.some((problem) => problem.lasting);

/** Returns the first check of each cause that explains these checks, also by way of others. */
function listHeads(findings: { checks: Check[]; causes: Check[] }[], checks: Check[]): Check[] {
  const pending = [...checks];
  // The set grows meanwhile.
  for (const check of pending) {
    const causes = findings
      .filter((each) => each.checks.includes(check))
      .flatMap((each) => each.causes);
    pending.push(...causes.filter((cause) => !pending.includes(cause)));
  }
  const heads = findings
    .filter((each) => each.causes.length === 0)
    .filter((each) => each.checks.some((check) => pending.includes(check)))
    .map((each) => each.checks[0]!);
  return [...new Set(heads)];
}

/** Returns the failed checks that tell why this one is blocked: its causes, and those of its reason. */
export function listBlockers({ check, reason }: CheckResult, results: CheckResult[]): Check[] {
  if (!reason || reason.limit) return [];
  return results
    .filter(({ status }) => status === 'failed')
    .filter((other) => isCauseOf(other.check, check) || tells(other, reason))
    .map((other) => other.check);
}

/** Returns whether a check that is not met tells a reason: it is named, or shows its response. */
function tells({ check, problems }: CheckResult, { checks = [], exchange }: Reason) {
  const shown = problems.flatMap(({ exchanges }) => exchanges.filter((each) => !isSuccess(each)));
  return checks.includes(check.id) || (exchange && shown.some((each) => areAlike(each, exchange)));
}

/** Returns whether a check of one request shows a failure that a check of all requests found. */
function showsFailureOf({ check, problem }: Item, other: Item) {
  // A leak is another fault, and what goes on failing is no matter of one request.
  if (check.id.startsWith('LEAK') || problem.lasting) return false;
  if (!check.inspects || other.check.inspects) return false;
  const [one, two] = [problem, other.problem].map(({ exchanges }) => exchanges.at(-1));
  if (!one || !two || (one.response && statusOf(one) < 500)) return false;
  return kindOf(one) === kindOf(two);
}

/** Adds how many requests of all fail like the one of a problem, if not all do. */
function withNumbers(problem: Problem, others: Item[]): Problem {
  const numbers = others.flatMap((other) =>
    other.problem.detail ? [other.problem.description, other.problem.detail] : [],
  );
  const detail = [problem.detail, ...numbers].filter(Boolean).join(' ');
  return { ...problem, detail: detail || undefined };
}

type Item = { check: Check; problem: Problem };

const causeKeyOf = ({ check, problem: { cause } }: Item) =>
  cause ? (cause.key ?? cause.words) : check.id;

/** A check about the same as the cause comes first, then a MUST. */
const rankOf = ({ check, problem: { cause } }: Item) =>
  `${!cause?.about || check.about !== cause.about} ${check.level}`;

/** Says what several problems have in common, and of which situations. */
function summarizeCauses(items: Item[]) {
  const cause = items[0]?.problem.cause;
  const situations = [...new Set(items.map(({ problem }) => problem.cause?.subject ?? ''))];
  const isOne = new Set(items.map(causeKeyOf)).size === 1;
  if (!cause || !isOne || situations.length === 1) return { summary: undefined, situations: [] };
  const wordsOf = (each?: Cause) => [each?.words, each?.otherWords];
  const shared = wordsOf(cause).find((words) =>
    items.every(({ problem }) => wordsOf(problem.cause).includes(words)),
  );
  /** `17 kinds of refusals are HTML pages.` */
  return { summary: `${situations.length} ${shared ?? cause.key}.`, situations };
}
