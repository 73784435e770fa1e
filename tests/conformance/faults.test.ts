import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { SimulatedClock } from 'xstate';
import { exitCodeOf, run } from '../../conformance/run.ts';
import { startReferenceServer, type RunningServer } from '../support/reference-server.ts';
import { faults } from './selftest/faults/all.ts';
import { faultResultOf, runFault } from './selftest/run-fault.ts';
import { wrongServers } from './selftest/wrong-servers.ts';

let reference: RunningServer;
beforeAll(async () => {
  reference = await startReferenceServer({ trustedProxies: ['127.0.0.1'] });
});
afterAll(() => reference.stop());

const numberedFaults = faults.map((fault, number) => [fault.name, fault, number] as const);

test.each(numberedFaults)('the kit detects: %s', async (_name, fault, number) => {
  const options = { onlyFailingChecks: true, number };
  const { missedChecks, problem } = await runFault(fault, reference, options);
  expect(missedChecks).toEqual([]);
  expect(problem).not.toBe('');
});

const namedServers = wrongServers.map((server) => [server.name, server] as const);

test.each(namedServers)('the kit detects: %s', async (_name, server) => {
  const clock = new SimulatedClock();
  const { origin, stop } = await server.start(clock);
  onTestFinished(stop);
  const result = await run({ origin, clock });
  expect(faultResultOf(server, result).missedChecks).toEqual([]);
  expect(exitCodeOf(result)).toBe(1);
});

test('each fault has a unique name and a row in docs/conformance.md', () => {
  const page = readFileSync(new URL('../../docs/conformance.md', import.meta.url), 'utf8');
  const names = [...faults, ...wrongServers].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !page.includes(`| ${name.replaceAll('|', '\\|')} |`))).toEqual([]);
});
