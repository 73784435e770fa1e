import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { startProgram } from '../tools/start-program.ts';

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
  const { child, ...program } = startProgram([process.execPath, path, ...args], {
    env: { PORT: '0', NODE_COMPILE_CACHE, ...settings },
    cwd,
  });
  if (!readsLog) child.stderr?.pause();
  const ended = program.ended.then(({ code, errors }) => ({ code, errors }));
  return {
    ...program,
    ended,
    /** Resolves at once when the log contains a text. */
    logged: async (text: string) => void (await program.printed(new RegExp(text))),
    /** Sends a signal. Resolves when the process has ended. */
    kill: async (signal?: NodeJS.Signals) => {
      await program.kill(signal);
      return ended;
    },
    /** Resolves with the server's address when it is ready. Throws if the process ends first. */
    ready: async () => (await program.printed(/ is ready at (http:\S+)/))[1]!,
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
