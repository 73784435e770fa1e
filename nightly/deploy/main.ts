import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from '../../tools/command-line.ts';
import type { Figures } from '../../testing/torture/figures.ts';
import { runScenarios } from '../torture/run-scenarios.ts';
import { requireRootAnd, run } from './commands.ts';
import { buildImage, runCompose, runImage, startDocker } from './containers.ts';
import { runUnderSystemd } from './systemd.ts';

const { words } = readCommandLine(
  `Usage: npm run node -- nightly/deploy/main.ts [WORD…]

Runs the systemd unit, the container image and compose.yaml of server/deploy/ as an operator does, in
Debian systems that debootstrap makes. Needs root on Linux, and takes five minutes. A WORD selects
steps by a part of their name. Writes only to temporary folders.

Exit code 1: a step failed. Exit code 2: a step is not supported here.`,
  { words: true },
);
const folder = mkdtempSync(join(tmpdir(), 'tracker-app-deploy-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
await using cleanup = new AsyncDisposableStack();

let docker: Awaited<ReturnType<typeof startDocker>> | undefined;
let image: Figures | undefined;

/** Builds the image once. Returns the environment of Docker. */
async function withImage() {
  await requireRootAnd({ debootstrap: 'debootstrap', docker: 'docker.io' });
  docker ??= cleanup.use(await startDocker(folder));
  image ??= await buildImage(docker.env);
  return docker.env;
}

/** Makes a root file system with the app and further packages of Debian. */
async function makeRoot(name: string, PACKAGES: string) {
  const ROOT = join(folder, name);
  await run('server/deploy/build-image.sh', [], { ROOT, PACKAGES });
  return ROOT;
}

const steps: Record<string, () => Promise<Figures>> = {
  'the unit under systemd': async () => {
    await requireRootAnd({
      debootstrap: 'debootstrap',
      'systemd-nspawn': 'systemd-container',
      haproxy: 'haproxy',
    });
    return runUnderSystemd(await makeRoot('systemd', 'systemd-sysv,dbus'));
  },
  'the image on SQLite': async () => {
    const env = await withImage();
    return { ...image, ...(await runImage(env)) };
  },
  'compose.yaml on PostgreSQL': async () => {
    await requireRootAnd({ 'docker-compose': 'docker-compose' });
    return runCompose(await withImage(), folder, await makeRoot('database', 'postgresql'));
  },
};

await runScenarios(steps, words);
