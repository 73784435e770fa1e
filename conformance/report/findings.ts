import type { Check } from '../checks/check.ts';
import { compareCauses, isCauseOf } from '../checks/order.ts';
import type { Exchange } from '../http/record.ts';
import { headerValues, isSuccess, parseJson, statusOf } from '../http/response.ts';
import { describeResponse, describeStatus } from '../problems/describe.ts';
import type { Cause, Problem } from '../problems/problem.ts';
import type { CheckResult } from '../checks/run.ts';

/** A check that is not met, or several with a common cause. */
export type Finding = ReturnType<typeof listFindings>[number];

/** Returns the findings: causes first, each MUST before each SHOULD. */
export function listFindings(results: CheckResult[]) {
  const failed = results
    .filter(({ status }) => status === 'failed')
    .toSorted((a, b) => compareCauses(a.check, b.check));
  const causeOf = judgeCauses(results);
  const reported = failed.flatMap(({ check, problems }) => {
    const items = problems.map((problem) => ({ check, problem, ...causeOf(check, problem) }));
    const own = items.filter(({ shownBy }) => shownBy.length === 0);
    return own.length > 0 ? own : items;
  });
  type Reported = (typeof reported)[number];
  const keyOf = ({ check, cause }: Reported) =>
    cause ? comparable(cause.key ?? cause.words) : check.id;
  const sizes = groupBy(reported, keyOf);
  const groups = groupBy(reported, (each) =>
    sizes.get(keyOf(each))!.length > 1 ? keyOf(each) : each.check.id,
  );
  const findings = [...groups.values()].map((unsorted) => {
    const items = unsorted.toSorted(
      (a, b) =>
        Number(b.problem.isTypical ?? false) - Number(a.problem.isTypical ?? false) ||
        a.check.level.localeCompare(b.check.level),
    );
    const checks = [...new Set(items.map(({ check }) => check))];
    const shownBy = items.flatMap((item) => item.shownBy);
    const causesOf = (check: Check) =>
      failed
        .map((other) => other.check)
        .filter((other) => !checks.includes(other))
        .filter((other) => shownBy.includes(other) || isCauseOf(other, check));
    const isConsequence = checks.every((check) => causesOf(check).length > 0);
    return {
      /** What shows the cause best comes first, then MUST checks, in causal order. */
      checks,
      /** MUST if one of the checks is a MUST. */
      level: checks.map(({ level }) => level).toSorted()[0]!,
      ...summarizeCauses(items),
      problems: items.map(({ problem }) => problem),
      /** Failed checks that may be why all of these failed. Empty for a finding that is a cause. */
      causes: isConsequence ? [...new Set(checks.flatMap(causesOf))] : [],
    };
  });
  return findings
    .map((finding) => ({ ...finding, causes: listHeads(findings, finding.causes) }))
    .toSorted(
      (a, b) =>
        Number(a.causes.length > 0) - Number(b.causes.length > 0) || a.level.localeCompare(b.level),
    );
}

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

/** Blocked checks with one reason. */
type NotJudged = { reason: string; ids: string[] };

/**
 * Returns the MUST and SHOULD checks that could not run for one of the `reasons`, or for another
 * that no finding tells.
 */
export function listNotJudged(
  results: CheckResult[],
  reasons: (string | undefined)[],
): NotJudged[] {
  const failed = results.filter(({ status }) => status === 'failed').map(({ check }) => check);
  const silent = results.filter(({ check, status, note = '' }) => {
    if (status !== 'blocked' || check.level === 'PROFILE') return false;
    const explains = (other: Check) =>
      other.level === 'MUST' || isCauseOf(other, check) || note.includes(other.id);
    return reasons.includes(note) || !failed.some(explains);
  });
  return [...groupBy(silent, ({ note = '' }) => note)].map(([reason, blocked]) => ({
    reason,
    ids: blocked.map(({ check }) => check.id),
  }));
}

/** Why a problem occurred, as far as the run shows that. */
type JudgedCause = {
  /** What it has in common with other problems. */
  cause: Cause | undefined;
  /**
   * For a failure that a check with `inspects` found: the checks whose own problem shows it too.
   */
  shownBy: Check[];
};

/** Distinguishes a backend that fails in general from one that fails for special requests. */
function judgeCauses(results: CheckResult[]) {
  const shown = results.flatMap(({ check, problems }) =>
    check.inspects ? [] : problems.map(({ cause, exchanges }) => ({ check, cause, exchanges })),
  );
  const ofApp = results.flatMap(({ exchanges }) => exchanges).filter((each) => each.isAppRequest);
  const nameOf = (failure: Exchange) =>
    comparable(`${addressOf(failure)} ${describeResponse(failure)}`);
  const failures = groupBy(ofApp.filter(isFailure), nameOf);
  const counts = groupBy(ofApp, addressOf);
  /** Most requests of this call fail, most failures are of no special request, or it hangs. */
  function isGeneral(failure: Exchange): boolean {
    const same = failures.get(nameOf(failure)) ?? [];
    const special = same.filter((each) => shown.some(({ exchanges }) => exchanges.includes(each)));
    // Several requests of which the check knows what they have in common.
    const isKnown = shown.some(
      ({ cause, exchanges }) =>
        cause && exchanges.length > 1 && exchanges.some((each) => same.includes(each)),
    );
    const total = counts.get(addressOf(failure))?.length ?? 0;
    const isMost = same.length * 2 > total || special.length * 2 < same.length;
    return (isMost && !isKnown) || failure.failure?.isTimeout === true;
  }
  return function causeOf(check: Check, { cause, exchanges }: Problem): JudgedCause {
    const last = exchanges.at(-1);
    const ofLast = (words: string, key = words) => ({
      cause: { ...cause, words, key, subject: cause?.subject ?? addressOf(last!) },
      shownBy: [],
    });
    if (last && isRefusalWithSuccess(last)) return ofLast('refusals have the status of a success');
    if (!last || !isFailure(last)) return { cause, shownBy: [] };
    // What happened before the failure is the cause, if the check says so.
    if (isGeneral(last))
      return cause && exchanges.length > 1
        ? { cause, shownBy: [] }
        : // The kit waits for some requests longer than for others.
          ofLast(
            `requests get ${describeStatus(last).split(' within ')[0]}`,
            describeResponse(last),
          );
    const isSame = (other: Exchange) => isFailure(other) && nameOf(other) === nameOf(last);
    const same = check.inspects
      ? shown.filter((each) => each.exchanges.slice(-1).some(isSame))
      : [];
    return { cause, shownBy: same.map((each) => each.check) };
  };
}

/** Returns whether a response without a cookie says why it refuses, with a status of success. */
const isRefusalWithSuccess = (exchange: Exchange) =>
  isSuccess(exchange) &&
  headerValues(exchange.response, 'set-cookie').length === 0 &&
  ['message', 'error', 'errors', 'detail'].some(
    (name) => name in Object(parseJson(exchange.response!.text)),
  );

const isFailure = (exchange: Exchange) => !exchange.response || statusOf(exchange) >= 500;

const addressOf = ({ request: { method, path } }: Exchange) => `${method} ${path}`;

/** Removes what differs from response to response: times, ids of requests and lengths. */
const comparable = (words: string) => words.replaceAll(/[\da-f]*\d[\da-f]*/g, '0');

/** Says what several problems have in common, and of which situations. */
function summarizeCauses(items: { problem: Problem; cause: Cause | undefined }[]) {
  const [first] = items;
  const subjects = new Map(
    items.map(({ problem, cause }) => [problem.exchanges.at(-1), cause?.subject]),
  );
  if (!first?.cause || subjects.size === 1) return { summary: undefined, situations: [] };
  return {
    /** `17 refusals are HTML pages.` */
    summary: `${subjects.size} ${first.cause.words}.`,
    situations: [...new Set(subjects.values())].filter((each) => each !== undefined),
  };
}

/** Groups values by a key. `Map.groupBy` does not exist in Node 20, on which the kit runs. */
export function groupBy<Value>(
  values: Value[],
  keyOf: (value: Value) => string,
): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values)
    groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return groups;
}
