import { readdirSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { checks } from '../../conformance/checks/all.ts';
import { run } from '../../conformance/run.ts';
import { faults, faultTables } from './selftest/faults/all.ts';
import { faultResultOf } from './selftest/run-fault.ts';
import { wrongServers } from './selftest/wrong-servers.ts';
import { TestClock } from './selftest/test-clock.ts';

const fileAt = (path: string) => new URL(path, import.meta.url);

const namedServers = wrongServers.map((server) => [server.name, server] as const);

test.each(namedServers)('the kit names first: %s', async (_name, server) => {
  const clock = new TestClock();
  const { origin, stop } = await server.start(clock);
  onTestFinished(stop);
  const result = await run({ origin, clock, appOrigin: server.appOrigin });
  const { missedChecks, firstCheck } = faultResultOf(server, result);
  expect(missedChecks).toEqual([]);
  expect(firstCheck).toBe(server.failingChecks[0]);
});

/** UI-1 needs a browser: `screens.test.ts` runs it with a faulty backend. */
const testedElsewhere = ['UI-1'];

test('each MUST and SHOULD check is the first one that a fault of the self-test names', () => {
  const named = new Set([...faults, ...wrongServers].map(({ failingChecks }) => failingChecks[0]));
  const unnamed = checks
    .filter(({ id, level }) => level !== 'PROFILE' && !testedElsewhere.includes(id))
    .filter(({ id }) => !named.has(id))
    .map(({ id, title }) => `${id}: ${title}`);
  expect(unnamed).toEqual([]);
});

test('each table of faults has a test file', () => {
  const files = readdirSync(fileAt('faults')).map((name) => name.replace('.test.ts', ''));
  expect(files.toSorted()).toEqual(Object.keys(faultTables).toSorted());
});

test('each fault has a unique name and a row in docs/conformance.md', () => {
  const page = readFileSync(fileAt('../../docs/conformance.md'), 'utf8');
  const names = [...faults, ...wrongServers].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !page.includes(`| ${name.replaceAll('|', '\\|')} |`))).toEqual([]);
});
