import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = new URL('../../server/', import.meta.url);

interface Options {
  args?: string[];
  /** In server/. */
  script?: string;
  readsLog?: boolean;
}

/**
 * Runs the server as `npm run serve` does, on a free port unless `settings` name one; or another command of server/. There is
 * nothing in its environment but the settings.
 */
export function runServer(
  settings: Record<string, string>,
  { args = [], script = 'main.ts', readsLog = true }: Options = {},
) {
  const path = fileURLToPath(new URL(script, folder));
  const child = spawn(process.execPath, [path, ...args], { env: { PORT: '0', ...settings } });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk) => (output += chunk));
  if (readsLog) child.stderr.on('data', (chunk) => (errors += chunk));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, errors }));
  return {
    pid: child.pid ?? 0,
    ended,
    output: () => output,
    /** What it wrote to the standard error output so far: its log. */
    errors: () => errors,
    /** Sends a signal; resolves when the process has ended. */
    kill: (signal: NodeJS.Signals = 'SIGKILL') => {
      child.kill(signal);
      return ended;
    },
    /** The address at which it is ready. Throws when it ends before. */
    async ready(): Promise<string> {
      if (!output) await Promise.race([once(child.stdout, 'data'), ended]);
      const address = / is ready at (http:\S+)/.exec(output)?.[1];
      if (!address) throw new Error(`The server did not start: ${(await ended).errors}`);
      return address;
    },
  };
}

/**
 * A server with data of its own, ready. `restart` kills it like a power cut would and starts it again on the same data and the
 * same port.
 */
export async function startServerProcess() {
  const data = mkdtempSync(join(tmpdir(), 'tracker-app-'));
  let running = runServer({ DATA_DIR: data });
  const address = await running.ready();
  return {
    address,
    async restart() {
      await running.kill();
      running = runServer({ PORT: new URL(address).port, DATA_DIR: data });
      await running.ready();
    },
    async stop() {
      await running.kill();
      rmSync(data, { recursive: true, force: true });
    },
  };
}
