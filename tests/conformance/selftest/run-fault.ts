import { SimulatedClock } from 'xstate';
import type { Level } from '../../../conformance/checks/check.ts';
import type { RunResult } from '../../../conformance/results.ts';
import { run } from '../../../conformance/run.ts';
import type { RunningServer } from '../../support/reference-server.ts';
import type { Fault } from './fault-builders.ts';
import { startFaultProxy } from './fault-proxy.ts';

export type FaultResult = {
  name: string;
  /** The checks that must fail. */
  failingChecks: string[];
  /** Of these, the checks that did not fail. */
  missedChecks: string[];
  /** The first problem that the report states. */
  problem: string;
};

/** Runs all checks, or only those that must fail, against the reference server with a fault. */
export async function runFault(
  fault: Fault,
  reference: RunningServer,
  { onlyFailingChecks, number }: { onlyFailingChecks: boolean; number: number },
): Promise<FaultResult> {
  const clientIp = `10.1.${Math.floor(number / 250)}.${(number % 250) + 1}`;
  const clock = new SimulatedClock();
  const proxy = await startFaultProxy(reference.origin, fault.createMiddleware(clock), clientIp);
  try {
    const result = await run({
      origin: proxy.origin,
      only: onlyFailingChecks ? fault.failingChecks : [],
      clock,
      // Makes the emails unique on the reference server, and the same each time.
      runId: `fault${String(number).padStart(6, '0')}`,
    });
    return faultResultOf(fault, result);
  } finally {
    await proxy.stop();
  }
}

export function faultResultOf(
  { name, failingChecks }: Pick<Fault, 'name' | 'failingChecks'>,
  { results, context }: RunResult,
): FaultResult {
  const failures = results.filter(
    ({ check, status }) => status === 'failed' && failingChecks.includes(check.id),
  );
  const failedIds = failures.map(({ check }) => check.id);
  return {
    name,
    failingChecks,
    missedChecks: failingChecks.filter((id) => !failedIds.includes(id)),
    problem: context.secrets.mask(failures[0]?.problems[0]?.description ?? ''),
  };
}

/** Lists the checks that failed or could not run, with the reason. */
export const unmetChecks = (
  { results }: RunResult,
  levels: Level[] = ['MUST', 'SHOULD', 'PROFILE'],
): string[] =>
  results
    .filter(({ status }) => status === 'failed' || status === 'blocked')
    .filter(({ check }) => levels.includes(check.level))
    .map(({ check, problems, note }) => `${check.id}: ${problems[0]?.description ?? note}`);
