import { styleText } from 'node:util';
import { curlPreamble } from '../http/curl.ts';
import {
  groupBy,
  type Report,
  type ReportedProblem,
  type ReportedResult,
  type Totals,
} from './create-report.ts';

const maxProblems = 4;
const maxCallsPerProblem = 6;

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

/** Renders the report as text: failures first, then what users read, then the totals. */
export function renderTerminal(report: Report, { verbose = false, colors = false } = {}): string {
  const paint: Paint = (style, text) => (colors ? styleText(style, text) : text);
  const { must } = report.totals;
  const blocked = report.results.filter(({ status }) => status === 'blocked');
  const choices = report.results.filter(
    ({ status, level }) => level === 'PROFILE' && status === 'noted',
  );
  const section = (heading: string, lines: string[]) =>
    lines.length > 0 ? ['', paint('bold', heading), ...lines] : [];
  const isOk = must.failed + must.blocked === 0;
  return [
    ...report.failures.flatMap((failure) => ['', ...failureLines(failure, paint)]),
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
    ...section('Totals', totalLines(report)),
    '',
    paint(['bold', isOk ? 'green' : 'red'], report.verdict),
    '',
  ].join('\n');
}

function failureLines(result: ReportedResult, paint: Paint): string[] {
  const { id, level, title, requirement, statements, problems } = result;
  const heading = paint(['bold', level === 'MUST' ? 'red' : 'yellow'], `${level} failed: ${id}`);
  const hiddenCount = problems.length - maxProblems;
  const commands = problems[0]?.calls.slice(-maxCallsPerProblem).map(({ curl }) => curl) ?? [];
  const needsPassword = commands.some((command) => command.includes('$PASSWORD'));
  return [
    `${heading}  ${title}  [${statements.join(', ')}]`,
    ...problems.slice(0, maxProblems).flatMap(problemLines),
    ...(hiddenCount > 0 ? [`  … and ${hiddenCount} similar problems.`] : []),
    `  required   ${requirement}`,
    ...(commands.length > 0 ? ['  reproduce'] : []),
    ...(needsPassword ? [`    ${curlPreamble}`] : []),
    ...commands.map((command) => `    ${command}`),
  ];
}

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

function totalLines(report: Report): string[] {
  const { must, should, profileCount, operations, responses, states, transitions } = report.totals;
  const missing = responses.missing.length > 0 ? `; missing: ${responses.missing.join(', ')}` : '';
  const indent = ' '.repeat(15);
  const modelLines = [
    `  model        states ${states.covered}/${states.total}, transitions ${transitions.covered}/${transitions.total}, on ${report.journeys.length} journeys`,
    ...transitions.missing.map((name) => `${indent}missing: ${name}`),
    `  unreachable  ${report.unreachable.length} transitions that no backend can cause, not counted`,
    ...[...groupBy(report.unreachable, ({ reason }) => reason)].map(
      ([reason, items]) => `${indent}${reason}: ${items.map(({ name }) => name).join('; ')}`,
    ),
  ];
  return [
    `  MUST         ${describeTotals(must)}`,
    `  SHOULD       ${describeTotals(should)}`,
    `  PROFILE      ${profileCount} choices noted`,
    `  operations   ${operations.covered} of ${operations.total} returned a success that the contract allows`,
    `  responses    ${responses.covered} of ${responses.total} that the contract documents${missing}`,
    ...(report.journeys.length > 0 ? modelLines : []),
    ...(report.throttling ? [`  throttling   ${report.throttling}`] : []),
    `  run          ${(report.durationMs / 1000).toFixed(1)} s against ${report.origin}, seed ${report.seed}, run ${report.runId}`,
    `  ${report.leftovers}`,
  ];
}

const describeTotals = ({ total, passed, failed, blocked, skipped }: Totals): string =>
  [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} FAILED`] : []),
    ...(blocked > 0 ? [`${blocked} blocked`] : []),
    ...(skipped > 0 ? [`${skipped} not applicable`] : []),
  ].join(', ') + ` (of ${total})`;
