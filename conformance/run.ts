import { callNames, findCall, type Call } from '../model/calls.ts';
import type { Check } from './checks/check.ts';
import { listUserMessages } from './checks/errors.ts';
import { runOrder } from './checks/order.ts';
import { isSelected } from './cli.ts';
import { createFixtures, createRunId } from './fixtures.ts';
import { lowerFirst } from './describe.ts';
import {
  methodAndPath,
  outOfTime,
  scope,
  Unjudged,
  type Exchange,
  type Scope,
} from './http/client.ts';
import { isSuccess } from './http/response.ts';
import {
  createRunContext,
  medianOf,
  type RunContext,
  type RunContextOptions,
} from './run-context.ts';
import { Blocked, CheckFailed, NoBackend, Skipped, type Problem, type Status } from './verdict.ts';

export type CheckResult = {
  check: Check;
  status: Status;
  problems: Problem[];
  note: string | undefined;
  exchanges: Exchange[];
  durationMs: number;
  /** Whether it shows that no other check can succeed. */
  endsRun?: boolean;
};

export type RunResult = Awaited<ReturnType<typeof run>>;

type RunOptions = RunContextOptions & {
  origin: string;
  /** Ids or groups of the checks to run. Empty for all checks. */
  only?: string[];
  seed?: number;
  runId?: string;
  /** When the command began. Default: now. */
  startedAt?: Date;
  /** Called before each check. */
  onProgress?: (done: number, total: number, check: Check) => void;
};

/** Runs the checks against a backend: one after another, unless it is slow. */
export async function run({
  origin,
  only = [],
  seed = 1,
  runId = createRunId(),
  startedAt = new Date(),
  budgetMs = Infinity,
  onProgress = () => {},
  ...contextOptions
}: RunOptions) {
  const context = createRunContext(origin, createFixtures(seed, runId), {
    ...contextOptions,
    budgetMs,
  });
  const { exchanges, clock, startedAtMs } = context.http;
  const selected = runOrder.filter(({ id }) => isSelected(id, only));
  const results: CheckResult[] = [];
  let waiting = [...selected];
  let helpers: Promise<void>[] = [];
  /** How many exchanges there were before the first helper began. */
  let aloneCount = Infinity;
  /** Why no other check can succeed. */
  let reason: string | undefined;

  async function runNext(check: Check) {
    // An inspection sends next to nothing.
    const isOptional = check.level !== 'MUST' && !check.inspects;
    const isLate = isOptional && clock.now() - startedAtMs > budgetMs;
    const note = reason ?? (isLate ? outOfTime : undefined);
    if (!note) onProgress(results.length, selected.length, check);
    const result = await runCheck(check, context, note);
    if (result.endsRun) reason = lowerFirst(result.problems[0]!.description);
    results.push(result);
  }

  /** Runs the checks that wait, one after another. A helper ends before one that runs alone. */
  async function work(isHelper: boolean): Promise<void> {
    for (;;) {
      const [next] = waiting;
      const isAlone = next?.alone || next?.inspects;
      if (!next || (isHelper && isAlone)) return;
      if (isAlone) {
        await Promise.all(helpers);
        helpers = [];
      }
      await runNext(waiting.shift()!);
      const isAsFast = slowdown(exchanges, aloneCount) < maxSlowdown;
      if (isShortOfTime(context, results.length, waiting.length)) {
        waiting = mustFirst(waiting);
        aloneCount = Math.min(aloneCount, exchanges.length);
        if (isAsFast && helpers.length < maxHelpers) helpers.push(work(true));
      }
      if (isHelper && !isAsFast) return;
    }
  }
  await work(false);
  await Promise.all(helpers);
  context.http.close();
  const timeAdvice = adviseTime(results, clock.now() - startedAtMs);
  return {
    origin,
    only,
    seed,
    runId,
    startedAt,
    results,
    userMessages: await listUserMessages(context),
    attempts: countCalls(context.http.exchanges),
    // No call deletes the users and projects of a run.
    successes: countCalls(context.http.exchanges.filter(isSuccess)),
    timeAdvice,
    context,
  };
}

/** The part of the budget after which the speed of the backend is known. */
const probeShare = 1 / 24;

/** With the first, as many as browsers open connections. */
const maxHelpers = 5;

/** A backend that is slower than this beside others answers one request at a time. */
const maxSlowdown = 1.5;

/** Returns how many times as long as before the last responses took. */
function slowdown(exchanges: Exchange[], aloneCount: number): number {
  const before = exchanges.slice(0, aloneCount);
  const factors = exchanges
    .slice(aloneCount)
    .slice(-10)
    .map(({ durationMs, request }) => {
      const same = before.filter((each) => methodAndPath(each.request) === methodAndPath(request));
      return durationMs / Math.max(1, medianOf(same.map((each) => each.durationMs)) ?? durationMs);
    });
  return medianOf(factors) ?? 1;
}

/** Returns whether the other checks, at the speed so far, take longer than what is left. */
function isShortOfTime({ http }: RunContext, doneCount: number, otherCount: number): boolean {
  const spentMs = http.clock.now() - http.startedAtMs;
  const neededMs = (spentMs / doneCount) * otherCount;
  return spentMs > http.budgetMs * probeShare && neededMs > http.budgetMs - spentMs;
}

/** What the app cannot do without comes first. Keeps the order otherwise. */
const mustFirst = (waiting: Check[]) =>
  waiting.toSorted((a, b) => Number(b.level === 'MUST') - Number(a.level === 'MUST'));

/** SHOULD checks need less time than the MUST checks before them, but some need more. */
const timeMargin = 1.5;

/** Says what to do about checks for which there was no time. Writes that into their notes. */
function adviseTime(results: CheckResult[], spentMs: number): string | undefined {
  const late = results.filter(({ note }) => note === outOfTime);
  if (late.length === 0) return undefined;
  const msPerCheck = spentMs / Math.max(1, results.length - late.length);
  const neededMinutes = Math.ceil((spentMs + late.length * msPerCheck * timeMargin) / 60_000);
  const advice = `${outOfTime}; --budget ${neededMinutes * 60} judges them`;
  for (const result of late) result.note = advice;
  return advice;
}

/** Runs a check, unless there is a reason to block it. */
async function runCheck(check: Check, context: RunContext, reason: string | undefined) {
  const { clock } = context.http;
  const startedAtMs = clock.now();
  const own: Scope = { exchanges: [], unjudged: [] };
  let outcome: Outcome = reason
    ? { status: 'blocked', note: reason }
    : await scope.run(own, () => evaluateCheck(check, context));
  // Journeys take a refused request for a result, and a 429 is evidence of nothing.
  const [note] = own.unjudged;
  if (note !== undefined && !showsTimeout(outcome)) outcome = { status: 'blocked', note };
  const durationMs = clock.now() - startedAtMs;
  return { check, problems: [], note: undefined, ...outcome, exchanges: own.exchanges, durationMs };
}

type Outcome = Pick<CheckResult, 'status'> &
  Partial<Pick<CheckResult, 'note' | 'problems' | 'endsRun'>>;

const showsTimeout = ({ problems = [] }: Outcome) =>
  problems.some(({ exchanges }) => exchanges.some(({ failure }) => failure?.isTimeout));

async function evaluateCheck(check: Check, context: RunContext): Promise<Outcome> {
  try {
    const note = await check.run(context);
    return typeof note === 'string' ? { status: 'noted', note } : { status: 'passed' };
  } catch (error) {
    if (error instanceof CheckFailed) {
      const { problems } = error;
      return { status: 'failed', problems, endsRun: error instanceof NoBackend };
    }
    if (error instanceof Skipped) return { status: 'skipped', note: error.message };
    if (error instanceof Blocked || error instanceof Unjudged)
      return { status: 'blocked', note: error.message };
    // A bug in the kit, or an unforeseen response. The other checks still run.
    const message = error instanceof Error ? error.message : String(error);
    return { status: 'blocked', note: `the kit failed here, please report it: ${message}` };
  }
}

/** Returns how often each call is among the exchanges. */
function countCalls(exchanges: Exchange[]) {
  const calls = exchanges.map(
    ({ request: { method, path } }) => findCall(method, path.replace(/\/$/, ''))?.call,
  );
  const countOf = (call: Call) => calls.filter((each) => each === call).length;
  return Object.fromEntries(callNames.map((call) => [call, countOf(call)])) as Record<Call, number>;
}
