/** The calls that the server benchmarks measure, and the load of each. */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { createSessions } from '../../server/auth/sessions.ts';
import { openStore } from '../../server/store/store.ts';
import { startProgram } from '../../tools/start-program.ts';
import { paths } from '../../testing/contract.ts';
import { signedInClient } from '../../testing/cookie-client.ts';
import { insertProjects, withDatabase } from '../../testing/database.ts';
import { newProject } from '../../testing/projects.ts';
import type { Environment } from '../../testing/server-process.ts';
import type { Load, LoadResult } from './load-generator.ts';

const uncachedAccounts = 3_000; // their lists together exceed the server's cache

/** A server to measure. */
export interface Server {
  address: string;
  settings: Environment;
  kill: () => Promise<unknown>;
}

/** A call to measure. `load` prepares a server for it and returns the requests. */
export interface Call {
  name: string;
  path: string;
  load: (server: Server) => Promise<Omit<Load, 'url' | 'connections' | 'seconds'>>;
}

const json = { 'content-type': 'application/json' };
const credentials = (email: string) => JSON.stringify({ email, password: 'correct horse' });

export const calls: Call[] = [
  {
    name: 'listProjects, 100 projects, cached',
    path: paths.listProjects,
    load: async (server) => ({ method: 'GET', headers: [await createAccount(server, 100)] }),
  },
  {
    name: 'listProjects, 100 projects, not cached',
    path: paths.listProjects,
    load: async (server) => ({ method: 'GET', headers: await createAccounts(server) }),
  },
  {
    name: 'listProjects, 10,000 projects, cached',
    path: paths.listProjects,
    load: async (server) => ({ method: 'GET', headers: [await createAccount(server, 10_000)] }),
  },
  {
    name: 'createProject',
    path: paths.listProjects,
    async load({ address }) {
      const client = await signedInClient(address);
      const body = JSON.stringify(newProject());
      return { method: 'POST', headers: [{ ...client.cookieHeaders(), ...json }], body };
    },
  },
  {
    name: 'login',
    path: paths.login,
    async load({ address }) {
      const { email } = (await signedInClient(address)).credentials;
      return { method: 'POST', headers: [json], body: credentials(email) };
    },
  },
];

/** Creates a signed-in account with projects. Returns its request headers. */
async function createAccount({ address, settings }: Server, projects: number) {
  const client = await signedInClient(address);
  await insertProjects(settings, client.credentials.email, projects);
  return client.cookieHeaders();
}

/** Creates signed-in accounts with 100 projects each. Returns their request headers. */
async function createAccounts({ settings }: Server): Promise<Record<string, string>[]> {
  const headers = await withDatabase(settings, async (database) => {
    const store = await openStore(database);
    const sessions = createSessions(store);
    const created = [];
    for (let i = 0; i < uncachedAccounts; i += 1) {
      const id = randomUUID();
      const email = `uncached-${i % 10}-${i}@example.org`;
      await store.createAccount({ id, email, passwordHash: '', role: 'member' });
      const token = await sessions.start(id);
      created.push({ cookie: `tracker-session=${token}` });
    }
    return created;
  });
  // A statement has a time limit.
  for (let digit = 0; digit < 10; digit += 1) {
    await insertProjects(settings, `uncached-${digit}-%`, 100);
  }
  return headers;
}

/** Sends a load from a separate process. Throws if a request fails. */
export async function runLoad(name: string, load: Load): Promise<LoadResult> {
  const { output } = await startScript('load-generator.ts', load).ended;
  const result = JSON.parse(output) as LoadResult;
  if (result.failed > 0) throw new Error(`${name}: ${result.failed} failed requests`);
  return result;
}

/** Starts a script of this folder with JSON on its standard input. */
export function startScript(script: string, input: unknown) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const program = startProgram([process.execPath, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  program.child.stdin?.end(JSON.stringify(input));
  return program;
}
