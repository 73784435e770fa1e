import { harmless } from './terminal.ts';
import type { Report, ReportedProblem, ReportedResult } from './create-report.ts';

/** The report as JUnit XML. What a MUST lacks is a failure; what a SHOULD lacks is said beside a test that passed. */
export function renderJunit(report: Report): string {
  const groups = new Map<string, ReportedResult[]>();
  for (const result of report.results) {
    const group = result.id.split('-')[0]!;
    groups.set(group, [...(groups.get(group) ?? []), result]);
  }
  const failed = report.results.filter(isFailure).length;
  const skipped = report.results.filter(isSkipped).length;
  const suites = [...groups].map(([group, results]) => {
    const counts = `tests="${results.length}" failures="${results.filter(isFailure).length}" errors="0" skipped="${results.filter(isSkipped).length}" time="${seconds(results)}"`;
    return `  <testsuite name="${group}" ${counts} timestamp="${report.startedAt.slice(0, 19)}">\n${results.map(testCase).join('\n')}\n  </testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="conformance of ${xml(report.origin)}" tests="${report.results.length}" failures="${failed}" errors="0" skipped="${skipped}" time="${(report.durationMs / 1000).toFixed(3)}">
${suites.join('\n')}
</testsuites>
`;
}

const isFailure = ({ level, status }: ReportedResult) =>
  level === 'MUST' && (status === 'failed' || status === 'blocked');

const isSkipped = ({ level, status }: ReportedResult) =>
  status === 'skipped' || (level !== 'MUST' && status === 'blocked');

const seconds = (results: ReportedResult[]) =>
  (results.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000).toFixed(3);

function testCase(result: ReportedResult): string {
  const { id, level, title, note, problems, status, statements } = result;
  const open = `    <testcase classname="conformance.${id.split('-')[0]}" name="${xml(`${id} ${title}`)}" time="${seconds([result])}">`;
  const lines: string[] = [
    `${level}, ${statements.join(', ')}`,
    ...(note ? [note] : []),
    ...problems.flatMap(problemLines),
  ];
  const said = `      <system-out>${xml(lines.join('\n'))}</system-out>`;
  const why = problems[0]?.what ?? note ?? status;
  const inside = isFailure(result)
    ? [`      <failure message="${xml(why)}" type="${level}">${xml(lines.join('\n'))}</failure>`]
    : isSkipped(result)
      ? [`      <skipped message="${xml(why)}"/>`]
      : [];
  return [open, ...inside, said, '    </testcase>'].join('\n');
}

function problemLines({ what, sees, calls }: ReportedProblem): string[] {
  return [
    what,
    ...(sees ? [`users see: ${sees}`] : []),
    ...calls.flatMap(({ request, response, curl }) => [request, `→ ${response}`, curl]),
  ];
}

/** Text in XML, without the characters that XML has no way to write. */
function xml(text: string): string {
  return harmless(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
}
