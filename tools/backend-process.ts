import { once } from 'node:events';
import { UsageError } from '../shared/usage-error.ts';
import { startProgram } from './start-program.ts';

interface Backend {
  /** Named in the message of a failed start. */
  name: string;
  /** The options of Node, the file and its arguments. */
  args: string[];
  cwd: string;
  env?: NodeJS.ProcessEnv;
  /** What it prints when it is ready. */
  ready: RegExp;
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
export async function startBackendProcess(backend: Backend) {
  let running = start(backend);
  let { isReady } = running;
  let isRestarting = false;
  if (!(await isReady)) throw new UsageError(`${backend.name} did not start.`);
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
        running = start(backend);
        return running.isReady;
      });
    },
    stop: () => running.stop(),
  };
}

function start({ args, cwd, env = process.env, ready, isPrinted, killSignal, onCrash }: Backend) {
  const program = startProgram([process.execPath, '--import', stopWithParent, ...args], {
    cwd,
    env,
    // Ctrl+C reaches the parent only, so that the backend is stopped once.
    detached: killSignal === undefined,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const { child } = program;
  // "close" follows no disconnection.
  const exited = once(child, 'exit');
  child.stdout?.on('data', (text: string) => {
    if (isPrinted && !ready.test(text)) process.stdout.write(text);
  });
  let isStopping = false;
  const isReady = Promise.race([
    program.printed(ready).then(
      () => true,
      () => false,
    ),
    exited.then(() => false),
  ]);
  void exited.then(async () => {
    if (!isStopping && (await isReady)) onCrash?.();
  });
  const stop = async () => {
    isStopping = true;
    if (killSignal) child.kill(killSignal);
    else if (child.connected) child.disconnect();
    await exited;
  };
  return { isReady, stop };
}
