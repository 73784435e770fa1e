import { fileURLToPath } from 'node:url';
import { startProgram } from '../../tools/start-program.ts';

export const program = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Runs the kit's command until it ends. */
export const runCommand = (...args: string[]) => startCommand(args).ended;

export const startCommand = (args: string[]) =>
  startProgram([process.execPath, program, ...args], { env: { ...process.env, NO_COLOR: '1' } });
