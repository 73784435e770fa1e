import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** This machine does not allow what a scenario needs. */
export class NotPossible extends Error {}

export type Disk = ReturnType<typeof createDisk>;

// What the kernel has not been told to sync is dropped, as when the power fails: EXT4_IOC_SHUTDOWN without flushing the log.
const cut = `
import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack('I', 2))`;

/** A file system whose power can be cut. Throws `NotPossible`. */
export function createDisk() {
  const folder = makeFolder('tracker-app-power-');
  const [image, mountPoint] = [join(folder, 'image'), join(folder, 'disk')];
  mkdirSync(mountPoint);
  writeFileSync(image, '');
  truncateSync(image, 512 * 1024 * 1024);
  const mount = () => run('mount', '-o', 'loop', image, mountPoint);
  try {
    run('python3', '--version');
    run('mkfs.ext4', '-q', image);
    mount();
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw new NotPossible(
      `it takes root, loop devices, mkfs.ext4 and python3 (${String(error).trim()})`,
    );
  }
  return {
    mountPoint,
    /** Takes a moment, in which others go on writing. */
    cutPower: async () => void (await execute('python3', ['-c', cut, mountPoint])),
    async comeBack() {
      await unmount(mountPoint);
      mount();
    },
    async remove() {
      await unmount(mountPoint);
      rmSync(folder, { recursive: true });
    },
  };
}

/** A file system with room for so many megabytes. Throws `NotPossible`. */
export function createSmallDisk(megabytes: number) {
  const mountPoint = makeFolder('tracker-app-full-');
  const ballast = join(mountPoint, 'ballast');
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', mountPoint);
  } catch (error) {
    rmSync(mountPoint, { recursive: true });
    throw new NotPossible(`it takes root and tmpfs (${String(error).trim()})`);
  }
  return {
    mountPoint,
    /** Writes until not a byte more fits. */
    fill() {
      for (const size of [1024 * 1024, 4096]) {
        try {
          for (;;) writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' });
        } catch {
          // That is what full means.
        }
      }
    },
    makeRoom: () => rmSync(ballast),
    async remove() {
      await unmount(mountPoint);
      rmSync(mountPoint, { recursive: true });
    },
  };
}

/** Somebody else than root has to get through: PostgreSQL. */
function makeFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  chmodSync(folder, 0o755);
  return folder;
}

function run(command: string, ...args: string[]) {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Killed processes let go of their files when the kernel gets to it. */
async function unmount(mountPoint: string) {
  for (let tries = 0; ; tries += 1) {
    try {
      return run('umount', mountPoint);
    } catch (error) {
      if (tries === 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
