import { isNamed, type FaultResult } from './run-fault.ts';

/** `unmet` is empty for a backend that meets every MUST. */
export type BackendResult = { name: string; unmet: string[] };

/** Returns the text of docs/conformance.md. The keys of `prismComplaints` are names of faults. */
export function conformancePage(
  results: FaultResult[],
  prismComplaints: Map<string, string>,
  backends: BackendResult[],
): string {
  const named = results.filter(isNamed);
  const complaints = [...prismComplaints.values()].filter(Boolean);
  const faultRows = results.map((result) => {
    const { name, failingChecks, problem } = result;
    const report = isNamed(result) ? problem : `**missed**: ${problem}`;
    const prism = prismComplaints.has(name) ? prismComplaints.get(name) || 'no complaint' : '—';
    return row(name, failingChecks.join(', '), report, prism);
  });
  const backendRows = backends.map(({ name, unmet }) => row(name, unmet.join('; ') || 'passed'));
  return `# What the conformance kit detects

\`tests/conformance/selftest/main.ts --write\` generates this page. Do not edit it.

The self-test runs the kit against the reference server behind a proxy that adds one fault, and
against servers that do not implement the contract. A fault is named when the checks about it fail
and the report begins with the first of them. The table shows the first problem in the report.

**The kit names ${named.length} of ${results.length} faults.**

For comparison, Prism's validation proxy (\`prism proxy openapi.yaml ADDRESS --errors\`) runs in front
of the same faulty backends. A client then registers, registers again, enters a wrong password,
signs in, lists projects, creates two projects and lists them again. Prism does not complain about
the reference server without a fault. **It complains about ${complaints.length} of ${prismComplaints.size} faults**, because it compares
single responses with the schemas of the contract. Most faults show only in a sequence of requests.

| fault | checks | problem in the report of the kit | complaint of Prism's proxy |
|---|---|---|---|
${faultRows.join('\n')}

## Correct backends that differ from the reference server

The kit must pass these backends, because the specification allows their differences.

| backend | result |
|---|---|
${backendRows.join('\n')}
`;
}

function row(...cells: string[]): string {
  return `| ${cells.map(escapeCell).join(' | ')} |`;
}

/** Replaces ids and durations, so that two runs of the same kit write the same page. */
function escapeCell(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…')
    .replaceAll(/\d+ ms/g, '… ms')
    .replaceAll('|', String.raw`\|`)
    .replaceAll('<', '&lt;')
    .replaceAll('\n', ' ');
}
