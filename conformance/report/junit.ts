import { groupOf } from '../checks/order.ts';
import type { Report, ReportedFinding, ReportedResult } from './schema.ts';
import { groupBy } from '../problems/describe.ts';
import { escapeMarkup } from './html.ts';
import { describeProblem, renderRows } from './summary.ts';

/**
 * Renders the report as JUnit XML. Only MUST checks become failures. The problems of a SHOULD check
 * are in the output of a passed test.
 */
export function renderJunit(report: Report): string {
  const findings = new Map(
    report.findings.flatMap((finding) => finding.ids.map((id) => [id, finding])),
  );
  const groups = groupBy(report.results, ({ id }) => groupOf(id));
  const suites = [...groups].map(([group, results]) => {
    const counts = `tests="${results.length}" ${countFailures(results)} skipped="${results.filter(isSkipped).length}" time="${totalSeconds(results)}"`;
    return `  <testsuite name="${group}" ${counts} timestamp="${report.startedAt.slice(0, 19)}">\n${results.map((result) => renderTestCase(result, findings.get(result.id))).join('\n')}\n  </testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="conformance of ${escapeXml(report.origin)}" tests="${report.results.length}" ${countFailures(report.results)} time="${(report.durationMs / 1000).toFixed(3)}">
${suites.join('\n')}
</testsuites>
`;
}

const isFailure = ({ level, status }: ReportedResult) =>
  level === 'MUST' && (status === 'failed' || status === 'blocked');

const isSkipped = ({ level, status }: ReportedResult) =>
  status === 'skipped' || (level !== 'MUST' && status === 'blocked');

/** The schema of Jenkins allows `skipped` on a suite only. */
const countFailures = (results: ReportedResult[]) =>
  `failures="${results.filter(isFailure).length}" errors="0"`;

const totalSeconds = (results: ReportedResult[]) =>
  (results.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000).toFixed(3);

function renderTestCase(result: ReportedResult, finding: ReportedFinding | undefined): string {
  const { id, level, title, note, problems, status, statements } = result;
  const details = escapeXml(
    [
      `${level}, ${statements.join(', ')}`,
      ...(note ? [note] : []),
      ...(finding?.causes.length ? [`May be a consequence of ${finding.causes.join(', ')}.`] : []),
      ...(finding?.summary ? [`${finding.ids.join(', ')}: ${finding.summary}`] : []),
      ...renderRows(problems.flatMap(describeProblem)),
    ].join('\n'),
  );
  const message = escapeXml(finding?.summary ?? problems[0]?.description ?? note ?? status);
  return [
    `    <testcase classname="conformance.${groupOf(id)}" name="${escapeXml(`${id} ${title}`)}" time="${totalSeconds([result])}">`,
    ...(isSkipped(result) ? [`      <skipped message="${message}"/>`] : []),
    isFailure(result)
      ? `      <failure message="${message}" type="${level}">${details}</failure>`
      : `      <system-out>${details}</system-out>`,
    '    </testcase>',
  ].join('\n');
}

/** Escapes text for XML, and replaces characters that XML cannot contain. */
const escapeXml = (text: string) =>
  escapeMarkup(text).replaceAll(
    /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu,
    '\uFFFD',
  );
