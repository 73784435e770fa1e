import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const program = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Runs the kit's command until it ends. */
export const runCommand = (...args: string[]) => outcomeOf(startCommand(args));

export const startCommand = (args: string[], env: NodeJS.ProcessEnv = {}) =>
  spawn(process.execPath, [program, ...args], { env: { ...process.env, NO_COLOR: '1', ...env } });

export async function outcomeOf(child: ReturnType<typeof startCommand>) {
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, errors };
}
