import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Person } from './person.ts';
import { NotPossible } from './power.ts';
import { start, type Figures, type Settings } from './scenarios.ts';

/** Fills the disk under a server, makes room again, and restarts it in between. SQLite only; throws `NotPossible`. */
export async function fullDisk(settings: Settings, rounds: number): Promise<Figures> {
  const disk = mkdtempSync(join(tmpdir(), 'tracker-app-full-'));
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    run('mount', '-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk);
  } catch (error) {
    rmSync(disk, { recursive: true });
    throw new NotPossible(`it takes root and tmpfs (${String(error).trim()})`);
  }
  const data = join(disk, 'data');
  const ballast = join(disk, 'ballast');
  mkdirSync(data);
  const own = { ...settings, DATA_DIR: data };
  let running = await start(own);
  try {
    const person = await new Person().settle(running.address);
    const kept: string[] = [];
    const refused = new Map<string, number>();
    let failedReads = 0;
    let notHealed = 0;
    for (let round = 0; round < rounds; round += 1) {
      fill(ballast);
      for (let refusals = 0; refusals < 20;) {
        const key = randomUUID();
        const { status, body } = await person.create(running.address, key);
        if (status === 201) kept.push(key);
        else refusals += 1;
        if (status === 201) continue;
        const answer = `${status} ${(body as { message?: string } | undefined)?.message}`;
        refused.set(answer, (refused.get(answer) ?? 0) + 1);
      }
      const titles = await person.titles(running.address);
      if (kept.some((key) => !titles.includes(key))) failedReads += 1;
      // A full disk must not keep it from starting with what is there, once there is a little room.
      rmSync(ballast);
      if (round % 2 === 1) {
        await running.kill();
        running = await start(own);
      }
      const key = randomUUID();
      const { status } = await person.create(running.address, key);
      if (status === 201) kept.push(key);
      else notHealed += 1;
    }
    const titles = await person.titles(running.address);
    return {
      'times full': rounds,
      acknowledged: kept.length,
      lost: kept.filter((key) => !titles.includes(key)).length,
      refused: [...refused].map(([answer, count]) => `${count} x ${answer}`).join(', '),
      'failed: refused otherwise than by 503': [...refused.keys()].filter(
        (answer) => !/^503 ./.test(answer) || answer.endsWith('undefined'),
      ).length,
      'failed reads while full': failedReads,
      'failed creates with room again': notHealed,
    };
  } finally {
    await running.kill();
    run('umount', disk);
    rmSync(disk, { recursive: true });
  }
}

/** Writes until not a byte more fits. */
function fill(file: string) {
  for (const size of [1024 * 1024, 4096]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' });
    } catch {
      // That is what full means.
    }
  }
}
