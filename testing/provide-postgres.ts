import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string;
    stores: ('SQLite' | 'PostgreSQL')[];
  }
}

/** Starts one PostgreSQL for all projects that need it. */
export default async function setup(project: TestProject) {
  const { url, stop } = await startPostgres();
  // For the next project.
  process.env['TEST_DATABASE_URL'] = url;
  project.provide('postgresUrl', url);
  return stop;
}
