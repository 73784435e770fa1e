import { noteOfSharing } from '../requests/owners.ts';
import { groupBy, inSeconds, listSome, lowerFirst, plural } from '../problems/describe.ts';
import type { Report, ReportedFinding, ReportedProblem, ReportedResult, Totals } from './schema.ts';

/** A part of a finding, of the totals or of another section. */
export type Row = {
  label: string;
  lines: string[];
  /** Whether the page hides it behind its first line. A terminal has no room for it. */
  isFolded?: boolean;
};

type Call = ReportedProblem['calls'][number];
export type FindingView = ReportedFinding & { rows: Row[] };

const maxCallsPerProblem = 6;

const row = (label: string, lines: string | string[] | undefined): Row => ({
  label,
  lines: [lines ?? []].flat(),
});

const hasLines = ({ lines }: Row) => lines.length > 0;

/** Returns what the reports for people consist of. A blocked MUST check did not pass. */
export function viewOf(report: Report) {
  const { findings, notJudged, results, totals } = report;
  const views = findings.map((finding): FindingView => ({ ...finding, rows: rowsOf(finding) }));
  const blocked = results.filter(({ blockedBy }) => blockedBy?.length);
  const skipped = results.filter(({ status }) => status === 'skipped');
  return {
    isOk: totals.must.failed + totals.must.blocked + totals.must.notJudged === 0,
    /** What stands above the findings. */
    first: [
      ...noteOfSharing(results).map((note) => row('Please check', note)),
      ...notJudged.map(describeNotJudged),
    ],
    causes: views.filter(({ causes }) => causes.length === 0),
    consequences: views
      .filter(({ causes }) => causes.length > 0)
      .map((view) => ({ ...view, line: describeConsequence(view) })),
    blockedCount: blocked.length,
    blocked: rowsByNote(blocked),
    skippedCount: skipped.length,
    skipped: rowsByNote(skipped),
    totals: summarize(report),
  };
}

const rowsByNote = (results: ReportedResult[]): Row[] =>
  [...groupBy(results, ({ note = '' }) => note)].map(([note, some]) =>
    row(listSome(some.map(({ id }) => id)), note),
  );

function describeNotJudged({ ids, reason, limit }: Report['notJudged'][number]): Row {
  return limit === 'time'
    ? row(`Not judged: ${plural(ids.length, 'check')}, for ${reason}`, listSome(ids))
    : row(`Not judged: ${listSome(ids)}`, `because ${lowerFirst(reason)}`);
}

/** Returns what is wrong and required first, then what shows it. */
function rowsOf(finding: ReportedFinding): Row[] {
  const { ids, requirement, summary, situations, problems, problemCount } = finding;
  const [{ description, detail, userSees, calls }, ...others] = problems as [
    ReportedProblem,
    ...ReportedProblem[],
  ];
  const decisive = calls.at(-1);
  const hiddenCount = summary === undefined ? problemCount - problems.length : 0;
  const sentences = new Set(others.map((each) => each.description));
  sentences.delete(description);
  const similar = [...sentences];
  if (hiddenCount > 0) similar.push(`… and ${plural(hiddenCount, 'similar problem')}.`);
  const more = [summary && description, detail].filter(Boolean).join(' ');
  const also = ids.slice(1);
  return [
    row('', summary ?? description),
    row('required', requirement),
    row('where', summary && listSome(situations)),
    // Of several problems, the first has the number and the circumstance.
    row('more', more || undefined),
    row('similar', similar.join(' ') || undefined),
    row('users see', userSees),
    row('before', summarizeCalls(calls.slice(0, -1))),
    row('request', decisive?.request),
    row('response', decisive?.response),
    row('also', also.length > 0 ? `not met: ${listSome(also)}` : undefined),
    requestsOf(calls),
  ].filter(hasLines);
}

export const describeProblem = (problem: ReportedProblem): Row[] => [
  row('', [problem.description, ...(problem.detail === undefined ? [] : [problem.detail])]),
  row('users see', problem.userSees),
  requestsOf(problem.calls),
];

function requestsOf(calls: Call[]): Row {
  const shown = calls.slice(-maxCallsPerProblem);
  const hiddenCount = calls.length - shown.length;
  const first =
    hiddenCount > 0 ? `only the last ${shown.length} of ${calls.length}` : `${calls.length}`;
  const lines = shown.flatMap(({ request, response }, index) => [
    `${hiddenCount + index + 1}. ${request}`,
    ` → ${response}`,
  ]);
  return { ...row('requests', lines.length > 0 ? [first, ...lines] : []), isFolded: true };
}

/** Returns who made which calls: `ada: registerUser, login, 2 × createProject`. */
function summarizeCalls(calls: Call[]): string | undefined {
  const people = [...groupBy(calls, ({ person }) => person)].map(([name, own]) => {
    const counts = [...groupBy(own, nameOf)].map(([call, { length }]) =>
      length > 1 ? `${length} × ${call}` : call,
    );
    return `${name}: ${counts.join(', ')}`;
  });
  return people.length > 0 ? people.join('; ') : undefined;
}

/** Returns the name of a call, and its status unless it succeeded. */
const nameOf = ({ operation, status }: Call): string =>
  status >= 200 && status < 300 ? operation : `${operation} → ${status || 'no response'}`;

const describeConsequence = ({ summary, problems, causes }: ReportedFinding): string =>
  `${summary ?? problems[0]?.description} See ${causes.slice(0, 3).join(', ')}.`;

/** Renders rows as lines of text. Lines without a label begin at the left. */
export const renderRows = (rows: Row[], labelWidth = 10): string[] =>
  rows.flatMap(({ label, lines }) =>
    lines.map((line, index) =>
      label === '' ? `  ${line}` : `  ${(index === 0 ? label : '').padEnd(labelWidth)} ${line}`,
    ),
  );

function summarize(report: Report): Row[] {
  const { must, should } = report.totals;
  const startedAt = report.startedAt.slice(0, 19).replace('T', ' at ');
  return [
    row('MUST', describeTotals(must)),
    row('SHOULD', describeTotals(should)),
    row(
      'run',
      `${inSeconds(report.durationMs)} against ${report.origin} on ${startedAt} UTC, run ${report.runId}`,
    ),
    ...report.notes.map((note) => row('note', note)),
    row('leftovers', report.leftovers),
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
