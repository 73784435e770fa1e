import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from '../../../tools/command-line.ts';
import { root } from '../../../tools/run.ts';

readCommandLine(`Usage: npm run node -- tests/app/model/coverage-report.ts

Runs the tests of the model. Writes tests/out/machines.html: how often each driver covered each
state, transition and ignored event of the machines.

Exit code: that of the tests.`);

/** What `coverage.ts` counted for one driver. */
type DriverCoverage = { driver: string; counts: Record<string, number>; missing: string[] };

const folder = mkdtempSync(join(tmpdir(), 'coverage-'));
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'tests/app/model'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, COVERAGE_FOLDER: folder } },
);
const drivers = globSync('*.json', { cwd: folder })
  .toSorted()
  .map((file): DriverCoverage => JSON.parse(readFileSync(join(folder, file), 'utf8')));
rmSync(folder, { recursive: true });
mkdirSync(join(root, 'tests/out'), { recursive: true });
writeFileSync(join(root, 'tests/out/machines.html'), reportOf(drivers));
console.log('tests/out/machines.html');
process.exitCode = status ?? 1;

function reportOf(coverages: DriverCoverage[]): string {
  const items = coverages.flatMap(({ counts, missing }) => [...Object.keys(counts), ...missing]);
  const rows = [...new Set(items)].toSorted().map((item) => {
    const cells = coverages.map(({ counts, missing }) =>
      missing.includes(item) ? '<td><b>missing</b></td>' : `<td>${counts[item] ?? ''}</td>`,
    );
    return `<tr><td>${escapeHtml(item)}</td>${cells.join('')}</tr>`;
  });
  const heads = coverages.map(({ driver }) => `<th>${escapeHtml(driver)}</th>`);
  return `<!doctype html>
<meta charset="utf-8">
<title>Coverage of the machines</title>
<table>
<tr><th>Item</th>${heads.join('')}</tr>
${rows.join('\n')}
</table>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
