import { styleText } from 'node:util';
import type { Report, ReportedFinding, ReportedProblem, ReportedResult } from './create-report.ts';
import { groupBy, summarize } from './summary.ts';

const maxCallsPerProblem = 6;

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

/** Renders the report as text: failures first, then what users read, then the totals. */
export function renderTerminal(
  report: Report,
  { verbose = false, colors = false, files = [] as string[] } = {},
): string {
  const paint: Paint = (style, text) => (colors ? styleText(style, text) : text);
  const { must } = report.totals;
  const blocked = report.results.filter(({ status }) => status === 'blocked');
  const choices = report.results.filter(
    ({ status, level }) => level === 'PROFILE' && status === 'noted',
  );
  const section = (heading: string, lines: string[]) =>
    lines.length > 0 ? ['', paint('bold', heading), ...lines] : [];
  const isOk = must.failed + must.blocked === 0;
  const causes = report.findings.filter((finding) => finding.causes.length === 0);
  const consequences = report.findings.filter((finding) => finding.causes.length > 0);
  return [
    ...section('Not judged', report.blockedBy ? [`  ${report.blockedBy}`] : []),
    ...causes.flatMap((finding) => ['', ...findingLines(finding, paint)]),
    ...section(
      `May be consequences of the above, fix that first (${consequences.length})`,
      consequences.flatMap((finding) => consequenceLines(finding, paint)),
    ),
    ...section(
      `Blocked, because a precondition failed (${blocked.length})`,
      [...groupBy(blocked, ({ note = '' }) => note)].map(
        ([note, results]) => `  ${results.map(({ id }) => id).join(', ')}: ${note}`,
      ),
    ),
    ...section('What your users will read', userMessageLines(report)),
    ...section(
      'Choices of this backend (for information, these checks never fail)',
      choices.map(({ id, title, note }) => `  ${id.padEnd(11)} ${title}: ${note}`),
    ),
    ...section('All checks', verbose ? report.results.flatMap(verboseLines) : []),
    ...section(
      'Totals',
      [...summarize(report), ...(files.length > 0 ? [['reports', files.join(', ')]] : [])].map(
        ([label = '', text]) => `  ${label.padEnd(12)} ${text}`,
      ),
    ),
    '',
    paint(['bold', isOk ? 'green' : 'red'], report.verdict),
    '',
  ].join('\n');
}

const heading = ({ ids, level, title }: ReportedFinding, paint: Paint): string =>
  `${paint(['bold', level === 'MUST' ? 'red' : 'yellow'], `${level} not met: ${ids[0]}`)}  ${title}`;

function findingLines(finding: ReportedFinding, paint: Paint): string[] {
  const { ids, requirement, statements, summary, problems, problemCount, reproduce } = finding;
  const hiddenCount = summary === undefined ? problemCount - problems.length : 0;
  return [
    `${heading(finding, paint)}  [${statements.join(', ')}]`,
    ...(summary === undefined ? [] : [`  ${summary}`]),
    ...problems.flatMap(problemLines),
    ...(hiddenCount > 0 ? [`  … and ${hiddenCount} similar problems.`] : []),
    `  required   ${requirement}`,
    ...(ids.length > 1 ? [`  also       not met: ${ids.slice(1).join(', ')}`] : []),
    ...reproduce.map((line, index) => `  ${index === 0 ? 'try it  ' : '        '}   ${line}`),
  ];
}

const consequenceLines = (finding: ReportedFinding, paint: Paint): string[] => [
  `  ${heading(finding, paint)}`,
  `    ${finding.summary ?? finding.problems[0]?.description} See ${finding.causes.slice(0, 3).join(', ')}.`,
];

const problemLines = ({ description, userSees, calls }: ReportedProblem): string[] => [
  `  ${description}`,
  ...(userSees === undefined ? [] : [`  users see  ${userSees}`]),
  ...calls
    .slice(-maxCallsPerProblem)
    .flatMap(({ request, response }, index) => [
      `  ${index === 0 ? 'requests ' : '         '}  ${index + 1}. ${request}`,
      `              → ${response}`,
    ]),
];

function userMessageLines({ userMessages }: Report): string[] {
  const width = Math.max(...userMessages.map(({ situation }) => situation.length));
  return userMessages.map(
    ({ id, situation, status, message }) =>
      `  ${id.padEnd(7)} ${situation.padEnd(width)}  ${String(status || '—').padEnd(4)} ${message}`,
  );
}

function verboseLines(result: ReportedResult): string[] {
  const { id, level, title, status, note, calls, durationMs } = result;
  const remark = note === undefined ? '' : ` (${note})`;
  return [
    `  ${status.padEnd(8)} ${level.padEnd(7)} ${id.padEnd(11)} ${title}${remark}, ${durationMs} ms`,
    ...calls.map(({ request, response }) => `             ${request} → ${response}`),
  ];
}
