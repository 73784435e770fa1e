import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { maxWaitMs, waitFor, within } from '../shared/waits.ts';
import { killTree, signalTree } from './process-tree.ts';

/** PostgreSQL and its tools refuse to run as root, and other users cannot read root's home. */
export const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Of each stream, so that a backend can run for days. */
const maxKeptCharacters = 10_000_000;

export type Program = ReturnType<typeof startProgram>;

/** What a program printed, and how it ended. */
interface End {
  code: number | null;
  signal: NodeJS.Signals | null;
  output: string;
  errors: string;
}

/** Starts a program and keeps what it prints. Disposing of it kills it and its descendants. */
export function startProgram([file = '', ...args]: string[], options: SpawnOptions = {}) {
  const child = spawn(file, args, options);
  const { pid } = child;
  const { kept, looks } = keepOutput(child);
  let end: End | undefined;
  const ended = new Promise<End>((resolve) => {
    child.once('close', (code, signal) => resolve((end = { code, signal, ...kept })));
  });
  const earlyEnd = ({ code, signal, errors, output }: End) =>
    new Error(`${file} ended with ${signal ?? `code ${code}`}: ${errors}${output}`);

  /** Resolves at once when it prints a text. Throws what it printed if it ends before. */
  async function printed(text: RegExp, limitMs = maxWaitMs): Promise<RegExpExecArray> {
    const { promise: found, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const look = () => {
      const match = text.exec(kept.output) ?? text.exec(kept.errors);
      if (match) resolve(match);
    };
    looks.add(look);
    look();
    void ended.then((early) => reject(earlyEnd(early)));
    return await within(`${file} to print ${text}`, found, limitMs).finally(() =>
      looks.delete(look),
    );
  }

  return {
    child,
    pid,
    /** Resolves when it has ended and all that it printed is read. */
    ended,
    /** Returns its standard output so far. */
    output: () => kept.output,
    /** Returns its standard error output so far. */
    errors: () => kept.errors,
    printed,
    /** Waits for a condition. Throws what the program printed if it ends before. */
    waitFor: (what: string, isDone: () => boolean | Promise<boolean>, limitMs?: number) => {
      const check = () => {
        if (end) throw earlyEnd(end);
        return isDone();
      };
      return waitFor(what, check, limitMs);
    },
    /** Sends a signal. Resolves when it has ended. */
    kill: (signal: NodeJS.Signals = 'SIGKILL'): Promise<End> => {
      child.kill(signal);
      return ended;
    },
    /** Sends a signal to it and its descendants. Linux only. */
    signalTree: (signal: NodeJS.Signals) => {
      if (!end && pid) signalTree(pid, signal);
    },
    /** Kills it and its descendants. Linux only. */
    [Symbol.asyncDispose]: async () => {
      if (!end && pid) await killTree(pid);
    },
  };
}

/** Keeps what a program prints. Calls each of `looks` when it has printed more. */
function keepOutput(child: ChildProcess) {
  const kept = { output: '', errors: '' };
  const looks = new Set<() => void>();
  const read = (name: keyof typeof kept) => (text: string) => {
    kept[name] = (kept[name] + text).slice(-maxKeptCharacters);
    for (const look of looks) look();
  };
  child.stdout?.setEncoding('utf8').on('data', read('output'));
  child.stderr?.setEncoding('utf8').on('data', read('errors'));
  // For example because it is not installed. "close" follows.
  child.once('error', (error) => read('errors')(error.message));
  return { kept, looks };
}
