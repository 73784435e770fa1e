import { expect, test } from 'vitest';
import { checks } from '../checks/all.ts';
import { listFindings } from '../report/findings.ts';
import { exemplary, startBackend } from './backends/backend.ts';
import { faults } from './backends/faults/all.ts';
import { nonBackends } from './backends/non-backends.ts';
import { runKit } from './backends/run-kit.ts';
import type { TestClock } from './backends/test-clock.ts';

/** Returns the ids of the checks in the first entry of the report. */
async function firstEntry(...args: Parameters<typeof runKit>): Promise<string[]> {
  const { results } = await runKit(...args);
  return listFindings(results)[0]?.checks.map(({ id }) => id) ?? [];
}

test.each(faults.map((fault) => [fault.name, fault] as const))(
  'the report begins with %s',
  async (_name, { id, change, only }) => {
    const start = (clock: TestClock) => startBackend(clock, exemplary, change);
    expect(await firstEntry(start, { only })).toContain(id);
  },
);

test.each(nonBackends.map((server) => [server.id, server.name, server] as const))(
  'the report begins with %s: %s',
  async (id, _name, { start, appOrigin, only = [] }) => {
    expect(await firstEntry(start, { appOrigin, only })).toContain(id);
  },
);

/** UI-1 needs a browser: `screens.test.ts` runs it with a faulty backend. */
const testedElsewhere = ['UI-1'];

test('each MUST and SHOULD check has a fault with which the report begins', () => {
  const named = new Set([...faults, ...nonBackends].map(({ id }) => id));
  const judging = checks.filter(({ level }) => level !== 'PROFILE').map(({ id }) => id);
  expect([...named, ...testedElsewhere].toSorted()).toEqual(judging.toSorted());
});
