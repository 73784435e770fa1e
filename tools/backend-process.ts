import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { UsageError } from '../shared/usage-error.ts';

interface Program {
  /** Named in the message of a failed start. */
  name: string;
  /** The options of Node, the file and its arguments. */
  args: string[];
  cwd: string;
  env?: NodeJS.ProcessEnv;
  /** A part of what it prints when it is ready. */
  readyText: string;
  /** Whether the rest of its output is printed. */
  isPrinted: boolean;
  /** Stops it by its signal. Otherwise it has time to finish its requests. */
  killSignal?: NodeJS.Signals;
  /** Called when a process has ended that was ready. */
  onCrash?: () => void;
}

const stopWithParent = new URL('stop-with-parent.js', import.meta.url).href;

/**
 * Runs a backend in a process that ends with this one. Throws if it does not start. It prints the
 * reason itself.
 */
export async function startBackendProcess(program: Program) {
  let running = start(program);
  let { isReady } = running;
  let isRestarting = false;
  if (!(await isReady)) throw new UsageError(`${program.name} did not start.`);
  return {
    /** Resolves after the last restart. Returns false if the backend did not start. */
    isReady: () => isReady,
    /** Starts a new process after the current one has ended. */
    restart: () => {
      if (isRestarting) return;
      isRestarting = true;
      isReady = isReady.then(async () => {
        isRestarting = false;
        await running.stop();
        running = start(program);
        return running.isReady;
      });
    },
    stop: () => running.stop(),
  };
}

function start({
  args,
  cwd,
  env = process.env,
  readyText,
  isPrinted,
  killSignal,
  onCrash,
}: Program) {
  const child = spawn(process.execPath, ['--import', stopWithParent, ...args], {
    cwd,
    env,
    // Ctrl+C reaches the parent only, so that the backend is stopped once.
    detached: killSignal === undefined,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let isStopping = false;
  const ended = once(child, 'exit');
  const isReady = new Promise<boolean>((resolve) => {
    void ended.then(() => resolve(false));
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.includes(readyText)) resolve(true);
      else if (isPrinted) process.stdout.write(chunk);
    });
  });
  void ended.then(async () => {
    if (!isStopping && (await isReady)) onCrash?.();
  });
  const stop = async () => {
    isStopping = true;
    if (killSignal) child.kill(killSignal);
    else if (child.connected) child.disconnect();
    await ended;
  };
  return { isReady, stop };
}
