import { styleText } from 'node:util';
import { command } from '../command/options.ts';
import { truncate } from '../problems/describe.ts';
import type { Report, ReportedResult } from './schema.ts';
import { renderRows, viewOf, type FindingView, type Row } from './summary.ts';

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

/** Of a finding on a terminal. */
const maxFindingLines = 10;
const labelWidth = 10;

/**
 * Renders the report as text: findings, then the totals. `width` is that of a terminal, whose lines
 * are shortened; without it, each line has its whole text.
 */
export function renderTerminal(
  report: Report,
  { verbose = false, colors = false, width = Infinity } = {},
): string {
  const paint: Paint = (style, text) => (colors ? styleText(style, text) : text);
  const view = viewOf(report);
  const { isOk, causes, consequences } = view;
  const section = (heading: string, lines: string[]) =>
    lines.length > 0 ? ['', paint('bold', heading), ...lines] : [];
  const short = (rows: Row[]) =>
    rows.map(({ label, lines }) => cut(`  ${label}: ${lines[0]}`, width));
  const information = [
    ...section('What your users will read', userMessageLines(report)),
    ...section('All checks', report.results.flatMap(verboseLines)),
  ];
  return [
    ...view.first.flatMap(({ label, lines }) => section(label, [`  ${lines[0]}`])),
    ...causes.flatMap((finding) => ['', ...findingLines(finding, width, paint)]),
    ...section(
      `May be consequences of the above, fix that first (${consequences.length})`,
      consequences.map(({ id, title, line }) => cut(`  ${id}  ${title}: ${line}`, width)),
    ),
    ...section(
      `Blocked, because a precondition failed (${view.blockedCount})`,
      short(view.blocked),
    ),
    ...section(`Not applicable (${view.skippedCount})`, short(view.skipped)),
    ...section(
      'The command that repeats a check',
      causes.slice(0, 1).map(({ id }) => `  ${command} ${report.origin} --only ${id}`),
    ),
    ...(verbose ? information : []),
    ...section('Totals', renderRows(view.totals, 12)),
    // The beginning of a long report has left the screen.
    ...(width === Infinity ? [] : causes.slice(0, 1)).flatMap((finding) => [
      '',
      ...findingLines(finding, width, paint, 2),
    ]),
    '',
    paint(['bold', isOk ? 'green' : 'red'], report.verdict),
    '',
  ].join('\n');
}

/** Returns what is wrong, what is required, what users read and the decisive request. */
function findingLines(
  { id, level, title, statements, rows }: FindingView,
  width: number,
  paint: Paint,
  rowCount?: number,
): string[] {
  const heading = `${level} not met: ${id}`;
  const rest = `  ${title}  [${statements.join(', ')}]`;
  return [
    paint(['bold', level === 'MUST' ? 'red' : 'yellow'], heading) +
      cut(rest, width - heading.length),
    ...fitRows(rows.filter(({ isFolded }) => !isFolded).slice(0, rowCount), width),
  ];
}

/** Left out of a finding that is too long, in this order. */
const dispensable = ['similar', 'before', 'where', 'more', 'also'];

const fits = (rows: Row[]) => rows.flatMap(({ lines }) => lines).length < maxFindingLines;

/**
 * Renders rows in few lines: they become shorter, then fewer. The first two, which say what is
 * wrong and what is required, stay as they are.
 */
function fitRows(rows: Row[], width: number): string[] {
  const shortened = [4, 3, 2, 1].map((maxLines) =>
    rows.map((each, index) => wrapRow(each, width, index < 2 ? Infinity : maxLines)),
  );
  let fitted = shortened.find(fits) ?? shortened.at(-1)!;
  for (const dropped of dispensable)
    if (!fits(fitted)) fitted = fitted.filter(({ label }) => label !== dropped);
  return renderRows(fitted, labelWidth);
}

function wrapRow({ label, lines }: Row, width: number, maxLines: number): Row {
  const room = width - 2 - (label === '' ? 0 : labelWidth + 1);
  const wrapped = lines.flatMap((line) => wrap(line, room));
  const rest = wrapped.splice(maxLines - 1).join(' ');
  return { label, lines: [...wrapped, ...(rest === '' ? [] : [cut(rest, room)])] };
}

/** Breaks a text at spaces, or anywhere in a long word. */
const wrap = (text: string, width: number): string[] =>
  width === Infinity
    ? [text]
    : (text.match(new RegExp(`.{1,${width}}(?= |$)|.{${width}}`, 'gsu')) ?? [text]).map((line) =>
        line.trimStart(),
      );

const cut = (text: string, width: number): string =>
  text.length <= width ? text : truncate(text, width - 1);

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
