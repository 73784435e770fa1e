import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReferenceServer, type RunningServer } from '../../support/reference-server.ts';
import { faultsOf, type FaultTable } from './fault-builders.ts';
import { runFault } from './run-fault.ts';

/** Defines a test for each fault of these tables: a whole run of the kit has to name the fault. */
export function testFaults(tables: FaultTable[]) {
  let reference: RunningServer;
  beforeAll(async () => {
    reference = await startReferenceServer({ trustedProxies: ['127.0.0.1'] });
  });
  afterAll(() => reference.stop());

  const numberedFaults = faultsOf(tables).map(
    (fault, number) => [fault.name, fault, number] as const,
  );
  test.each(numberedFaults)('the kit names first: %s', async (_name, fault, number) => {
    const { missedChecks, firstCheck, problem } = await runFault(fault, reference, number);
    expect(missedChecks).toEqual([]);
    expect(`${firstCheck}: ${problem}`).toMatch(new RegExp(`^${fault.failingChecks[0]}: .`));
  });
}
