import { callNames, type Call } from '../../model/calls.ts';
import { findCall } from '../../model/requests.ts';
import type { Check } from './check.ts';
import { runOrder } from './order.ts';
import { isSelected } from '../command/options.ts';
import {
  Blocked,
  outOfTime,
  stoppedMeanwhile,
  type Exchange,
  type Reason,
} from '../http/record.ts';
import { isSuccess, statusOf } from '../http/response.ts';
import { createFixtures, createRunId } from '../people/fixtures.ts';
import {
  createRunContext,
  type RunContext,
  type RunContextOptions,
} from '../people/run-context.ts';
import { lowerFirst } from '../problems/describe.ts';
import { CheckFailed, Skipped, type Problem, type Status } from '../problems/problem.ts';
import { listUserMessages } from '../requests/refusals.ts';

export type CheckResult = {
  check: Check;
  status: Status;
  problems: Problem[];
  /** Of a check that is met or does not apply. */
  note?: string | undefined;
  /** Why a check is blocked. */
  reason?: Reason;
  exchanges: Exchange[];
  durationMs: number;
};

export type RunResult = Awaited<ReturnType<typeof run>>;

type RunOptions = RunContextOptions & {
  origin: string;
  /** Ids or groups of the checks to run. Empty for all checks. */
  only?: string[];
  runId?: string;
  /** When the command began. Default: now. */
  startedAt?: Date;
  /** Ends the run. What was judged stays. */
  stop?: AbortSignal;
  /** Called before each check. */
  onProgress?: (done: number, total: number, check: Check) => void;
};

/** Runs the checks against a backend, one after another. */
export async function run({
  origin,
  only = [],
  runId = createRunId(),
  startedAt = new Date(),
  limitMs = Infinity,
  onProgress = () => {},
  stop,
  ...contextOptions
}: RunOptions) {
  /** Why no other check can succeed. */
  let ending: Reason | undefined;
  const context = createRunContext(origin, createFixtures(runId), {
    ...contextOptions,
    limitMs,
    stop,
  });
  const { clock } = context.http;
  const lastShouldAtMs = clock.now() + limitMs / 2;
  // Each other check takes a server for a backend that speaks HTTP.
  const selected = runOrder.filter(({ id }) => isSelected(id, only));
  const results: CheckResult[] = [];
  for (const check of runOrder) {
    if (check.id !== 'REACH-1' && !selected.includes(check)) continue;
    // A check that inspects sends next to nothing.
    const isOptional = check.level !== 'MUST' && !check.inspects;
    const reason = ending ?? (isOptional && clock.now() > lastShouldAtMs ? outOfTime : undefined);
    if (!reason && selected.includes(check)) onProgress(results.length, selected.length, check);
    const judged = await runCheck(check, context, reason);
    if (stop?.aborted) ending = { words: 'the run was stopped' };
    const result = stop?.aborted ? { ...judged, ...blockedBy(ending!) } : judged;
    const endsRun = check.id === 'REACH-1' && result.status === 'failed';
    if (endsRun)
      ending = { words: lowerFirst(result.problems[0]!.description), checks: [check.id] };
    if (endsRun || selected.includes(check)) results.push(result);
  }
  context.http.close();
  return {
    origin,
    only,
    runId,
    startedAt,
    results,
    userMessages: await listUserMessages(context),
    // No call deletes the users and projects of a run.
    successes: countCalls(context.http.exchanges.filter(isSuccess)),
    context,
  };
}

const blockedBy = (reason: Reason) => ({ status: 'blocked' as const, problems: [], reason });

/** Runs a check, unless there is a reason to block it. */
async function runCheck(
  check: Check,
  context: RunContext,
  reason: Reason | undefined,
): Promise<CheckResult> {
  const { clock, endsAtMs, exchanges, stops, unjudged } = context.http;
  const startedAtMs = clock.now();
  const [firstExchange, firstUnjudged] = [exchanges.length, unjudged.length];
  const firstStop = stops.length;
  let outcome = reason ? blockedBy(reason) : await evaluateCheck(check, context);
  await context.http.settle();
  // A check may go on without the response, and a 429 shows nothing.
  const limit = unjudged[firstUnjudged];
  const refusal = outcome.reason?.exchange;
  const stop = stops.find(({ refused }) => refused.startedAfter <= (refusal?.startedAfter ?? -1));
  if (stop && statusOf(refusal!) === 401) outcome = blockedBy(stoppedMeanwhile);
  // What a check found in earlier requests stays true.
  const isFound = outcome.status === 'failed' && check.inspects;
  if (limit && !isFound && !showsTimeout(outcome)) outcome = blockedBy(limit);
  if (outcome.status === 'failed' && !check.inspects && stops.length > firstStop)
    outcome = blockedBy(stoppedMeanwhile);
  // A check that inspects may fail after the end, but requests that it needs were not sent.
  if (outcome.status === 'passed' && clock.now() >= endsAtMs) outcome = blockedBy(outOfTime);
  return {
    check,
    ...outcome,
    exchanges: exchanges.slice(firstExchange),
    durationMs: clock.now() - startedAtMs,
  };
}

type Outcome = Pick<CheckResult, 'status' | 'problems' | 'note' | 'reason'>;

const showsTimeout = ({ problems }: Outcome) =>
  problems.some(({ exchanges }) => exchanges.some(({ failure }) => failure?.isTimeout));

async function evaluateCheck(check: Check, context: RunContext): Promise<Outcome> {
  try {
    const note = await check.run(context);
    return { status: 'passed', problems: [], note: note || undefined };
  } catch (error) {
    if (error instanceof CheckFailed) return { status: 'failed', problems: error.problems };
    if (error instanceof Skipped) return { status: 'skipped', problems: [], note: error.message };
    if (error instanceof Blocked) return blockedBy(error.reason);
    // A bug in the kit, or an unforeseen response. The other checks still run.
    const message = error instanceof Error ? error.message : String(error);
    return blockedBy({ words: `the kit failed here, please report it: ${message}` });
  }
}

function countCalls(exchanges: Exchange[]) {
  const calls = exchanges.map(
    ({ request: { method, path } }) => findCall(method, path.replace(/\/$/, ''))?.call,
  );
  const countOf = (call: Call) => calls.filter((each) => each === call).length;
  return Object.fromEntries(callNames.map((call) => [call, countOf(call)])) as Record<Call, number>;
}
