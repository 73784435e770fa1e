import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { exitCodeOf, run } from '../../conformance/run.ts';
import { faults } from './selftest/faults/all.ts';
import type { Running } from './selftest/fault-proxy.ts';
import { runFault, measuredOf, slowResponseMs } from './selftest/run-fault.ts';
import { startReference } from './selftest/reference.ts';
import { wrongServers } from './selftest/wrong-servers.ts';

let reference: Running;
beforeAll(async () => {
  reference = await startReference();
});
afterAll(() => reference.stop());

const numbered = faults.map((fault, number) => ({ ...fault, number }));

test.each(numbered)('the kit names it: $name', async ({ number, ...fault }) => {
  const { missing, words } = await runFault(fault, reference, { whole: false, number });
  expect(missing).toEqual([]);
  expect(words).not.toBe('');
});

test.each(wrongServers)('the kit says what it is: $name', async ({ name, killedBy, start }) => {
  const backend = await start();
  onTestFinished(backend.stop);
  const done = await run({ origin: backend.address, responseTimeoutMs: slowResponseMs });
  expect(measuredOf(name, killedBy, done).missing).toEqual([]);
  expect(exitCodeOf(done)).toBe(1);
});

test('no two faults have one name, and each is in docs/conformance.md', async () => {
  const { readFile } = await import('node:fs/promises');
  const page = await readFile(new URL('../../docs/conformance.md', import.meta.url), 'utf8');
  const names = [...faults, ...wrongServers].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !page.includes(`| ${name.replaceAll('|', '\\|')} |`))).toEqual([]);
});
