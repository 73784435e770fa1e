import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { inject, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import type { Database } from '../../server/store/database.ts';
import { openPostgres } from '../../server/store/postgres.ts';
import { openSqlite } from '../../server/store/sqlite.ts';
import type { Reply } from '../support/cookie-client.ts';
import { startReferenceServer, type ReferenceServerOptions } from '../support/reference-server.ts';

export type StoreName = 'SQLite' | 'PostgreSQL';
export const storeNames: StoreName[] = ['SQLite', 'PostgreSQL'];

export const contractText = readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8');

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tracker-app-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder that stands for the built app. */
export function builtApp(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  return folder;
}

/** The address of an empty PostgreSQL database that is gone after the test. */
export async function freshPostgres(): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  // Copying files is what tests of a moment want: the log, by which it is otherwise done, takes seven times as long.
  await inPostgres(`create database ${name} strategy file_copy`);
  onTestFinished(() => inPostgres(`drop database ${name} with (force)`));
  const url = new URL(inject('postgresUrl'));
  url.pathname = name;
  return url.href;
}

async function inPostgres(sql: string) {
  const client = new Client(inject('postgresUrl'));
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** Where a test keeps data. Opened twice, it is two processes' view of the same data. */
export async function freshDatabase(name: StoreName): Promise<() => Database> {
  if (name === 'SQLite') {
    const folder = temporaryFolder();
    return () => openSqlite(folder);
  }
  const url = await freshPostgres();
  return () => openPostgres(url);
}

/** Starts the reference server until the test finishes. Returns its origin. */
export async function startServer(options?: ReferenceServerOptions): Promise<string> {
  const { origin, stop } = await startReferenceServer(options);
  onTestFinished(stop);
  return origin;
}

export interface Example {
  status: number;
  body: { message?: string };
}

/** The named examples of the contract's answers. */
export const examples: ReadonlyMap<string, Example> = readExamples();

/** The refusal that the contract states as its example with this name. */
export function refusal(name: string): Pick<Reply, 'status' | 'body'> {
  const example = examples.get(name);
  if (!example?.body.message) throw new Error(`openapi.yaml has no refusal named ${name}.`);
  return example;
}

function readExamples() {
  type Content = { 'application/json': { examples: Record<string, { value: Example['body'] }> } };
  type Response = { $ref?: string; content?: Content };
  const { paths, components } = parse(contractText) as {
    paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
    components: { responses: Record<string, Response> };
  };
  const result = new Map<string, Example>();
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const [status, { $ref, content }] of Object.entries(operation.responses)) {
      const shared = components.responses[$ref?.split('/').at(-1) ?? ''];
      const named = (shared?.content ?? content)?.['application/json'].examples ?? {};
      for (const [name, { value }] of Object.entries(named)) {
        result.set(name, { status: Number(status), body: value });
      }
    }
  }
  return result;
}
