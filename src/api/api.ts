import createClient from 'openapi-fetch';
import type { paths } from '../../generated/api.d.ts';
import { decodeProject, decodeProjects, decodeUser } from './decode.ts';
import { createIdempotencyKeys } from './idempotency-keys.ts';
import { readText, resolveNetworkErrors, textChunks, toOutcome } from './outcome.ts';
import type { Credentials, NewProject, Outcome, Project, User } from '../../machines/types.ts';
import { xsrfMiddleware } from './xsrf.ts';

/** The operations of the contract. The signal of each aborts its request. */
export type Api = {
  login: (credentials: Credentials, signal: AbortSignal) => Promise<Outcome<void>>;
  registerUser: (credentials: Credentials, signal: AbortSignal) => Promise<Outcome<User>>;
  /** Calls `onRows` with the projects received so far, while the response streams. */
  listProjects: (
    signal: AbortSignal,
    onRows?: (rows: Project[]) => void,
  ) => Promise<Outcome<Project[]>>;
  /** Repeats the Idempotency-Key of a title and description until an answer decides. */
  createProject: (project: NewProject, signal: AbortSignal) => Promise<Outcome<Project>>;
};

export type ApiOptions = {
  /** The app's own origin, for example `https://example.org`. */
  origin: string;
  /** Base URL of the API. Defaults to `origin`. */
  baseUrl?: string;
  fetch: (request: Request) => Promise<Response>;
  /** Returns the readable cookies in the format of `document.cookie`. */
  cookies: () => string;
};

/** Creates the typed client of `openapi.yaml`: JSON, credentials, XSRF header, no timeout. */
export function createApi({ origin, baseUrl = origin, fetch, cookies }: ApiOptions): Api {
  const client = createClient<paths>({
    baseUrl,
    credentials: 'include',
    headers: { Accept: 'application/json' },
    fetch: resolveNetworkErrors(fetch),
  });
  client.use(xsrfMiddleware(origin, cookies));
  const idempotencyKeys = createIdempotencyKeys();

  return {
    login: async (body, signal) => {
      const call = client.POST('/api/v1/auth/login', { body, signal, parseAs });
      const outcome = await toOutcome(call, ignoreBody);
      if (outcome.ok && !signal.aborted) idempotencyKeys.storeSignIn(body.email);
      return outcome;
    },

    registerUser: (body, signal) =>
      toOutcome(
        client.POST('/api/v1/users/register', { body, signal, parseAs }),
        async (response) => decodeUser(await readText(response)),
      ),

    // `no-store`: Chromium queues a second GET of a cacheable URL until the first one ends.
    listProjects: (signal, onRows = () => {}) =>
      toOutcome(
        client.GET('/api/v1/projects', { signal, cache: 'no-store', parseAs }),
        (response) => decodeProjects(textChunks(response), onRows),
      ),

    createProject: async (body, signal) => {
      const key = idempotencyKeys.keyOf(body);
      const params = { header: { 'Idempotency-Key': key } };
      const call = client.POST('/api/v1/projects', { body, signal, parseAs, params });
      const outcome = await toOutcome(call, async (response) =>
        decodeProject(await readText(response)),
      );
      idempotencyKeys.storeAnswer(body, key, outcome.ok, (await call).response.status);
      return outcome;
    },
  };
}

/** Bodies are read here, because `toOutcome` tells a lost connection from a malformed body. */
const parseAs = 'stream';

/** Reads the body to its end, so that a lost connection is noticed. */
async function ignoreBody(response: Response): Promise<void> {
  await readText(response);
}
