import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../server/main.ts', import.meta.url));

/**
 * The server as `npm run serve` starts it, on a free port and with data of its own, ready. `restart` kills it like a power cut
 * would and starts it again on the same data and the same port.
 */
export async function startServerProcess() {
  const data = mkdtempSync(join(tmpdir(), 'tracker-app-'));
  let running = await run({ PORT: '0', DATA_DIR: data });
  const { address } = running;
  return {
    address,
    async restart() {
      await running.kill();
      running = await run({ PORT: new URL(address).port, DATA_DIR: data });
    },
    async stop() {
      await running.kill();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

async function run(settings: Record<string, string>) {
  const child = spawn(process.execPath, [main], { env: settings });
  const ended = once(child, 'close');
  let [output, errors] = ['', ''];
  child.stderr.on('data', (chunk) => (errors += chunk));
  child.stdout.on('data', (chunk) => (output += chunk));
  await Promise.race([once(child.stdout, 'data'), ended]);
  const address = / is ready at (http:\S+)/.exec(output)?.[1];
  if (!address) throw new Error(`The server did not start: ${errors}`);
  return {
    address,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
