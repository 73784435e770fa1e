import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { within } from '../shared/waits.ts';
import { maxTestMs } from './time-limits.ts';

export type Environment = Record<string, string>;

interface Options {
  args?: string[];
  /** Path in server/, or of a copy. */
  script?: string;
  readsLog?: boolean;
  cwd?: string;
}

// Most of a start is compiling. A process leaves its compiled code to later ones.
const NODE_COMPILE_CACHE = join(tmpdir(), 'node-compile-cache');

/**
 * Runs the server as `npm run serve` does, or another command of server/. The environment holds the
 * settings only. The port is free unless the settings name one.
 */
export function runServer(
  settings: Environment,
  { args = [], script = 'main.ts', readsLog = true, cwd }: Options = {},
) {
  const path = resolvePath(import.meta.dirname, '../server', script);
  const child = spawn(process.execPath, [path, ...args], {
    env: { PORT: '0', NODE_COMPILE_CACHE, ...settings },
    cwd,
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk) => (output += chunk));
  const waits: { text: string; resolve: () => void }[] = [];
  if (readsLog) {
    child.stderr.on('data', (chunk) => {
      errors += chunk;
      for (const { text, resolve } of waits) if (errors.includes(text)) resolve();
    });
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, errors }));
  return {
    pid: child.pid ?? 0,
    ended,
    output: () => output,
    /** Returns the standard error output so far: the log. */
    errors: () => errors,
    /** Resolves at once when the log contains a text. */
    logged: (text: string) => new Promise<void>((resolve) => waits.push({ text, resolve })),
    /** Sends a signal. Resolves when the process has ended. */
    kill: (signal: NodeJS.Signals = 'SIGKILL') => {
      child.kill(signal);
      return ended;
    },
    /** Resolves with the server's address when it is ready. Throws if the process ends first. */
    async ready(): Promise<string> {
      const started = Promise.race([once(child.stdout, 'data'), ended]);
      if (!output) await within('the server to be ready', started, maxTestMs);
      const address = / is ready at (http:\S+)/.exec(output)?.[1];
      if (!address) throw new Error(`The server did not start: ${(await ended).errors}`);
      return address;
    },
  };
}

/** Starts a server and waits until it is ready. Disposing of it kills it. */
export async function startServerProcess(settings: Environment, script?: string) {
  const running = runServer(settings, script ? { script } : {});
  return {
    ...running,
    address: await running.ready(),
    [Symbol.asyncDispose]: async () => void (await running.kill()),
  };
}

/** Starts a server whose data is deleted by `stop`. `restart` kills it and keeps data and port. */
export async function startTemporaryServer(options: Environment = {}, script?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'tracker-app-'));
  const settings = { ...options, DATA_DIR: folder };
  let running = await startServerProcess(settings, script);
  const { address } = running;
  return {
    address,
    settings,
    async restart() {
      await running.kill();
      const { port: PORT } = new URL(address);
      running = await startServerProcess({ ...settings, PORT }, script);
    },
    async stop() {
      await running.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
