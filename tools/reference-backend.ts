import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../server/usage-error.ts';
import { findFreePort } from './free-port.ts';

const imports = ['stop-with-parent.js', 'require-fresh-contract.ts'].flatMap((file) => [
  '--import',
  new URL(file, import.meta.url).href,
]);

/**
 * Runs the reference backend of the project in `root`, in a process that ends with this one. Throws
 * if it does not start. It prints the reason itself.
 */
export async function startReferenceBackend(root: string) {
  // The server requires a built app. The development server serves the app instead.
  const dist = join(root, 'node_modules/.cache/no-build');
  await mkdir(dist, { recursive: true });
  await writeFile(join(dist, 'index.html'), 'npm run dev:server serves the app.\n');
  const host = '127.0.0.1';
  const port = await findFreePort();
  const env = {
    ...process.env,
    HOST: host,
    PORT: `${port}`,
    DIST_DIR: dist,
    DRAIN_SECONDS: '0',
  };

  function start() {
    const child = spawn(process.execPath, [...imports, 'server/main.ts'], {
      cwd: root,
      env,
      // Ctrl+C reaches the parent only, so that the server is stopped once.
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const ended = once(child, 'exit');
    const isReady = new Promise<boolean>((resolve) => {
      void ended.then(() => resolve(false));
      child.stdout?.on('data', (chunk: Buffer) => {
        if (chunk.includes(' is ready at ')) resolve(true);
        else process.stdout.write(chunk);
      });
    });
    const stop = async () => {
      if (child.connected) child.disconnect();
      await ended;
    };
    return { isReady, stop };
  }

  let running = start();
  let isReady = running.isReady;
  let isRestarting = false;
  if (!(await isReady)) throw new UsageError('The backend did not start.');
  return {
    url: `http://${host}:${port}`,
    /** Resolves after the last restart. Returns false if the backend did not start. */
    isReady: () => isReady,
    /** Starts a new process after the current one has ended. */
    restart: () => {
      if (isRestarting) return;
      isRestarting = true;
      isReady = isReady.then(async () => {
        isRestarting = false;
        await running.stop();
        running = start();
        return running.isReady;
      });
    },
    stop: () => running.stop(),
  };
}
