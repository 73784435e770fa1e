import { styleText } from 'node:util';
import { groupBy } from './findings.ts';
import type { Report, ReportedFinding, ReportedResult } from './schema.ts';
import { describeConsequence, describeFinding, renderRows, summarize, viewOf } from './summary.ts';

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

/** Renders the report as text: failures first, then what users read, then the totals. */
export function renderTerminal(
  report: Report,
  { verbose = false, colors = false, files = [] as string[] } = {},
): string {
  const paint: Paint = (style, text) => (colors ? styleText(style, text) : text);
  const { isOk, notJudged, causes, consequences, choices } = viewOf(report);
  const blocked = report.results.filter(({ status }) => status === 'blocked');
  const section = (heading: string, lines: string[]) =>
    lines.length > 0 ? ['', paint('bold', heading), ...lines] : [];
  return [
    ...notJudged.flatMap(([ids, reason]) => section(ids, [`  ${reason}`])),
    ...causes.flatMap((finding) => [
      '',
      `${heading(finding, paint)}  [${finding.statements.join(', ')}]`,
      ...renderRows(describeFinding(finding)),
    ]),
    ...section(
      `May be consequences of the above, fix that first (${consequences.length})`,
      consequences.flatMap((finding) => [
        `  ${heading(finding, paint)}`,
        `    ${describeConsequence(finding)}`,
      ]),
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
    ...section('Totals', renderRows([...summarize(report), ['reports', ...files]], 12)),
    '',
    paint(['bold', isOk ? 'green' : 'red'], report.verdict),
    '',
  ].join('\n');
}

const heading = ({ ids, level, title }: ReportedFinding, paint: Paint): string =>
  `${paint(['bold', level === 'MUST' ? 'red' : 'yellow'], `${level} not met: ${ids[0]}`)}  ${title}`;

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
