import { fileURLToPath } from 'node:url';
import { startProgram } from './start-program.ts';

/** Each product has its tests beside it. */
export const testFiles = '{tests,server/tests,conformance/tests}/**/*.test.{ts,tsx}';

/** The project's folder, ending with a slash. */
export const root = fileURLToPath(new URL('../', import.meta.url));

/** Returns a command that runs a script of node_modules with the current Node. */
export function toolCommand(path: string, ...options: string[]): string[] {
  return [process.execPath, `${root}node_modules/${path}`, ...options];
}

/**
 * Runs a command in the project's folder, without a terminal, and kills it after the timeout.
 * Returns the lines of its output if it failed, otherwise none.
 */
export async function runProgram(
  command: string[],
  timeoutSeconds: number,
  env: Record<string, string> = {},
): Promise<string[]> {
  const { code, signal, output, errors } = await startProgram(command, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', DEBIAN_FRONTEND: 'noninteractive', ...env },
    timeout: Math.round(timeoutSeconds * 1000),
  }).ended;
  const reason = signal ? `timed out after ${timeoutSeconds} seconds` : `exit code ${code}`;
  const lines = (output + errors).trim().split('\n');
  return code === 0 ? [] : [...lines, `(${reason})`];
}

export type StepTotals = { name: string; passed: number; failed: number };

/** Runs a step, which returns its problems, and prints its result and the seconds that it took. */
export async function runStep(name: string, run: () => Promise<string[]>): Promise<StepTotals> {
  const start = performance.now();
  const problems = await run().catch(errorLines);
  const seconds = (performance.now() - start) / 1000;
  printResult(`${name} (${seconds.toFixed(1)} s)`, problems);
  return { name, passed: problems.length > 0 ? 0 : 1, failed: problems.length > 0 ? 1 : 0 };
}

/** Prints one line for a step, and its problems below. */
export function printResult(name: string, problems: string[]): void {
  console.log(`${problems.length > 0 ? 'FAIL' : 'ok  '} ${name}`);
  for (const problem of problems) console.log(`     ${problem}`);
}

/** Returns the stack of an error, or its text, as lines. */
export function errorLines(error: unknown): string[] {
  return String(error instanceof Error ? (error.stack ?? error.message) : error).split('\n');
}
