import type { Level } from '../../../conformance/checks/check.ts';
import { createReport } from '../../../conformance/report/create-report.ts';
import type { RunResult } from '../../../conformance/run.ts';
import { run } from '../../../conformance/run.ts';
import type { RunningServer } from '../../support/reference-server.ts';
import type { Fault } from './fault-builders.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { TestClock } from './test-clock.ts';

export type FaultResult = {
  name: string;
  /** The checks that must fail. The report must begin with the first one. */
  failingChecks: string[];
  /** Of these, the checks that did not fail. */
  missedChecks: string[];
  /** The check with which the report begins; undefined when no check failed. */
  firstCheck: string | undefined;
  /** The first problem that the report states. */
  problem: string;
};

/** Runs all checks against the reference server with a fault. */
export async function runFault(
  fault: Fault,
  reference: RunningServer,
  number: number,
): Promise<FaultResult> {
  const clientIp = `10.1.${Math.floor(number / 250)}.${(number % 250) + 1}`;
  const clock = new TestClock();
  const proxy = await startFaultProxy(reference.origin, fault.createMiddleware(clock), clientIp);
  try {
    // The run id makes the emails unique on the reference server, and the same each time.
    const runId = `fault${String(number).padStart(6, '0')}`;
    return faultResultOf(fault, await run({ origin: proxy.origin, clock, runId }));
  } finally {
    await proxy.stop();
  }
}

export function faultResultOf(
  { name, failingChecks }: Pick<Fault, 'name' | 'failingChecks'>,
  result: RunResult,
): FaultResult {
  const [first] = createReport(result).findings;
  const [named] = failingChecks;
  const failedIds = result.results
    .filter(({ status }) => status === 'failed')
    .map(({ check }) => check.id);
  return {
    name,
    failingChecks,
    missedChecks: failingChecks.filter((id) => !failedIds.includes(id)),
    // One entry of the report can name several checks.
    firstCheck: first?.ids.find((id) => id === named) ?? first?.ids[0],
    problem: first?.problems[0]?.description ?? '',
  };
}

/** A fault is named when its checks fail and the report begins with the first of them. */
export const isNamed = ({ failingChecks, missedChecks, firstCheck }: FaultResult): boolean =>
  missedChecks.length === 0 && firstCheck === failingChecks[0];

/** Lists the checks that failed or could not run, with the reason. */
export const unmetChecks = (
  { results }: RunResult,
  levels: Level[] = ['MUST', 'SHOULD', 'PROFILE'],
): string[] =>
  results
    .filter(({ status }) => status === 'failed' || status === 'blocked')
    .filter(({ check }) => levels.includes(check.level))
    .map(({ check, problems, note }) => `${check.id}: ${problems[0]?.description ?? note}`);
