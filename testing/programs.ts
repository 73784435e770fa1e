import { spawn } from 'node:child_process';
import { killTree, signalTree } from '../tools/process-tree.ts';

/** PostgreSQL and its tools refuse to run as root, and other users cannot read root's home. */
export const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

interface Options {
  cwd: string;
  /** What the program's log says when it is ready. */
  ready: RegExp;
}

/** Starts a program as an unprivileged user. Disposing of it kills it and its descendants. */
export async function startProgram(path: string, args: string[], { cwd, ready }: Options) {
  const child = spawn(path, args, { ...unprivileged, cwd });
  let log = '';
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      log = (log + chunk).slice(-10_000);
      if (ready.test(log)) resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    child.once('close', () => reject(new Error(`${path} ended: ${log}`)));
  });
  const pid = child.pid ?? 0;
  return {
    pid,
    signal: (name: NodeJS.Signals) => signalTree(pid, name),
    [Symbol.asyncDispose]: () => killTree(pid),
  };
}
