import type { Report, Totals } from './create-report.ts';

/** Returns the totals of a report as rows of a label and a text. */
export function summarize(report: Report): [label: string, text: string][] {
  const { must, should, profileCount, operations } = report.totals;
  return [
    ['MUST', describeTotals(must)],
    ['SHOULD', describeTotals(should)],
    ['PROFILE', `${profileCount} choices noted`],
    [
      'operations',
      `${operations.covered} of ${operations.total} succeeded${operations.missing.length > 0 ? `, NOT MET: ${operations.missing.join(', ')}` : ''}`,
    ],
    ...(report.throttling ? [['throttling', report.throttling] as [string, string]] : []),
    [
      'run',
      `${(report.durationMs / 1000).toFixed(1)} s against ${report.origin} on ${report.startedAt.slice(0, 19).replace('T', ' at ')} UTC, seed ${report.seed}, run ${report.runId}`,
    ],
    ...report.notes.map((note): [string, string] => ['note', note]),
    ['leftovers', report.leftovers],
  ];
}

const describeTotals = ({ total, passed, failed, blocked, skipped }: Totals): string =>
  [
    `${passed} of ${total} met`,
    ...(failed > 0 ? [`${failed} NOT MET`] : []),
    ...(blocked > 0 ? [`${blocked} blocked`] : []),
    ...(skipped > 0 ? [`${skipped} not applicable`] : []),
  ].join(', ');

/** Groups values by a key. `Map.groupBy` does not exist in Node 20, on which the kit runs. */
export function groupBy<Value>(
  values: Value[],
  keyOf: (value: Value) => string,
): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  }
  return groups;
}
