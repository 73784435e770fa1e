import { spawnSync } from 'node:child_process';
import { selectNamesOrExit } from '../../tools/command-line.ts';
import { NotSupported, type Figures } from '../../testing/torture/figures.ts';

/** Throws `NotSupported` if the program is not installed. */
export function requireProgram(path: string) {
  if (spawnSync(path, ['--version']).error) throw new NotSupported(`needs ${path}`);
}

/**
 * Runs the scenarios whose name contains one of the words, and prints what they measured. Sets the
 * exit code: 1 after a failure, and 2 if a scenario is not supported here.
 */
export async function runScenarios(
  scenarios: Record<string, () => Promise<Figures>>,
  words: string[],
) {
  const selected = selectNamesOrExit(Object.keys(scenarios), words);
  const names: Record<string, string[]> = { passed: [], FAILED: [], 'NOT SUPPORTED HERE': [] };
  for (const name of selected) {
    const startMs = performance.now();
    const [verdict, figures] = await scenarios[name]!().then(judge, judgeError);
    names[verdict]!.push(name);
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    console.log(`\n${name}: ${verdict} (${seconds} s)`);
    const width = Math.max(...Object.keys(figures).map((figure) => figure.length));
    for (const [figure, value] of Object.entries(figures)) {
      console.log(`  ${figure.padEnd(width)}  ${value}`);
    }
  }
  console.log(`\n${names['passed']!.length} of ${selected.length} selected scenarios passed.`);
  const [failed, missing] = [names['FAILED']!, names['NOT SUPPORTED HERE']!];
  if (failed.length > 0) console.log(`FAILED: ${failed.join('; ')}.`);
  if (missing.length > 0) console.log(`NOT SUPPORTED HERE: ${missing.join('; ')}.`);
  process.exitCode = failed.length > 0 ? 1 : missing.length > 0 ? 2 : 0;
}

function judge(figures: Figures): [verdict: string, figures: Figures] {
  const isFailed = Object.entries(figures).some(
    ([figure, value]) => /^(lost|duplicated|failed)/.test(figure) && value !== 0,
  );
  return [isFailed ? 'FAILED' : 'passed', figures];
}

function judgeError(error: unknown): [verdict: string, figures: Figures] {
  const verdict = error instanceof NotSupported ? 'NOT SUPPORTED HERE' : 'FAILED';
  return [verdict, { reason: String(error).trim() }];
}
