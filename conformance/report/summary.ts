import { lowerFirst, plural } from '../problems/describe.ts';
import type { Report, ReportedFinding, ReportedProblem, Totals } from './schema.ts';

/** A part of a finding or of the totals. A row without lines is not shown. */
export type Row = [label: string, ...lines: string[]];

const maxCallsPerProblem = 6;

/** Returns what the reports for people consist of. A blocked MUST check did not pass. */
export function viewOf({ findings, notJudged, totals }: Report) {
  return {
    isOk: totals.must.failed + totals.must.blocked + totals.must.notJudged === 0,
    notJudged: notJudged.map(describeNotJudged),
    causes: findings.filter(({ causes }) => causes.length === 0),
    consequences: findings.filter(({ causes }) => causes.length > 0),
  };
}

/** Returns which checks could not run, and why. */
function describeNotJudged({ ids, reason, limit }: Report['notJudged'][number]): Row {
  return limit === 'time'
    ? [`Not judged: ${plural(ids.length, 'check')}, for ${reason}`, listSome(ids)]
    : [`Not judged: ${listSome(ids)}`, `because ${lowerFirst(reason)}`];
}

/** Names the first five of many. */
export const listSome = (all: string[]): string =>
  all.length > 6 ? `${all.slice(0, 5).join(', ')} and ${all.length - 5} more` : all.join(', ');

/** Returns the content of a finding below its heading. */
export function describeFinding(finding: ReportedFinding): Row[] {
  const { ids, requirement, summary, situations, problems, problemCount, reproduce } = finding;
  const hiddenCount = summary === undefined ? problemCount - problems.length : 0;
  const [first, ...others] = [
    ...(summary === undefined ? [] : [['', summary, `${listSome(situations)}.`] as Row]),
    ...problems.flatMap(describeProblem),
  ] as [Row, ...Row[]];
  return [
    first,
    ['required', requirement],
    ...others,
    ['', ...(hiddenCount > 0 ? [`… and ${hiddenCount} similar problems.`] : [])],
    ['also', ...(ids.length > 1 ? [`not met: ${ids.slice(1).join(', ')}`] : [])],
    ['try it', ...reproduce],
  ];
}

export function describeProblem({ description, detail, userSees, calls }: ReportedProblem): Row[] {
  const requests = calls
    .slice(-maxCallsPerProblem)
    .flatMap(({ request, response }, index) => [`${index + 1}. ${request}`, ` → ${response}`]);
  return [
    ['', description, ...(detail === undefined ? [] : [detail])],
    ['users see', ...(userSees === undefined ? [] : [userSees])],
    ['requests', ...requests],
  ];
}

/** Returns the content of a finding that may be a consequence of others. */
export const describeConsequence = ({ summary, problems, causes }: ReportedFinding): string =>
  `${summary ?? problems[0]?.description} See ${causes.slice(0, 3).join(', ')}.`;

/** Renders rows as lines of text. Lines without a label begin at the left. */
export const renderRows = (rows: Row[], labelWidth = 10): string[] =>
  rows.flatMap(([label, ...lines]) =>
    lines.map((line, index) =>
      label === '' ? `  ${line}` : `  ${(index === 0 ? label : '').padEnd(labelWidth)} ${line}`,
    ),
  );

/** Returns the totals of a report. */
export function summarize(report: Report): Row[] {
  const { must, should, operations } = report.totals;
  return [
    ['MUST', describeTotals(must)],
    ['SHOULD', describeTotals(should)],
    [
      'operations',
      `${operations.covered} of ${operations.total} succeeded${operations.missing.length > 0 ? `, NOT MET: ${operations.missing.join(', ')}` : ''}`,
    ],
    ['throttling', ...(report.throttling === undefined ? [] : [report.throttling])],
    [
      'run',
      `${(report.durationMs / 1000).toFixed(1)} s against ${report.origin} on ${report.startedAt.slice(0, 19).replace('T', ' at ')} UTC, seed ${report.seed}, run ${report.runId}`,
    ],
    ...report.notes.map((note): Row => ['note', note]),
    ['leftovers', report.leftovers],
  ];
}

const describeTotals = ({ total, passed, failed, blocked, notJudged, skipped }: Totals) =>
  [
    `${passed} of ${total} met`,
    ...(failed > 0 ? [`${failed} NOT MET`] : []),
    ...(blocked > 0 ? [`${blocked} blocked`] : []),
    ...(notJudged > 0 ? [`${notJudged} not judged`] : []),
    ...(skipped > 0 ? [`${skipped} not applicable`] : []),
  ].join(', ');
