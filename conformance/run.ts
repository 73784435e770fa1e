import { Blocked, CheckFailed, type Problem, Skipped } from './verdict.ts';
import { isSelected } from './cli.ts';
import { checks } from './checks/all.ts';
import { basePathCheck } from './checks/reach.ts';
import { type Check } from './checks/check.ts';
import type { Exchange } from './http/client.ts';
import { createFixtures, createRunId } from './fixtures.ts';
import { walkedIn } from './journeys/walked.ts';
import { collectUserMessages } from './report/user-messages.ts';
import type { CheckResult, RunResult } from './results.ts';
import { createRunContext, type RunContext } from './run-context.ts';

export type RunOptions = {
  origin: string;
  only?: string[];
  seed?: number;
  runId?: string;
  appOrigin?: string | undefined;
  ui?: RunContext['ui'];
  /** Milliseconds until a call counts as never ending. */
  responseTimeoutMs?: number | undefined;
  /** Is told before each check. */
  onProgress?: (done: number, of: number, check: Check) => void;
};

/** Runs the checks against a backend, one after another, and gives what came of them. */
export async function run({
  origin,
  only = [],
  seed = 1,
  runId = createRunId(),
  appOrigin,
  responseTimeoutMs,
  ui,
  onProgress = () => {},
}: RunOptions): Promise<RunResult> {
  const startedAt = new Date();
  const began = performance.now();
  const context = createRunContext(
    origin,
    createFixtures(seed, runId),
    appOrigin,
    responseTimeoutMs,
  );
  context.ui = ui;
  const asked = checks.filter(({ id }) => isSelected(id, only));
  const results: CheckResult[] = [];
  for (const check of asked) {
    onProgress(results.length, asked.length, check);
    const stops = nothingThere(results);
    results.push(stops ? blockedBy(stops, check) : await resultOf(check, context));
  }
  context.http.close();
  const readings = await collectUserMessages(context);
  return {
    origin,
    only,
    seed,
    runId,
    startedAt,
    durationMs: performance.now() - began,
    results,
    userMessages: readings,
    journeyCoverage: await walkedIn(context),
    documentedResponses: documentedIn(context),
    throttling: context.http.throttling,
    leftovers: leftIn(context),
    context,
  };
}

/** Where there is no API at all, nothing else is worth asking. */
const nothingThere = (results: CheckResult[]) =>
  results.find(({ check, status }) => check.id === basePathCheck.id && status === 'failed');

function blockedBy({ check: { id } }: CheckResult, check: Check): CheckResult {
  const note = `there is no API to ask: see ${id}`;
  return { check, status: 'blocked', problems: [], note, exchanges: [], durationMs: 0 };
}

async function resultOf(check: Check, context: RunContext): Promise<CheckResult> {
  const began = performance.now();
  const before = context.http.exchanges.length;
  const ended = (
    status: CheckResult['status'],
    note?: string,
    problems: Problem[] = [],
  ): CheckResult => ({
    check,
    status,
    problems,
    note,
    exchanges: context.http.exchanges.slice(before),
    durationMs: performance.now() - began,
  });
  try {
    const verdict = await check.run(context);
    if (verdict === undefined) return ended('passed');
    return ended('noted', verdict.note);
  } catch (error) {
    if (error instanceof CheckFailed) return ended('failed', undefined, error.problems);
    if (error instanceof Skipped) return ended('skipped', error.message);
    if (error instanceof Blocked) return ended('blocked', error.message);
    // Our own mistake, or an answer that nobody thought of: it must not take the rest of the report with it.
    const what = error instanceof Error ? error.message : String(error);
    return ended('blocked', `the kit stumbled here, please report it: ${what}`);
  }
}

const paths: Record<string, string> = {
  'POST /api/v1/auth/login': 'login',
  'POST /api/v1/users/register': 'registerUser',
  'GET /api/v1/projects': 'listProjects',
  'POST /api/v1/projects': 'createProject',
};

/** Which of the four calls this was, if it was one. */
export const operationOf = ({ request }: Exchange): string | undefined =>
  paths[`${request.method} ${request.path.split('?')[0]}`];

function documentedIn({ http, contract }: RunContext): RunResult['documentedResponses'] {
  return contract.responses.map(({ operation, status }) => {
    const came = http.exchanges.filter(
      (each) => operationOf(each) === operation && each.response?.status === status,
    );
    const faulty = came.filter(
      ({ response }) => contract.violations(operation, status, parsed(response!.text)).length > 0,
    );
    return { operation, status, count: came.length, invalidCount: faulty.length };
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function leftIn({ http }: RunContext): RunResult['leftovers'] {
  const made = (operation: string) =>
    http.exchanges.filter(
      (each) =>
        operationOf(each) === operation &&
        each.response !== undefined &&
        each.response.status >= 200 &&
        each.response.status < 300,
    ).length;
  return { users: made('registerUser'), projects: made('createProject') };
}

/** 0 when every MUST is met, otherwise 1: a MUST that could not be looked at is not met either. */
export function exitCodeOf({ results }: RunResult): 0 | 1 {
  const open = results.filter(
    ({ check, status }) => check.level === 'MUST' && (status === 'failed' || status === 'blocked'),
  );
  return open.length > 0 ? 1 : 0;
}
