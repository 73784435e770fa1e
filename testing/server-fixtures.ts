import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { beforeAll, expect, inject, onTestFinished } from 'vitest';
import { StoreUnavailable, type Database } from '../server/store/database.ts';
import { openPostgres } from '../server/store/postgres.ts';
import { examples } from './contract.ts';
import { CookieClient, type Reply } from './cookie-client.ts';
import { openDatabase } from './database.ts';
import { longWaitMs } from './time-limits.ts';
import { startReferenceServer, type ReferenceServerOptions } from './reference-server.ts';
import { runServer, type Environment } from './server-process.ts';
import { runSql } from './sql.ts';
import { temporaryFolder } from './temporary-folder.ts';

export type StoreName = 'SQLite' | 'PostgreSQL';
/** Those of the project of Vitest, because `npm run test:unit` starts no PostgreSQL. */
export const storeNames = inject('stores');

/** What to do after the tests of the `useServer` that is starting. */
let afterServer: (() => unknown)[] | undefined;

/** Runs `cleanUp` after the test, or after all tests of a `useServer`. */
function atEnd(cleanUp: () => unknown) {
  if (afterServer) afterServer.push(cleanUp);
  else onTestFinished(async () => void (await cleanUp()));
}

/** Creates a folder that replaces the built app. */
export function fakeDist(): string {
  const folder = temporaryFolder(atEnd);
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  return folder;
}

/** Creates an empty PostgreSQL database with `options` until the test ends. Returns its URL. */
export async function createPostgresDatabase(options = ''): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  // The default strategy, through the write-ahead log, takes seven times as long.
  await runInPostgres(`create database ${name} strategy file_copy ${options}`);
  atEnd(() => runInPostgres(`drop database ${name} with (force)`));
  const url = new URL(inject('postgresUrl'));
  url.pathname = name;
  return url.href;
}

const runInPostgres = (sql: string) => runSql(inject('postgresUrl'), sql);

/** Changes a PostgreSQL database, and ends its connections: the change applies to new ones. */
export async function alterPostgresDatabase(url: string, change: string) {
  const name = new URL(url).pathname.slice(1);
  await runInPostgres(`alter database ${name} ${change}`);
  await runInPostgres(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  );
}

/**
 * Returns the settings of a server with empty data. On PostgreSQL it is a schema, because a
 * database takes ten times the processor time.
 */
export async function emptyStore(name: StoreName): Promise<Environment> {
  if (name === 'SQLite') return { DATA_DIR: temporaryFolder(atEnd) };
  const schema = `test_${randomUUID().replaceAll('-', '')}`;
  await runInPostgres(`create schema ${schema}`);
  atEnd(() => runInPostgres(`drop schema ${schema} cascade`));
  const url = new URL(inject('postgresUrl'));
  url.searchParams.set('options', `-csearch_path=${schema}`);
  return { DATABASE_URL: url.href };
}

/** Returns a function that opens one empty database, as often as a test needs it. */
export async function freshDatabase(name: StoreName): Promise<() => Database> {
  const settings = await emptyStore(name);
  return () => openDatabase(settings);
}

/** Begins a transaction of another process, which holds its locks until `commit` or `rollback`. */
export async function beginTransaction({ DATABASE_URL, DATA_DIR = '' }: Environment) {
  if (!DATABASE_URL) {
    const connection = new DatabaseSync(join(DATA_DIR, 'tracker.sqlite'));
    onTestFinished(() => connection.close());
    connection.exec('begin immediate');
    // A statement has met the lock when it was sent.
    return { run: async (sql: string) => connection.exec(sql), untilAwaited: async () => {} };
  }
  const client = new Client(DATABASE_URL);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('begin');
  return {
    run: async (sql: string) => void (await client.query(sql)),
    async untilAwaited() {
      for (;;) {
        // Otherwise a transaction sees only the connections of its first look.
        await client.query('select pg_stat_clear_snapshot()');
        const { rowCount } = await client.query(
          'select from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))',
        );
        if (rowCount) return;
      }
    },
  };
}

/** Half of it is the time in which a connection has to open, which a busy machine needs. */
export const impatient = { timeoutMs: 8_000 };

/** Opens a PostgreSQL database until the test ends. */
export function openForTest(
  url: string,
  options: Parameters<typeof openPostgres>[1] = { timeoutMs: longWaitMs },
) {
  const database = openPostgres(url, options);
  onTestFinished(() => database.close());
  return database;
}

/** Returns the causes of failed calls of a database. */
export const causes = (results: PromiseSettledResult<unknown>[]) =>
  results.map((result) => {
    const error = 'reason' in result && result.reason;
    expect(error).toBeInstanceOf(StoreUnavailable);
    return String((error as Error).cause);
  });

/** Starts the reference server in this process until the test ends. Returns its origin. */
export async function startServer(options?: ReferenceServerOptions): Promise<string> {
  const { origin, stop } = await startReferenceServer(options);
  onTestFinished(stop);
  return origin;
}

/** Starts one reference server for all tests around. Returns a function that returns its origin. */
export function useReferenceServer(
  createOptions: () => Promise<ReferenceServerOptions> = async () => ({}),
) {
  let origin = '';
  beforeAll(async () => {
    const cleanups = (afterServer = [] as typeof afterServer & {});
    const server = await createOptions()
      .then(startReferenceServer)
      .finally(() => (afterServer = undefined));
    ({ origin } = server);
    return async () => {
      await server.stop();
      for (const cleanUp of cleanups) await cleanUp();
    };
  });
  return () => origin;
}

/** Runs the server as a process until the test ends. */
export function runProcess(settings: Environment, options?: Parameters<typeof runServer>[1]) {
  const running = runServer({ DIST_DIR: fakeDist(), ...settings }, options);
  onTestFinished(async () => {
    await running.kill();
  });
  return running;
}

/** Runs the server as a process and waits until it is ready. */
export async function startProcess(
  settings: Environment,
  options?: Parameters<typeof runServer>[1],
) {
  const running = runProcess(settings, options);
  return { ...running, address: await running.ready() };
}

/** Returns a client with the same account and a copy of the cookies. */
export function copyClient(client: CookieClient, address = client.address): CookieClient {
  return new CookieClient(address, client.credentials, new Map(client.cookies));
}

/** Returns a function to be polled, because the server checks its store once a second. */
export const readiness = (client: CookieClient) => async () =>
  (await client.call('GET', '/readyz')).status;

/** The error responses that the contract names. */
export const refusalExamples = examples.filter(({ body }) => body.message);

/** Returns status and body of the refusal with this name, of any operation of the contract. */
export function refusal(name: string): Pick<Reply, 'status' | 'body'> {
  const named = refusalExamples.filter((candidate) => candidate.name === name);
  if (named.length === 0) throw new Error(`openapi.yaml has no refusal named ${name}.`);
  const messages = [...new Set(named.map(({ body }) => body.message))];
  const message = messages.length === 1 ? messages[0] : expect.toBeOneOf(messages);
  return { status: named[0]!.status, body: { message } };
}
