import { expect, test } from 'vitest';
import { checks } from '../checks/all.ts';
import { createReport } from '../report/create-report.ts';
import type { ReportedFinding } from '../report/schema.ts';
import { exemplary, startBackend } from './backends/backend.ts';
import { faults } from './backends/faults/all.ts';
import { nonBackends } from './backends/non-backends.ts';
import { runKit } from './backends/run-kit.ts';
import type { TestClock } from './backends/test-clock.ts';

/** Returns what makes an entry hard to read: a long line, a question, or another request. */
function listBlemishes({ summary, problems: [problem] }: ReportedFinding): string[] {
  const { description, calls } = problem!;
  const line = summary ?? description;
  const [, status = ''] = /(?:gets|with|:) status (\d+)/.exec(description) ?? [];
  const isOfLine = status === '' || calls.at(-1)!.response.startsWith(status);
  return line.length > 100 || /[…?]$/.test(line) || !isOfLine ? [line] : [];
}

/** Returns the ids of the checks in the first entry of the report. Expects plain entries. */
async function firstEntry(...args: Parameters<typeof runKit>): Promise<string[]> {
  const { findings } = createReport(await runKit(...args));
  expect(findings.flatMap(listBlemishes)).toEqual([]);
  return findings[0]?.ids ?? [];
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
