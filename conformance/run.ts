import { callNames, findCall, type Call } from '../model/calls.ts';
import { checks } from './checks/all.ts';
import type { Check } from './checks/check.ts';
import { listUserMessages } from './checks/errors.ts';
import { isSelected } from './cli.ts';
import { createFixtures, createRunId } from './fixtures.ts';
import { Unjudged, type Exchange } from './http/client.ts';
import { isSuccess } from './http/response.ts';
import type { Status } from './report/schema.ts';
import { createRunContext, type RunContext, type RunContextOptions } from './run-context.ts';
import { Blocked, CheckFailed, Skipped, type Problem } from './verdict.ts';

export type CheckResult = {
  check: Check;
  status: Status;
  problems: Problem[];
  note: string | undefined;
  exchanges: Exchange[];
  durationMs: number;
};

export type RunResult = Awaited<ReturnType<typeof run>>;

type RunOptions = RunContextOptions & {
  origin: string;
  /** Ids or groups of the checks to run. Empty for all checks. */
  only?: string[];
  seed?: number;
  runId?: string;
  /** Called before each check. */
  onProgress?: (done: number, total: number, check: Check) => void;
};

/** Runs the checks against a backend, one after another. */
export async function run({
  origin,
  only = [],
  seed = 1,
  runId = createRunId(),
  onProgress = () => {},
  ...contextOptions
}: RunOptions) {
  const startedAt = new Date();
  const context = createRunContext(origin, createFixtures(seed, runId), contextOptions);
  const selected = checks.filter(({ id }) => isSelected(id, only));
  const results: CheckResult[] = [];
  for (const check of selected) {
    onProgress(results.length, selected.length, check);
    results.push(await runCheck(check, context, isApiMissing(results)));
  }
  context.http.close();
  for (const problem of results.flatMap(({ problems }) => problems)) {
    const owner = results.find(({ check }) => check.id === problem.cause?.owner);
    if (owner?.status === 'passed')
      Object.assign(owner, { status: 'failed', problems: [problem] } satisfies Outcome);
  }
  return {
    origin,
    only,
    seed,
    runId,
    startedAt,
    durationMs: Date.now() - startedAt.getTime(),
    results,
    userMessages: await listUserMessages(context),
    successes: countSuccesses(context),
    context,
  };
}

/** Without an API, no other check can succeed. */
const basePathCheck = 'REACH-1';

const isApiMissing = (results: CheckResult[]) =>
  results.some(({ check, status }) => check.id === basePathCheck && status === 'failed');

async function runCheck(check: Check, context: RunContext, isBlocked: boolean) {
  const startedAt = performance.now();
  const earlierExchanges = context.http.exchanges.length;
  const { unjudged } = context.http;
  const unjudgedCount = unjudged.length;
  let outcome: Outcome = isBlocked
    ? { status: 'blocked', note: `the API was not found: see ${basePathCheck}` }
    : await evaluateCheck(check, context);
  // Journeys take a refused request for a result, and a 429 is evidence of nothing.
  const note = unjudged[unjudgedCount];
  if (note !== undefined && !showsTimeout(outcome)) outcome = { status: 'blocked', note };
  const exchanges = context.http.exchanges.slice(earlierExchanges);
  const durationMs = performance.now() - startedAt;
  return { check, problems: [], note: undefined, ...outcome, exchanges, durationMs };
}

type Outcome = Pick<CheckResult, 'status'> & Partial<Pick<CheckResult, 'note' | 'problems'>>;

const showsTimeout = ({ problems = [] }: Outcome) =>
  problems.some(({ exchanges }) => exchanges.some(({ failure }) => failure?.isTimeout));

async function evaluateCheck(check: Check, context: RunContext): Promise<Outcome> {
  try {
    const note = await check.run(context);
    return typeof note === 'string' ? { status: 'noted', note } : { status: 'passed' };
  } catch (error) {
    if (error instanceof CheckFailed) return { status: 'failed', problems: error.problems };
    if (error instanceof Skipped) return { status: 'skipped', note: error.message };
    if (error instanceof Blocked || error instanceof Unjudged)
      return { status: 'blocked', note: error.message };
    // A bug in the kit, or an unforeseen response. The other checks still run.
    const message = error instanceof Error ? error.message : String(error);
    return { status: 'blocked', note: `the kit failed here, please report it: ${message}` };
  }
}

/** Returns how often each call succeeded. No call deletes the users and projects of a run. */
function countSuccesses({ http }: RunContext) {
  const calls = http.exchanges
    .filter(isSuccess)
    .map(({ request: { method, path } }) => findCall(method, path.replace(/\/$/, ''))?.call);
  const countOf = (call: Call) => calls.filter((each) => each === call).length;
  return Object.fromEntries(callNames.map((call) => [call, countOf(call)])) as Record<Call, number>;
}
