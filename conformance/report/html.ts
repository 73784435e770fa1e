import { preamble } from '../http/curl.ts';
import type { Report, ReportedProblem, ReportedResult, Totals } from './create-report.ts';

/** The report as one page that needs nothing else. `pictures` are files beside it, by the id of a check. */
export function renderHtml(report: Report, pictures: { id: string; file: string }[] = []): string {
  const { must, should, operations, answers, states, transitions } = report.totals;
  const bad = must.failed + must.blocked > 0;
  const noted = report.results.filter(
    ({ level, status }) => level === 'PROFILE' && status === 'noted',
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${bad ? 'Not met' : 'Met'}: conformance of ${text(report.origin)}</title>
<style>
  :root { color-scheme: light dark; --line: light-dark(#d7dce3, #3a414d); --quiet: light-dark(#5a6472, #a3adba); --bad: light-dark(#b3261e, #ff8a80); --warn: light-dark(#8a5a00, #ffc266); --good: light-dark(#1c6b3c, #7bd8a0); --code: light-dark(#f3f5f8, #1d222a); }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.5rem; } h2 { margin-top: 2.5rem; font-size: 1.2rem; }
  .bad { color: var(--bad); } .warn { color: var(--warn); } .good { color: var(--good); } .quiet { color: var(--quiet); }
  article { border: 1px solid var(--line); border-radius: 8px; padding: .25rem 1rem 1rem; margin: 1rem 0; }
  h3 { margin: .75rem 0 .25rem; font-size: 1rem; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: .5rem 0; } dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
  pre { background: var(--code); padding: .75rem; border-radius: 6px; overflow-x: auto; font-size: .85rem; }
  table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
  ol { padding-left: 1.25rem; margin: .25rem 0; } code { font-size: .85rem; overflow-wrap: anywhere; } img { max-width: 100%; border: 1px solid var(--line); }
</style>
</head>
<body>
<h1 class="${bad ? 'bad' : 'good'}">${text(report.verdict)}</h1>
<p class="quiet">${text(report.origin)}, ${text(report.startedAt.slice(0, 19).replace('T', ' '))} UTC, ${(report.durationMs / 1000).toFixed(1)} s, seed ${report.seed}, run ${text(report.runId)}</p>
${report.failures.map((failure) => failed(failure, pictures)).join('\n')}
${report.userMessages.length > 0 ? `<h2>What your users will read</h2>\n<table><tr><th>Situation</th><th>Status</th><th>They read</th></tr>${report.userMessages.map(({ id, situation, status, message }) => `<tr><td>${text(situation)} <span class="quiet">${id}</span></td><td>${status || 'none'}</td><td>${text(message)}</td></tr>`).join('')}</table>` : ''}
${noted.length > 0 ? `<h2>Choices of this backend</h2>\n<p class="quiet">Noted, never failed.</p><dl>${noted.map(({ title, note = '' }) => `<dt>${text(title)}</dt><dd>${text(note)}</dd>`).join('')}</dl>` : ''}
<h2>Totals</h2>
<dl>
<dt>MUST</dt><dd>${totals(must)}</dd>
<dt>SHOULD</dt><dd>${totals(should)}</dd>
<dt>Operations</dt><dd>${operations.met} of ${operations.of} answered with a success as the contract has it</dd>
<dt>Documented answers</dt><dd>${answers.met} of ${answers.of}${answers.missing.length > 0 ? `; not seen: ${text(answers.missing.join(', '))}` : ''}</dd>
<dt>Model</dt><dd>states ${states.met} of ${states.of}, transitions ${transitions.met} of ${transitions.of}, on ${report.journeys.length} journeys${transitions.missing.length > 0 ? `; not reached: ${text(transitions.missing.join('; '))}` : ''}</dd>
<dt>Not counted</dt><dd>${report.unreachable.map(({ name, why }) => `${text(name)} <span class="quiet">(${text(why)})</span>`).join('<br>') || 'nothing'}</dd>
</dl>
${report.throttling ? `<p>${text(report.throttling)}</p>` : ''}
<p>${text(report.leftovers)}</p>
<h2>All checks</h2>
<table><tr><th>Check</th><th>Level</th><th>What is so when it is met</th><th></th></tr>
${report.results.map(row).join('\n')}
</table>
${report.journeys.length > 0 ? `<h2>Journeys</h2>\n<table><tr><th>Machine</th><th>Steps</th><th>Path</th></tr>${report.journeys.map(({ machine, steps, of, name, trouble }) => `<tr><td>${text(machine)}</td><td>${steps}/${of}</td><td>${text(name)}${trouble ? `<br><span class="bad">${text(trouble)}</span>` : ''}</td></tr>`).join('')}</table>` : ''}
</body>
</html>
`;
}

function failed(
  { id, level, title, needs, statements, problems }: ReportedResult,
  pictures: { id: string; file: string }[],
): string {
  const own = pictures.filter((picture) => picture.id === id);
  return `<article>
<h3><span class="${level === 'MUST' ? 'bad' : 'warn'}">${level} not met: ${id}</span> ${text(title)} <span class="quiet">${statements.join(', ')}</span></h3>
${problems.slice(0, 4).map(problemOf).join('\n')}
${problems.length > 4 ? `<p>… and ${problems.length - 4} more of the kind.</p>` : ''}
<dl><dt>Needs</dt><dd>${text(needs)}</dd></dl>
${commands(problems)}
${own.map(({ file }) => `<p><img src="${text(file)}" alt="The screen at this moment"></p>`).join('')}
</article>`;
}

function problemOf({ what, sees, calls }: ReportedProblem): string {
  const list = calls
    .map(
      ({ request, response }) =>
        `<li><code>${text(request)}</code><br>→ <code>${text(response)}</code></li>`,
    )
    .join('');
  return `<p>${text(what)}</p>
<dl>${sees === undefined ? '' : `<dt>Users see</dt><dd>${text(sees)}</dd>`}${list && `<dt>Sequence</dt><dd><ol>${list}</ol></dd>`}</dl>`;
}

function commands(problems: ReportedProblem[]): string {
  const all = problems[0]?.calls.map(({ curl }) => curl) ?? [];
  if (all.length === 0) return '';
  const lines = all.some((line) => line.includes('$PASSWORD')) ? [preamble, ...all] : all;
  return `<pre>${text(lines.join('\n'))}</pre>`;
}

function row({ id, level, title, status, note }: ReportedResult): string {
  const mark = {
    passed: ['good', 'met'],
    noted: ['quiet', 'noted'],
    failed: [level === 'MUST' ? 'bad' : 'warn', 'not met'],
    skipped: ['quiet', 'not for this backend'],
    blocked: ['warn', 'not looked at'],
  }[status];
  return `<tr><td>${id}</td><td>${level}</td><td>${text(title)}${note && level !== 'PROFILE' ? `<br><span class="quiet">${text(note)}</span>` : ''}</td><td class="${mark[0]}">${mark[1]}</td></tr>`;
}

const totals = ({ total, passed, failed: lacking, blocked, skipped }: Totals) =>
  `${passed} of ${total} met${lacking ? `, <b class="bad">${lacking} not met</b>` : ''}${blocked ? `, ${blocked} not looked at` : ''}${skipped ? `, ${skipped} not for this backend` : ''}`;

function text(raw: string): string {
  return raw
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
