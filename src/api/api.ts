import createClient from 'openapi-fetch';
import type { paths } from '../../generated/api.d.ts';
import { readProject, readProjects, readUser } from './decode.ts';
import { resolveNetworkErrors, textChunks, toOutcome, readText } from './outcome.ts';
import type { Credentials, NewProject, Outcome, Project, User } from '../../machines/types.ts';
import { xsrf } from './xsrf.ts';

/** The four calls. Each takes a signal that gives the call up, and tells how it ended (see `Outcome`). */
export type Api = {
  login(credentials: Credentials, signal: AbortSignal): Promise<Outcome<void>>;
  registerUser(credentials: Credentials, signal: AbortSignal): Promise<Outcome<User>>;
  /** `onRows` is told of the projects that have arrived so far, while more of them arrive. */
  listProjects(
    signal: AbortSignal,
    onRows?: (rows: Project[]) => void,
  ): Promise<Outcome<Project[]>>;
  createProject(project: NewProject, signal: AbortSignal): Promise<Outcome<Project>>;
};

export type ApiOptions = {
  /** Where the app itself lives, `https://example.org`. The calls go there too, unless `baseUrl` says otherwise. */
  origin: string;
  baseUrl?: string;
  fetch: (request: Request) => Promise<Response>;
  /** The cookies that the app may read, in the form of `document.cookie`. */
  cookies: () => string;
};

/** The typed client of `openapi.yaml`: JSON, with cookies, with the anti-forgery header, without a time limit. */
export function createApi({ origin, baseUrl = origin, fetch, cookies }: ApiOptions): Api {
  const client = createClient<paths>({
    baseUrl,
    credentials: 'include',
    headers: { Accept: 'application/json' },
    fetch: resolveNetworkErrors(fetch),
  });
  client.use(xsrf(origin, cookies));

  return {
    login: (body, signal) =>
      toOutcome(
        client.POST('/api/v1/auth/login', { body, signal, parseAs: 'stream' }),
        async (response) => {
          await readText(response);
        },
      ),

    registerUser: (body, signal) =>
      toOutcome(
        client.POST('/api/v1/users/register', { body, signal, parseAs: 'stream' }),
        async (response) => readUser(await readText(response)),
      ),

    // A browser holds a second GET of one address back until the first ends, unless neither may be stored.
    listProjects: (signal, onRows = () => {}) =>
      toOutcome(
        client.GET('/api/v1/projects', { signal, cache: 'no-store', parseAs: 'stream' }),
        (response) => readProjects(textChunks(response), onRows),
      ),

    createProject: (body, signal) =>
      toOutcome(
        client.POST('/api/v1/projects', {
          body,
          signal,
          parseAs: 'stream',
          params: { header: { 'Idempotency-Key': newKey() } },
        }),
        async (response) => readProject(await readText(response)),
      ),
  };
}

/** 128 random bits as text. `crypto.randomUUID` is missing where a page is served without TLS. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
