import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The project's folder, ending with a slash. */
export const root = fileURLToPath(new URL('../', import.meta.url));

/** A command that starts a tool of node_modules with the Node that runs this. */
export function tool(path: string, ...options: string[]): string[] {
  return [process.execPath, `${root}node_modules/${path}`, ...options];
}

/**
 * Runs a command in the project's folder, without a terminal or questions, and stops it after `seconds`.
 * Gives nothing when it succeeded, otherwise the lines of all it said.
 */
export function failureOf([file = '', ...rest]: string[], seconds: number): Promise<string[]> {
  return new Promise((resolve) => {
    const child = spawn(file, rest, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1', DEBIAN_FRONTEND: 'noninteractive' },
      timeout: seconds * 1000,
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', (error) => resolve([String(error)]));
    child.on('close', (code, signal) => {
      const end = signal ? `(stopped after ${seconds} seconds)` : `(ended with ${code})`;
      resolve(code === 0 ? [] : [...output.trim().split('\n'), end]);
    });
  });
}

/** Prints a line for a step, with its faults below when it has any. */
export function report(name: string, faults: string[]): void {
  console.log(`${faults.length > 0 ? 'FAIL' : 'ok  '} ${name}`);
  for (const fault of faults) console.log(`     ${fault}`);
}

/** What a person reads of something that was thrown. */
export function linesOf(error: unknown): string[] {
  return String(error instanceof Error ? (error.stack ?? error.message) : error).split('\n');
}
