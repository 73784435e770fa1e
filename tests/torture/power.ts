import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createUntil, Person, type Promised } from './person.ts';
import { compare, start, type Figures, type Settings } from './scenarios.ts';

// What the kernel has not been told to sync is dropped, as when the power fails: EXT4_IOC_SHUTDOWN without flushing the log.
const cut = `
import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack('I', 2))`;

/** This machine does not allow what a scenario needs. */
export class NotPossible extends Error {}

/** A file system whose power can be cut. Throws `NotPossible`. */
function createDisk() {
  const folder = mkdtempSync(join(tmpdir(), 'tracker-app-power-'));
  const [image, mountPoint] = [join(folder, 'image'), join(folder, 'disk')];
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  mkdirSync(mountPoint);
  writeFileSync(image, '');
  truncateSync(image, 256 * 1024 * 1024);
  const mount = () => run('mount', '-o', 'loop', image, mountPoint);
  try {
    run('mkfs.ext4', '-q', image);
    mount();
    run('python3', '--version');
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw new NotPossible(
      `it takes root, loop devices, mkfs.ext4 and python3 (${String(error).trim()})`,
    );
  }
  return {
    mountPoint,
    cutPower: () => run('python3', '-c', cut, mountPoint),
    comeBack() {
      run('umount', mountPoint);
      mount();
    },
    remove() {
      run('umount', mountPoint);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Cuts the power of the disk under a server in the middle of creates, `rounds` times. SQLite only. */
export async function powerLoss(
  settings: Settings,
  rounds: number,
  creates: number,
): Promise<Figures> {
  const disk = createDisk();
  try {
    const own = { ...settings, DATA_DIR: join(disk.mountPoint, 'data') };
    const all: Promised = { kept: [], unanswered: [] };
    let running = await start(own);
    try {
      const person = await new Person().settle(running.address);
      for (let round = 0; round < rounds; round += 1) {
        const stop = new AbortController();
        const { address } = running;
        const { kept, unanswered } = await createUntil(stop.signal, person, [address], 8, (n) => {
          if (n < creates || stop.signal.aborted) return;
          disk.cutPower();
          stop.abort();
        });
        all.kept.push(...kept);
        all.unanswered.push(...unanswered);
        await running.kill();
        disk.comeBack();
        running = await start(own);
      }
      const figures = await compare(person, running.address, all);
      await running.kill();
      return { 'power cuts': rounds, ...figures, ...(await withoutSync(disk)) };
    } finally {
      await running.kill();
    }
  } finally {
    disk.remove();
  }
}

/** The proof that the cut is one: a writer that does not sync must lose rows by it. */
async function withoutSync(disk: ReturnType<typeof createDisk>): Promise<Figures> {
  const file = join(disk.mountPoint, 'control.sqlite');
  const writer = spawn(process.execPath, [
    '--input-type=module',
    '--eval',
    `import { DatabaseSync } from 'node:sqlite';
     const db = new DatabaseSync(${JSON.stringify(file)});
     db.exec('pragma journal_mode = wal; pragma synchronous = off; create table t (n integer)');
     for (let n = 1; n <= 500; n += 1) db.exec('insert into t values (' + n + ')');
     console.log('written');
     setInterval(() => {}, 1000);`,
  ]);
  await once(writer.stdout, 'data');
  disk.cutPower();
  writer.kill('SIGKILL');
  await once(writer, 'close');
  disk.comeBack();
  let found = 0;
  const database = new DatabaseSync(file);
  try {
    found = Number(database.prepare('select count(*) as n from t').get()?.['n']);
  } catch {
    // Not even the table is there.
  } finally {
    database.close();
  }
  return { 'control without sync: written': 500, 'control: gone': 500 - found };
}
