/** The calls that the benchmark measures, and the load of each. */
import { paths } from '../../testing/contract.ts';
import { signedInClient } from '../../testing/cookie-client.ts';
import { insertProjects } from '../../testing/database.ts';
import { newProject } from '../../testing/projects.ts';
import type { Environment } from '../../testing/server-process.ts';
import type { Load } from './load.ts';

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
    load: async (server) => ({ method: 'GET', headers: await createAccount(server, 100) }),
  },
  {
    name: 'listProjects, 10,000 projects',
    path: paths.listProjects,
    load: async (server) => ({ method: 'GET', headers: await createAccount(server, 10_000) }),
  },
  {
    name: 'createProject',
    path: paths.listProjects,
    async load({ address }) {
      const client = await signedInClient(address);
      const body = JSON.stringify(newProject());
      return { method: 'POST', headers: { ...client.cookieHeaders(), ...json }, body };
    },
  },
  {
    name: 'login',
    path: paths.login,
    async load({ address }) {
      const { email } = (await signedInClient(address)).credentials;
      return { method: 'POST', headers: json, body: credentials(email) };
    },
  },
];

/** Creates a signed-in account with projects. Returns its request headers. */
async function createAccount({ address, settings }: Server, projects: number) {
  const client = await signedInClient(address);
  await insertProjects(settings, client.credentials.email, projects);
  return client.cookieHeaders();
}
