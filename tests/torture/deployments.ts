import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../tools/free-port.ts';
import { startServerProcess, type Settings } from '../support/server-process.ts';
import { createPostgres } from './killable-postgres.ts';

/** A server with a store that can crash. */
export interface Deployment {
  address: () => string;
  /** Kills the process that writes the store: the server for SQLite, otherwise PostgreSQL. */
  crash: () => Promise<void>;
  /** Starts the killed process. Resolves when the server is ready. */
  recover: () => Promise<void>;
  stop: () => Promise<void>;
}

export type Deploy = (folder: string, settings: Settings) => Promise<Deployment>;

/** Deploys a server that crashes itself. */
export async function deployServer(settings: Settings): Promise<Deployment> {
  let running = await startServerProcess(settings);
  const crash = async () => void (await running.kill());
  return {
    address: () => running.address,
    crash,
    async recover() {
      running = await startServerProcess(settings);
    },
    stop: crash,
  };
}

export const deployOnSqlite: Deploy = async (folder, settings) => {
  const dataFolder = join(folder, 'data');
  mkdirSync(dataFolder);
  return deployServer({ ...settings, DATA_DIR: dataFolder });
};

export const deployOnPostgres: Deploy = async (folder, settings) =>
  deployPostgres(join(folder, 'postgres'), settings);

/** Keeps the WAL on another disk, as PostgreSQL's documentation advises for disks that fill up. */
export const deployOnPostgresWithSeparateWal: Deploy = async (folder, settings) => {
  const walParent = mkdtempSync(join(tmpdir(), 'tracker-app-wal-'));
  chmodSync(walParent, 0o755);
  const deployment = await deployPostgres(
    join(folder, 'postgres'),
    settings,
    join(walParent, 'wal'),
  );
  return {
    ...deployment,
    async stop() {
      await deployment.stop();
      rmSync(walParent, { recursive: true });
    },
  };
};

async function deployPostgres(
  folder: string,
  settings: Settings,
  walFolder?: string,
): Promise<Deployment> {
  const postgres = createPostgres(folder, await findFreePort(), walFolder);
  const remove = async () => {
    await postgres.kill();
    postgres.remove();
  };
  try {
    await postgres.start();
    const { address, kill } = await startServerProcess({
      ...settings,
      DATABASE_URL: postgres.url,
    });
    return {
      address: () => address,
      crash: () => postgres.kill(),
      async recover() {
        await postgres.start();
        while (!(await fetch(`${address}/readyz`)).ok);
      },
      async stop() {
        await kill();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
