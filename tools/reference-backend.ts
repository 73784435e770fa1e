import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startBackendProcess } from './backend-process.ts';
import { findFreePort } from './free-port.ts';

const requireFreshContract = new URL('require-fresh-contract.ts', import.meta.url).href;

/** Runs the reference backend of the project in `root`. Throws if it does not start. */
export async function startReferenceBackend(root: string) {
  // The server requires a built app. The development server serves the app instead.
  const dist = join(root, 'node_modules/.cache/no-build');
  await mkdir(dist, { recursive: true });
  await writeFile(join(dist, 'index.html'), 'npm run dev:server serves the app.\n');
  const host = '127.0.0.1';
  const port = await findFreePort();
  const backend = await startBackendProcess({
    name: 'The backend',
    args: ['--import', requireFreshContract, 'server/main.ts'],
    cwd: root,
    env: { ...process.env, HOST: host, PORT: `${port}`, DIST_DIR: dist, DRAIN_SECONDS: '0' },
    ready: / is ready at /,
    isPrinted: true,
  });
  return { url: `http://${host}:${port}`, ...backend };
}
