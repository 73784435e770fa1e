import type { Screenshot } from '../run-context.ts';
import type { Report, ReportedFinding, ReportedProblem, ReportedResult } from './create-report.ts';
import { summarize } from './summary.ts';

/** Renders the report as a page without external resources, except for screenshots. */
export function renderHtml(report: Report, screenshots: Screenshot[] = []): string {
  const { must } = report.totals;
  const isOk = must.failed + must.blocked === 0;
  const choices = report.results.filter(
    ({ level, status }) => level === 'PROFILE' && status === 'noted',
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${isOk ? 'Passed' : 'Failed'}: conformance of ${escapeMarkup(report.origin)}</title>
<style>
  :root { color-scheme: light dark; --line: light-dark(#d7dce3, #3a414d); --muted: light-dark(#5a6472, #a3adba); --bad: light-dark(#b3261e, #ff8a80); --warning: light-dark(#8a5a00, #ffc266); --good: light-dark(#1c6b3c, #7bd8a0); --code: light-dark(#f3f5f8, #1d222a); }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.5rem; } h2 { margin-top: 2.5rem; font-size: 1.2rem; }
  .bad { color: var(--bad); } .warning { color: var(--warning); } .good { color: var(--good); } .muted { color: var(--muted); }
  article { border: 1px solid var(--line); border-radius: 8px; padding: .25rem 1rem 1rem; margin: 1rem 0; }
  h3 { margin: .75rem 0 .25rem; font-size: 1rem; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: .5rem 0; } dt { color: var(--muted); } dd { margin: 0; overflow-wrap: anywhere; }
  pre { background: var(--code); padding: .75rem; border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem; }
  table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
  ol { padding-left: 1.25rem; margin: .25rem 0; } code { font-size: .85rem; overflow-wrap: anywhere; } img { max-width: 100%; border: 1px solid var(--line); }
  @media (width < 40rem) { h1 { font-size: 1.25rem; } dl { display: block; } dt { margin-top: .5rem; } }
</style>
</head>
<body>
<p class="muted">Conformance of ${escapeMarkup(report.origin)}</p>
<h1 class="${isOk ? 'good' : 'bad'}">${escapeMarkup(report.verdict)}</h1>
${report.findings
  .filter(({ causes }) => causes.length === 0)
  .map((finding) => renderFinding(finding, screenshots))
  .join('\n')}
${renderConsequences(report)}
${report.userMessages.length > 0 ? `<h2>What your users will read</h2>\n<table><tr><th>Situation</th><th>Status</th><th>They read</th></tr>${report.userMessages.map(({ id, situation, status, message }) => `<tr><td>${escapeMarkup(situation)} <span class="muted">${id}</span></td><td>${status || 'none'}</td><td>${escapeMarkup(message)}</td></tr>`).join('')}</table>` : ''}
${choices.length > 0 ? `<h2>Choices of this backend</h2>\n<p class="muted">For information. These checks never fail.</p><dl>${choices.map(({ title, note = '' }) => `<dt>${escapeMarkup(title)}</dt><dd>${escapeMarkup(note)}</dd>`).join('')}</dl>` : ''}
<h2>Totals</h2>
<dl>${summarize(report)
    .map(([label, text]) => `<dt>${label}</dt><dd>${escapeMarkup(text)}</dd>`)
    .join('')}</dl>
<h2>All checks</h2>
<table><tr><th>Check</th><th>Level</th><th>What it verifies</th><th></th></tr>
${report.results.map(renderRow).join('\n')}
</table>
</body>
</html>
`;
}

function renderFinding(finding: ReportedFinding, screenshots: Screenshot[]): string {
  const { ids, requirement, statements, summary, problems, problemCount, reproduce } = finding;
  const hiddenCount = summary === undefined ? problemCount - problems.length : 0;
  const images = screenshots
    .filter(({ id }) => ids.includes(id))
    .map(({ file }) => `<p><img src="${escapeMarkup(file)}" alt="Screenshot of the failure"></p>`);
  return `<article>
${renderHeading(finding)}
${summary === undefined ? '' : `<p>${escapeMarkup(summary)}</p>`}
${problems.map(renderProblem).join('\n')}
${hiddenCount > 0 ? `<p>… and ${hiddenCount} similar problems.</p>` : ''}
<dl><dt>Required</dt><dd>${escapeMarkup(requirement)} <span class="muted">${statements.join(', ')}</span></dd>
${ids.length > 1 ? `<dt>Also not met</dt><dd>${ids.slice(1).join(', ')}</dd>` : ''}</dl>
${reproduce.length > 0 ? `<details><summary>Try it</summary><pre>${escapeMarkup(reproduce.join('\n'))}</pre></details>` : ''}
${images.join('')}
</article>`;
}

const renderHeading = ({ ids, level, title }: ReportedFinding): string =>
  `<h3><span class="${level === 'MUST' ? 'bad' : 'warning'}">${level} not met: ${ids[0]}</span> ${escapeMarkup(title)}</h3>`;

function renderConsequences({ findings }: Report): string {
  const items = findings
    .filter(({ causes }) => causes.length > 0)
    .map(
      (finding) =>
        `<li>${renderHeading(finding)}<p>${escapeMarkup(finding.summary ?? finding.problems[0]?.description ?? '')} See ${finding.causes.slice(0, 3).join(', ')}.</p></li>`,
    );
  return items.length === 0
    ? ''
    : `<h2>May be consequences of the above, fix that first</h2>\n<ul>${items.join('')}</ul>`;
}

function renderProblem({ description, userSees, calls }: ReportedProblem): string {
  const items = calls.map(
    ({ request, response }) =>
      `<li><code>${escapeMarkup(request)}</code><br>→ <code>${escapeMarkup(response)}</code></li>`,
  );
  return `<p>${escapeMarkup(description)}</p>
<dl>${userSees === undefined ? '' : `<dt>Users see</dt><dd>${escapeMarkup(userSees)}</dd>`}${items.length > 0 ? `<dt>Requests</dt><dd><ol>${items.join('')}</ol></dd>` : ''}</dl>`;
}

function renderRow({ id, level, title, status, note }: ReportedResult): string {
  const [className, label] = {
    passed: ['good', 'met'],
    noted: ['muted', 'noted'],
    failed: [level === 'MUST' ? 'bad' : 'warning', 'not met'],
    skipped: ['muted', 'not applicable'],
    blocked: ['warning', 'blocked'],
  }[status];
  const remark =
    note && level !== 'PROFILE' ? `<br><span class="muted">${escapeMarkup(note)}</span>` : '';
  return `<tr><td>${id}</td><td>${level}</td><td>${escapeMarkup(title)}${remark}</td><td class="${className}">${label}</td></tr>`;
}

export const escapeMarkup = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
