import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

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
export function runProgram(
  [file = '', ...options]: string[],
  timeoutSeconds: number,
  env: Record<string, string> = {},
): Promise<string[]> {
  return new Promise((resolve) => {
    const child = spawn(file, options, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1', DEBIAN_FRONTEND: 'noninteractive', ...env },
      timeout: Math.round(timeoutSeconds * 1000),
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', (error) => resolve([String(error)]));
    child.on('close', (code, signal) => {
      const reason = signal ? `timed out after ${timeoutSeconds} seconds` : `exit code ${code}`;
      resolve(code === 0 ? [] : [...output.trim().split('\n'), `(${reason})`]);
    });
  });
}

export type StepTotals = { passed: number; failed: number };

/** Runs a step, which returns its problems, and prints its result and the seconds that it took. */
export async function runStep(name: string, run: () => Promise<string[]>): Promise<StepTotals> {
  const start = performance.now();
  const problems = await run().catch(errorLines);
  const seconds = (performance.now() - start) / 1000;
  printResult(`${name} (${seconds.toFixed(1)} s)`, problems);
  return problems.length > 0 ? { passed: 0, failed: 1 } : { passed: 1, failed: 0 };
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
