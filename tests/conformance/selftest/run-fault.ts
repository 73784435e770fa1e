import type { RunResult } from '../../../conformance/results.ts';
import { exitCodeOf, run } from '../../../conformance/run.ts';
import type { Fault } from './fault-builders.ts';
import { startFaultProxy, type Running } from './fault-proxy.ts';

export type FaultResult = {
  fault: string;
  killedBy: string[];
  /** Checks that should have failed and did not. */
  missing: string[];
  /** All that failed. */
  failed: string[];
  /** What the report says first about it. */
  words: string;
  milliseconds: number;
};

/** Milliseconds: nothing here takes long, but for what hangs. */
export const slowResponseMs = 3_000;

/**
 * Runs the kit against a backend with a fault. `whole`: all checks, as a user would; otherwise those alone that have to name the
 * fault.
 */
export async function runFault(
  { name, killedBy, layer }: Fault,
  reference: Running,
  { whole, number }: { whole: boolean; number: number },
): Promise<FaultResult> {
  const from = `10.1.${Math.floor(number / 250)}.${(number % 250) + 1}`;
  const backend = await startFaultProxy(reference.address, layer(), from);
  try {
    const done = await run({
      origin: backend.address,
      only: whole ? [] : killedBy,
      responseTimeoutMs: slowResponseMs,
    });
    return measuredOf(name, killedBy, done);
  } finally {
    await backend.stop();
  }
}

export function measuredOf(name: string, killedBy: string[], done: RunResult): FaultResult {
  const failures = done.results.filter(({ status }) => status === 'failed');
  const failed = failures.map(({ check }) => check.id);
  const first = failures.find(({ check }) => killedBy.includes(check.id));
  return {
    fault: name,
    killedBy,
    missing: killedBy.filter((id) => !failed.includes(id)),
    failed,
    words: done.context.secrets.mask(first?.problems[0]?.description ?? ''),
    milliseconds: done.durationMs,
  };
}

/** Ids of what is not met in a run that should be met in full. */
export const troubleIn = (done: RunResult): string[] =>
  exitCodeOf(done) === 0
    ? []
    : done.results
        .filter(
          ({ check, status }) =>
            check.level === 'MUST' && (status === 'failed' || status === 'blocked'),
        )
        .map(({ check, problems, note }) => `${check.id}: ${problems[0]?.description ?? note}`);
