import type { TestProject } from 'vitest/node';
import { startPostgres } from '../support/postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string;
  }
}

/** Starts one PostgreSQL for all server tests. */
export default async function setup(project: TestProject) {
  const { url, stop } = await startPostgres();
  project.provide('postgresUrl', url);
  return stop;
}
