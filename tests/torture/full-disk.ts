import { randomUUID } from 'node:crypto';
import { createSmallDisk } from './disk.ts';
import { Person } from './client.ts';
import type { Figures, Settings } from './scenarios.ts';
import { onPostgres, onPostgresWithWalElsewhere, onSqlite } from './deployments.ts';

const stores = {
  SQLite: { make: onSqlite, megabytes: 16, goesOn: true },
  PostgreSQL: { make: onPostgresWithWalElsewhere, megabytes: 96, goesOn: true },
  // It then stops by itself, and has to be started when there is room.
  'PostgreSQL with its WAL there too': { make: onPostgres, megabytes: 128, goesOn: false },
};

/** Fills the disk under a store, makes room again, and restarts it in between. Throws `NotPossible`. */
export async function fullDisk(
  store: keyof typeof stores,
  settings: Settings,
  rounds: number,
): Promise<Figures> {
  const { make, megabytes, goesOn } = stores[store];
  const disk = createSmallDisk(megabytes);
  try {
    const site = await make(disk.mountPoint, settings);
    try {
      const person = await new Person().settle(site.address());
      const kept: string[] = [];
      const refused = new Map<string, number>();
      let failedReads = 0;
      let notHealed = 0;
      for (let round = 0; round < rounds; round += 1) {
        disk.fill();
        for (let refusals = 0; refusals < 20;) {
          const key = randomUUID();
          const { status, body } = await person.create(site.address(), key);
          if (status === 201) kept.push(key);
          else refusals += 1;
          if (status === 201) continue;
          const answer = `${status} ${(body as { message?: string } | undefined)?.message}`;
          refused.set(answer, (refused.get(answer) ?? 0) + 1);
        }
        if (goesOn) {
          const titles = await person.titles(site.address());
          if (kept.some((key) => !titles.includes(key))) failedReads += 1;
        }
        disk.makeRoom();
        // A full disk must not keep it from starting with what is there, once there is a little room.
        if (!goesOn || round % 2 === 1) {
          await site.die();
          await site.rise();
        }
        const key = randomUUID();
        const { status } = await person.create(site.address(), key);
        if (status === 201) kept.push(key);
        else notHealed += 1;
      }
      const titles = await person.titles(site.address());
      return {
        'times full': rounds,
        acknowledged: kept.length,
        lost: kept.filter((key) => !titles.includes(key)).length,
        refused: [...refused].map(([answer, count]) => `${count} x ${answer}`).join(', '),
        'failed: refused otherwise than by 503': [...refused.keys()].filter(
          (answer) => !/^503 ./.test(answer) || answer.endsWith('undefined'),
        ).length,
        ...(goesOn && { 'failed reads while full': failedReads }),
        'failed creates with room again': notHealed,
      };
    } finally {
      await site.stop();
    }
  } finally {
    await disk.remove();
  }
}
