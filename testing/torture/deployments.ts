import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../../tools/free-port.ts';
import { startServerProcess, type Environment } from '../server-process.ts';
import { TortureClient } from './client.ts';
import { createFolder } from './create-folder.ts';
import { createPostgres } from './killable-postgres.ts';

/** A server with a store that can crash. Disposing of it stops both. */
export interface Deployment extends AsyncDisposable {
  address: () => string;
  /** Kills the process that writes the store: the server for SQLite, otherwise PostgreSQL. */
  crash: () => Promise<void>;
  /** Starts the killed process. Resolves when the server is ready. */
  recover: () => Promise<void>;
}

export type Deploy = (folder: string, settings: Environment) => Promise<Deployment>;

/** Deploys a server that crashes itself. */
export async function deployServer(settings: Environment): Promise<Deployment> {
  let running = await startServerProcess(settings);
  const crash = async () => void (await running.kill());
  return {
    address: () => running.address,
    crash,
    async recover() {
      running = await startServerProcess(settings);
    },
    [Symbol.asyncDispose]: crash,
  };
}

export const deployOnSqlite: Deploy = async (folder, settings) => {
  const dataFolder = join(folder, 'data');
  mkdirSync(dataFolder);
  return deployServer({ ...settings, DATA_DIR: dataFolder });
};

/**
 * Deploys a server with a PostgreSQL of its own. `separateWal` keeps the WAL on another disk, as
 * PostgreSQL's documentation advises for disks that fill up.
 */
export async function deployOnPostgres(
  folder: string,
  settings: Environment,
  { separateWal = false } = {},
): Promise<Deployment> {
  await using stack = new AsyncDisposableStack();
  const walParent = createFolder('tracker-app-wal-');
  stack.defer(() => rmSync(walParent, { recursive: true }));
  const options = separateWal ? { walFolder: join(walParent, 'wal') } : {};
  const postgres = stack.use(
    createPostgres(join(folder, 'postgres'), await findFreePort(), options),
  );
  await postgres.start();
  const server = stack.use(await startServerProcess({ ...settings, DATABASE_URL: postgres.url }));
  const { address } = server;
  const client = new TortureClient(address);
  const resources = stack.move();
  return {
    address: () => address,
    crash: () => postgres.kill(),
    async recover() {
      await postgres.start();
      const isReady = async () => (await client.call('GET', '/readyz')).status === 200;
      await server.waitFor('the server to be ready', isReady);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
