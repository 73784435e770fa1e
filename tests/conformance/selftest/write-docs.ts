import type { FaultResult } from './run-fault.ts';

/** docs/conformance.md, from what was measured. */
export function pageOf(
  results: FaultResult[],
  objections: Map<string, string>,
  green: { name: string; trouble: string[]; seconds: number }[],
): string {
  const killed = results.filter(({ missing }) => missing.length === 0);
  const compared = results.filter(({ fault }) => objections.has(fault));
  const objected = compared.filter(({ fault }) => objections.get(fault) !== '');
  const rows = results.map(({ fault, killedBy, missing, words }) => {
    const prism = objections.get(fault);
    const said = prism === undefined ? '—' : prism === '' ? 'lets it pass' : prism;
    const verdict = missing.length > 0 ? `**missed** (${missing.join(', ')})` : words;
    return `| ${cell(fault)} | ${killedBy.join(', ')} | ${cell(verdict)} | ${cell(said)} |`;
  });
  return `# What the conformance kit finds

Written by \`npm run conformance:selftest -- --write\`; do not edit it. The kit runs against our own backend behind a layer that spoils one
thing at a time, and against servers that are something else altogether. A fault counts as named when the check that is about it fails; what the
report says of it stands beside it.

**The kit names ${killed.length} of ${results.length} faults.** Prism's validation proxy (\`prism proxy openapi.yaml ADDRESS --errors\`) stands in front of the same
backends while an ordinary visit is made: register, register again, mistype the password, sign in, look at the list, create two projects, look
again. To the backend without a fault it does not object. **It objects to ${objected.length} of ${compared.length}.** It looks at one call at a time and at what the contract's schemas say, which is what it is for; most faults
are in what comes after what.

| fault | checks | what the kit says | what Prism's proxy says |
|---|---|---|---|
${rows.join('\n')}

## Correct backends that chose otherwise

The kit has to stay green where the specification is silent.

| backend | verdict |
|---|---|
${green.map(({ name, trouble }) => `| ${cell(name)} | ${trouble.length > 0 ? cell(trouble.join('; ')) : 'green'} |`).join('\n')}
`;
}

/** What was never the same twice is left out, so that the page changes only when the kit does. */
function cell(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…')
    .replaceAll(/\d+ ms/g, '… ms')
    .replaceAll('|', String.raw`\|`)
    .replaceAll('<', '&lt;')
    .replaceAll('\n', ' ');
}
