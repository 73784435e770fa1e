import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../tools/free-port.ts';
import { createPostgres } from './killable-postgres.ts';
import { start, type Settings } from './scenarios.ts';

/** A server, and what keeps its data on a disk that a scenario takes away. */
export interface Site {
  address(): string;
  /** Kills whoever writes on the disk: the server itself, or PostgreSQL below a server that goes on. */
  die(): Promise<void>;
  /** Starts it again; resolves when the server is ready. */
  rise(): Promise<void>;
  stop(): Promise<void>;
}

export type SiteMaker = (folder: string, settings: Settings) => Promise<Site>;

export const onSqlite: SiteMaker = async (folder, settings) => {
  const data = join(folder, 'data');
  mkdirSync(data);
  const own = { ...settings, DATA_DIR: data };
  let running = await start(own);
  const die = async () => void (await running.kill());
  return {
    address: () => running.address,
    die,
    async rise() {
      running = await start(own);
    },
    stop: die,
  };
};

export const onPostgres: SiteMaker = async (folder, settings) =>
  postgresSite(join(folder, 'postgres'), settings);

/** As its documentation advises: where the data fills the disk, the log (WAL) still has room. */
export const onPostgresWithWalElsewhere: SiteMaker = async (folder, settings) => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'tracker-app-wal-'));
  chmodSync(elsewhere, 0o755);
  const site = await postgresSite(join(folder, 'postgres'), settings, join(elsewhere, 'wal'));
  return {
    ...site,
    async stop() {
      await site.stop();
      rmSync(elsewhere, { recursive: true });
    },
  };
};

async function postgresSite(folder: string, settings: Settings, wal?: string): Promise<Site> {
  const postgres = createPostgres(folder, await findFreePort(), wal);
  try {
    await postgres.start();
    const { address, kill } = await start({ ...settings, DATABASE_URL: postgres.url });
    return {
      address: () => address,
      die: () => postgres.kill(),
      async rise() {
        await postgres.start();
        while (!(await fetch(`${address}/readyz`)).ok);
      },
      async stop() {
        await kill();
        await postgres.kill();
        postgres.remove();
      },
    };
  } catch (error) {
    await postgres.kill();
    postgres.remove();
    throw error;
  }
}
