import { stripVTControlCharacters, styleText } from 'node:util';
import { preamble } from '../http/curl.ts';
import type { Report, ReportedProblem, ReportedResult, Totals } from './create-report.ts';

const shownProblems = 4;
const shownCalls = 6;

/** The report as text: failures first, then what people read, then the totals. */
export function renderTerminal(report: Report, { verbose = false, colours = false } = {}): string {
  const lines: string[] = [];
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    colours ? styleText(style, text) : text;
  const add = (...more: string[]) => lines.push(...more);

  for (const failure of report.failures) add('', ...failureLines(failure, paint));
  const blocked = report.results.filter(({ status }) => status === 'blocked');
  if (blocked.length > 0) {
    add(
      '',
      paint(
        'bold',
        `Not looked at, as something that they build on does not work (${blocked.length})`,
      ),
    );
    const reasons = new Map<string, string[]>();
    for (const { id, note = '' } of blocked) reasons.set(note, [...(reasons.get(note) ?? []), id]);
    for (const [why, ids] of reasons) add(`  ${ids.join(', ')}: ${why}`);
  }
  if (report.userMessages.length > 0) {
    add('', paint('bold', 'What your users will read'), ...readingLines(report));
  }
  const noted = report.results.filter(
    ({ status, level }) => level === 'PROFILE' && status === 'noted',
  );
  if (noted.length > 0) {
    add('', paint('bold', 'Choices of this backend (noted, never failed)'));
    for (const { id, title, note } of noted) add(`  ${id.padEnd(11)} ${title}: ${note}`);
  }
  if (verbose) {
    add('', paint('bold', 'All checks'));
    for (const result of report.results) add(...verboseLines(result));
  }
  add('', paint('bold', 'Totals'), ...totalLines(report));
  add(
    '',
    paint(
      ['bold', report.totals.must.failed + report.totals.must.blocked > 0 ? 'red' : 'green'],
      report.verdict,
    ),
    '',
  );
  return lines.join('\n');
}

type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

function failureLines(result: ReportedResult, paint: Paint): string[] {
  const { id, level, title, needs, statements, problems } = result;
  const head = paint(['bold', level === 'MUST' ? 'red' : 'yellow'], `${level} not met: ${id}`);
  const lines = [`${head}  ${title}  [${statements.join(', ')}]`];
  for (const problem of problems.slice(0, shownProblems)) lines.push(...problemLines(problem));
  if (problems.length > shownProblems)
    lines.push(`  … and ${problems.length - shownProblems} more of the kind.`);
  lines.push(`  needs      ${needs}`);
  const curl = problems[0]?.calls.slice(-shownCalls) ?? [];
  if (curl.length > 0) {
    lines.push('  try it');
    if (curl.some((call) => call.curl.includes('$PASSWORD'))) lines.push(`    ${preamble}`);
    lines.push(...curl.map((call) => `    ${call.curl}`));
  }
  return lines;
}

function problemLines({ what, sees, calls }: ReportedProblem): string[] {
  const lines = [`  ${what}`];
  if (sees !== undefined) lines.push(`  users see  ${sees}`);
  for (const [index, { request, response }] of calls.slice(-shownCalls).entries()) {
    lines.push(
      `  ${index === 0 ? 'sequence ' : '         '}  ${index + 1}. ${request}`,
      `              → ${response}`,
    );
  }
  return lines;
}

function readingLines({ userMessages }: Report): string[] {
  const width = Math.max(...userMessages.map(({ situation }) => situation.length));
  return userMessages.map(
    ({ id, situation, status, message }) =>
      `  ${id.padEnd(7)} ${situation.padEnd(width)}  ${String(status || '—').padEnd(4)} ${message}`,
  );
}

function verboseLines({
  id,
  level,
  title,
  status,
  note,
  calls,
  durationMs,
}: ReportedResult): string[] {
  const said = note === undefined ? '' : ` (${note})`;
  return [
    `  ${status.padEnd(8)} ${level.padEnd(7)} ${id.padEnd(11)} ${title}${said}, ${durationMs} ms`,
    ...calls.map(({ request, response }) => `             ${request} → ${response}`),
  ];
}

function totalLines(report: Report): string[] {
  const { must, should, profile, operations, answers, states, transitions } = report.totals;
  const lines = [
    `  MUST         ${totalText(must)}`,
    `  SHOULD       ${totalText(should)}`,
    `  PROFILE      ${profile} choices noted`,
    `  operations   ${operations.met} of ${operations.of} answered with a success as the contract has it`,
    `  answers      ${answers.met} of the ${answers.of} that the contract describes${answers.missing.length > 0 ? `; not seen: ${answers.missing.join(', ')}` : ''}`,
  ];
  if (report.journeys.length > 0) {
    lines.push(
      `  model        states ${states.met}/${states.of}, transitions ${transitions.met}/${transitions.of}, on ${report.journeys.length} journeys`,
    );
    for (const missing of transitions.missing) lines.push(`               not reached: ${missing}`);
    lines.push(
      `  beyond       ${report.unreachable.length} transitions that no server can be made to take from outside, not counted`,
    );
    const reasons = new Map<string, string[]>();
    for (const { name, why } of report.unreachable)
      reasons.set(why, [...(reasons.get(why) ?? []), name]);
    for (const [why, names] of reasons) lines.push(`               ${why}: ${names.join('; ')}`);
  }
  if (report.throttling) lines.push(`  waits        ${report.throttling}`);
  lines.push(
    `  run          ${(report.durationMs / 1000).toFixed(1)} s against ${report.origin}, seed ${report.seed}, run ${report.runId}`,
  );
  lines.push(`  ${report.leftovers}`);
  return lines;
}

function totalText({ total, passed, failed, blocked, skipped }: Totals): string {
  const parts = [
    `${passed} met`,
    ...(failed > 0 ? [`${failed} NOT MET`] : []),
    ...(blocked > 0 ? [`${blocked} not looked at`] : []),
    ...(skipped > 0 ? [`${skipped} not for this backend`] : []),
  ];
  return `${parts.join(', ')} (of ${total})`;
}

/** What a report may say to a terminal: nothing that a backend sent may move its cursor. */
export const harmless = (text: string) => stripVTControlCharacters(text);
