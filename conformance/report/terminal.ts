import { styleText } from 'node:util';
import { findCall } from '../../model/calls.ts';
import { command } from '../command/options.ts';
import { truncate } from '../problems/describe.ts';
import { groupBy } from './findings.ts';
import type { Report, ReportedFinding, ReportedProblem, ReportedResult } from './schema.ts';
import {
  describeConsequence,
  listSome,
  renderRows,
  summarize,
  viewOf,
  type Row,
} from './summary.ts';

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;
type Call = ReportedProblem['calls'][number];

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
  const { isOk, notJudged, causes, consequences } = viewOf(report);
  const blocked = report.results.filter(({ blockedBy }) => blockedBy?.length);
  const section = (heading: string, lines: string[]) =>
    lines.length > 0 ? ['', paint('bold', heading), ...lines] : [];
  const information = [
    ...section('What your users will read', userMessageLines(report)),
    ...section('All checks', report.results.flatMap(verboseLines)),
  ];
  return [
    ...notJudged.flatMap(([ids, reason]) => section(ids, [`  ${reason}`])),
    ...causes.flatMap((finding) => ['', ...findingLines(finding, width, paint)]),
    ...section(
      `May be consequences of the above, fix that first (${consequences.length})`,
      consequences.map((finding) =>
        cut(`  ${finding.ids[0]}  ${finding.title}: ${describeConsequence(finding)}`, width),
      ),
    ),
    ...section(
      `Blocked, because a precondition failed (${blocked.length})`,
      [...groupBy(blocked, ({ note = '' }) => note)].map(([note, results]) =>
        cut(`  ${listSome(results.map(({ id }) => id))}: ${note}`, width),
      ),
    ),
    ...section(
      'Commands that repeat a problem',
      causes.slice(0, 1).map(({ ids }) => `  ${command} ${report.origin} --try ${ids[0]}`),
    ),
    ...(verbose ? information : []),
    ...section('Totals', renderRows(summarize(report), 12)),
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
  finding: ReportedFinding,
  width: number,
  paint: Paint,
  rowCount?: number,
): string[] {
  const { ids, level, title, statements, summary, situations, problems, problemCount } = finding;
  const [{ description, detail, userSees, calls }] = problems as [ReportedProblem];
  const decisive = calls.at(-1);
  const similar = summary === undefined && problemCount > 1;
  const others = problems.slice(1).map((each) => each.description);
  const rows: Row[] = [
    ['', summary ?? description],
    ['required', finding.requirement],
    ['where', ...(summary === undefined ? [] : [listSome(situations)])],
    // Of several problems, the first has the number and the circumstance.
    [
      'more',
      ...[[summary && description, detail].filter(Boolean).join(' ')].filter((each) => each !== ''),
    ],
    ['similar', ...(similar ? [others.join(' ')] : [])],
    ['users see', ...(userSees === undefined ? [] : [userSees])],
    ['before', ...summarizeCalls(calls.slice(0, -1))],
    ['request', ...(decisive ? [decisive.request] : [])],
    ['response', ...(decisive ? [decisive.response] : [])],
    ['also', ...(ids.length > 1 ? [`not met: ${listSome(ids.slice(1))}`] : [])],
  ];
  const heading = `${level} not met: ${ids[0]}`;
  const rest = `  ${title}  [${statements.join(', ')}]`;
  return [
    paint(['bold', level === 'MUST' ? 'red' : 'yellow'], heading) +
      cut(rest, width - heading.length),
    ...fitRows(rows.slice(0, rowCount), width),
  ];
}

/** Left out of a finding that is too long, in this order. */
const dispensable = ['similar', 'before', 'where', 'more', 'also'];
const quoted = ['where', 'before', 'request', 'response'];

/**
 * Renders rows in few lines: the longest row gives up lines first, and quotes before words. The
 * first rows, which say what is wrong and what is required, and the last line of a row stay.
 */
function fitRows(rows: Row[], width: number): string[] {
  const fitted = rows.flatMap(([label, text]) => {
    const room = width - 2 - (label === '' ? 0 : labelWidth + 1);
    return text === undefined ? [] : [{ label, room, lines: wrap(text, room) }];
  });
  const countLines = () => fitted.reduce((sum, { lines }) => sum + lines.length, 0);
  while (countLines() >= maxFindingLines) {
    const others = fitted.slice(2).filter(({ lines }) => lines.length > 1);
    if (others.length === 0) {
      const places = dispensable.map((each) => fitted.findIndex(({ label }) => label === each));
      const place = places.find((each) => each !== -1);
      if (place === undefined) break;
      fitted.splice(place, 1);
      continue;
    }
    const most = Math.max(...others.map(({ lines }) => lines.length));
    const longest = others.filter((row) => row.lines.length === most);
    const { room, lines } = longest.find(({ label }) => quoted.includes(label)) ?? longest.at(-1)!;
    lines.splice(-2, 2, cut(lines.slice(-2).join(' '), room));
  }
  return renderRows(
    fitted.map(({ label, lines }) => [label, ...lines]),
    labelWidth,
  );
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

/** Returns who made which calls: `ada: registerUser, login, 2 × createProject`. */
function summarizeCalls(calls: Call[]): string[] {
  // A browser is named by its person and a number.
  const byPerson = groupBy(calls, ({ browserName }) => browserName.replace(/ \d+$/, ''));
  const people = [...byPerson].map(([name, own]) => {
    const counts = [...groupBy(own, nameOf)].map(([call, { length }]) =>
      length > 1 ? `${length} × ${call}` : call,
    );
    return `${name}: ${counts.join(', ')}`;
  });
  return people.length > 0 ? [people.join('; ')] : [];
}

/** Returns the call of the contract, and its status unless it succeeded. */
function nameOf({ request, response }: Call): string {
  const [method = '', path = ''] = request.split(' ');
  const name = findCall(method, path)?.call ?? `${method} ${path}`;
  return /^2\d\d/.test(response) ? name : `${name} → ${response.split(' (')[0]}`;
}

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
