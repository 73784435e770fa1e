import type { Report, ReportedFinding, ReportedResult } from './schema.ts';
import { viewOf, type FindingView, type Row } from './summary.ts';

/** Renders the report as a page without external resources. */
export function renderHtml(report: Report): string {
  const { isOk, first, causes, consequences, blocked, totals } = viewOf(report);
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
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: .5rem 0; } dt { color: var(--muted); } dt::first-letter { text-transform: uppercase; } article dl { grid-template-columns: 6rem 1fr; } dt:empty { display: none; } dt:empty + dd { grid-column: 1 / -1; } dd { margin: 0; overflow-wrap: anywhere; }
  pre { background: var(--code); margin: 0; padding: .75rem; border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem; }
  table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-top: 1px solid var(--line); } td:nth-child(3) { overflow-wrap: anywhere; } td:nth-last-child(4), td:first-child .muted { white-space: nowrap; }
  @media (width < 40rem) { h1 { font-size: 1.25rem; } dl { display: block; } dt { margin-top: .5rem; } }
</style>
</head>
<body>
<p class="muted">Conformance of ${escapeMarkup(report.origin)}</p>
<h1 class="${isOk ? 'good' : 'bad'}">${escapeMarkup(report.verdict)}</h1>
${first.map(({ label, lines }) => `<article><h3>${label}</h3><p>${escapeMarkup(lines.join(' '))}</p></article>`).join('')}
${causes.map(renderFinding).join('\n')}
${consequences.length > 0 ? `<h2>May be consequences of the above, fix that first</h2>\n<ul>${consequences.map((finding) => `<li>${renderHeading(finding)}<p>${escapeMarkup(finding.line)}</p></li>`).join('')}</ul>` : ''}
${blocked.length > 0 ? `<h2>Blocked, because a precondition failed</h2>\n${renderRows(blocked)}` : ''}
${report.userMessages.length > 0 ? `<h2>What your users will read</h2>\n<table><tr><th>Situation</th><th>Status</th><th>They read</th></tr>${report.userMessages.map(({ id, situation, status, message }) => `<tr><td>${escapeMarkup(situation)} <span class="muted">${id}</span></td><td>${status || 'none'}</td><td>${escapeMarkup(message)}</td></tr>`).join('')}</table>` : ''}
<h2>Totals</h2>
${renderRows(totals)}
<h2>All checks</h2>
<table><tr><th>Check</th><th>Level</th><th>What it verifies</th><th></th></tr>
${report.results.map(renderRow).join('\n')}
</table>
</body>
</html>
`;
}

const renderFinding = (finding: FindingView): string =>
  `<article>\n${renderHeading(finding)}\n${renderRows(finding.rows)}\n</article>`;

function renderRows(rows: Row[]): string {
  const items = rows.map(({ label, lines, isFolded }) => {
    const [first = '', ...others] = lines.map(escapeMarkup);
    const text = isFolded
      ? `<details><summary>${first}</summary><pre>${others.join('\n')}</pre></details>`
      : others.length > 0
        ? `<pre>${[first, ...others].join('\n')}</pre>`
        : first;
    return `<dt>${escapeMarkup(label)}</dt><dd>${text}</dd>`;
  });
  return `<dl>${items.join('\n')}</dl>`;
}

const renderHeading = ({ ids, level, title, statements }: ReportedFinding): string =>
  `<h3><span class="${level === 'MUST' ? 'bad' : 'warning'}">${level} not met: ${ids[0]}</span> ${escapeMarkup(title)} <span class="muted">[${statements.join(', ')}]</span></h3>`;

function renderRow({ id, level, title, status, note }: ReportedResult): string {
  const [className, label] = {
    passed: ['good', 'met'],
    failed: [level === 'MUST' ? 'bad' : 'warning', 'not met'],
    skipped: ['muted', 'not applicable'],
    blocked: ['warning', 'blocked'],
  }[status];
  return `<tr><td>${id}</td><td>${level}</td><td>${escapeMarkup(title)}${note ? `<br><span class="muted">${escapeMarkup(note)}</span>` : ''}</td><td class="${className}">${label}</td></tr>`;
}

export const escapeMarkup = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
