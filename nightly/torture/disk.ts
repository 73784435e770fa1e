import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFolder } from '../../testing/torture/create-folder.ts';
import { NotSupported } from '../../testing/torture/figures.ts';

export type Disk = ReturnType<typeof createDisk>;

// EXT4_IOC_SHUTDOWN without flushing the log drops all writes that were not synced. The program is
// ready when it prints a line, and waits for the end of its input.
const shutDownFileSystem = `
import fcntl, os, struct, sys
disk = os.open(sys.argv[1], os.O_RDONLY)
print('ready', flush=True)
sys.stdin.read()
fcntl.ioctl(disk, 0x8004587D, struct.pack('I', 2))`;

/** Mounts an ext4 file system whose power can be cut. Throws `NotSupported`. */
export function createDisk() {
  const folder = createFolder('tracker-app-power-');
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
    throw new NotSupported(
      `needs root, loop devices, mkfs.ext4 and python3 (${String(error).trim()})`,
    );
  }
  return {
    mountPoint,
    /**
     * Does not block this process, so that writes go on during the cut. Calls `beforeCut` directly
     * before it: from then on, a sync may succeed without effect, because ext4 reports no error.
     */
    async cutPower(beforeCut = () => {}) {
      const cutting = promisify(execFile)('python3', ['-c', shutDownFileSystem, mountPoint]);
      cutting.child.stdout?.once('data', () => {
        beforeCut();
        cutting.child.stdin?.end();
      });
      await cutting;
    },
    async remount() {
      await unmount(mountPoint);
      mount();
    },
    async [Symbol.asyncDispose]() {
      await unmount(mountPoint);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Mounts a file system that can be filled. Throws `NotSupported`. */
export function createSmallDisk(megabytes: number) {
  const mountPoint = createFolder('tracker-app-full-');
  const ballast = join(mountPoint, 'ballast');
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', mountPoint);
  } catch (error) {
    rmSync(mountPoint, { recursive: true });
    throw new NotSupported(`needs root and tmpfs (${String(error).trim()})`);
  }
  return {
    mountPoint,
    /** Writes until no byte is left. */
    fill() {
      for (const size of [1024 * 1024, 4096]) {
        try {
          for (;;) writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' });
        } catch {
          // No space is left for a block of this size.
        }
      }
    },
    makeRoom: () => rmSync(ballast),
    async [Symbol.asyncDispose]() {
      await unmount(mountPoint);
      rmSync(mountPoint, { recursive: true });
    },
  };
}

function run(command: string, ...args: string[]) {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Retries, because the kernel closes the files of a killed process some time after its end. */
async function unmount(mountPoint: string) {
  for (let retries = 0; ; retries += 1) {
    try {
      return run('umount', mountPoint);
    } catch (error) {
      if (retries === 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
