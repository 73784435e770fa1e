import { expect } from 'vitest';
import { createReport } from '../../report/create-report.ts';
import type { ReportedFinding } from '../../report/schema.ts';
import { listBareClaims, listFalseClaims } from './claims.ts';
import { placesOf } from './places.ts';
import { runKit } from './run-kit.ts';

/** Returns what makes a finding hard to read: a long line, or a question. */
function listBlemishes({ summary, problems: [problem] }: ReportedFinding): string[] {
  const line = summary ?? problem!.description;
  return line.length > 100 || /[…?]$/.test(line) ? [line] : [];
}

/** The places of the source that found a problem of a fault. */
export const found = new Set<string>();

/** Returns the ids of the first finding. Expects plain findings and true sentences. */
export async function firstFinding(...args: Parameters<typeof runKit>): Promise<string[]> {
  const run = await runKit(...args);
  const { findings } = createReport(run);
  const problems = run.results.flatMap((each) => each.problems);
  for (const place of problems.flatMap(placesOf)) found.add(place);
  expect(findings.flatMap(listBlemishes)).toEqual([]);
  expect(problems.flatMap(listFalseClaims)).toEqual([]);
  const notes = run.results.flatMap(({ status, note }) => (status === 'skipped' ? note : []));
  expect(notes.join('\n')).not.toMatch(/rejects .*: 401 |requires no session|needs a cookie/);
  // Refusals with one response are one finding, which counts the plain ones too.
  const claiming = run.results.filter(({ check }) => !check.inspects && check.about !== 'refusals');
  expect(claiming.flatMap((each) => each.problems.flatMap(listBareClaims))).toEqual([]);
  return findings[0]?.ids ?? [];
}
