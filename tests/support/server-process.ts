import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../server/main.ts', import.meta.url));

/**
 * Runs the server as `npm run serve` does, on a free port unless `settings` name one; or another script of server/. There is nothing
 * in its environment but the settings.
 */
export function runServer(settings: Record<string, string>, args: string[] = [], script = main) {
  const child = spawn(process.execPath, [script, ...args], { env: { PORT: '0', ...settings } });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, errors }));
  return {
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
