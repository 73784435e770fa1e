import createClient from 'openapi-fetch';
import type { paths } from '../../generated/api.d.ts';
import {
  operationTable,
  type OperationId,
  type OperationTypes,
} from '../../generated/operations.ts';
import { parameterNames } from '../../shared/path-templates.ts';
import type { Outcome, Project } from '../../machines/types.ts';
import { decodeProjects, decodeUser } from './decode.ts';
import { createIdempotencyKeys } from './idempotency-keys.ts';
import {
  readText,
  resolveNetworkErrors,
  textChunks,
  toOutcome,
  type FetchResult,
} from './outcome.ts';
import { xsrfMiddleware } from './xsrf.ts';

/** What a call sends: the parameters of its path and the fields of its body. */
export type Input<Id extends OperationId> = InputOf<OperationTypes[Id]>;
type InputOf<Types extends { params: unknown; body: unknown }> = unknown extends Types['params'] &
  Types['body']
  ? undefined
  : Types['params'] & Types['body'];

/** The body of a success. */
export type Output<Id extends OperationId> =
  OperationTypes[Id]['successes'][keyof OperationTypes[Id]['successes']];

type OnRows = (rows: Project[]) => void;

type SendCall<Id extends OperationId> = (
  input: Input<Id>,
  signal: AbortSignal,
  onRows?: OnRows,
) => Promise<Outcome<Output<Id>>>;

export type Api = {
  /**
   * Makes a call of the contract. The signal aborts its request. `onRows` is called with the
   * projects received so far, while the response of `listProjects` streams.
   */
  call: <Id extends OperationId>(
    id: Id,
    ...args: Parameters<SendCall<Id>>
  ) => ReturnType<SendCall<Id>>;
};

export type ApiOptions = {
  /** The app's own origin, for example `https://example.org`. */
  origin: string;
  /** Base URL of the API. Defaults to `origin`. */
  baseUrl?: string;
  fetch: (request: Request) => Promise<Response>;
  /** Returns the readable cookies in the format of `document.cookie`. */
  cookies: () => string;
  /** Returns the key of the user. Default: all calls are those of one user. */
  user?: () => string | undefined;
  /** Called when the user leaves the page before a sign-in or a registration was answered. */
  signInUnanswered?: (email: string) => void;
};

/** Browsers limit the bodies of all `keepalive` requests in flight to 64 KiB. */
const maxKeepaliveBytes = 60_000;

/** Creates the typed client of `openapi.yaml`: JSON, credentials, XSRF header, no timeout. */
// oxlint-disable-next-line max-lines-per-function -- what is special about each call stands in one place
export function createApi({
  origin,
  baseUrl = origin,
  fetch,
  cookies,
  user = () => undefined,
  signInUnanswered = () => {},
}: ApiOptions): Api {
  const client = createClient<paths>({
    baseUrl,
    credentials: 'include',
    headers: { Accept: 'application/json' },
    fetch: resolveNetworkErrors(fetch),
  });
  client.use(xsrfMiddleware(origin, cookies));
  const idempotencyKeys = createIdempotencyKeys(user);
  let hasAnswered = true;

  /** Sends a call. Its body is read later: `toOutcome` knows a lost connection from a malformed body. */
  function send<Id extends OperationId>(id: Id, input: Input<Id>, init: RequestInit) {
    const { method, path, hasBody } = operationTable[id];
    const { params, body } = splitInput(path, input);
    // openapi-fetch types a call by its literal path, which a generic call does not have.
    const request = client.request as (...args: unknown[]) => Promise<FetchResult>;
    const bodyText = hasBody ? JSON.stringify(body) : '';
    const byteLength = new TextEncoder().encode(bodyText).length;
    return request(method, path, {
      ...init,
      keepalive: init.keepalive === true && byteLength < maxKeepaliveBytes,
      // Beside the request, whose own body can only be read later.
      ...(hasBody && { body, bodyText, bodySerializer: () => bodyText }),
      // Chromium queues a second GET of a cacheable URL until the first one ends.
      ...(method === 'get' && { cache: 'no-store' }),
      params: { path: params },
      parseAs: 'stream',
    });
  }

  /**
   * Makes a call that is aborted when the user leaves the page: otherwise a sign-in could succeed
   * unseen. Its cookie may have arrived just before. Chromium fails it between the two events.
   */
  async function untilPageHide<Result>(
    { email }: { email: string },
    signal: AbortSignal,
    call: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const ended = new AbortController();
    const leaving = ['beforeunload', 'pagehide'];
    const end = ({ type }: Event) => {
      ended.abort();
      if (leaving.includes(type)) signInUnanswered(email);
    };
    signal.addEventListener('abort', end);
    // The kit runs this client without a page.
    for (const type of leaving) globalThis.addEventListener?.(type, end);
    try {
      return await call(ended.signal);
    } finally {
      for (const type of leaving) globalThis.removeEventListener?.(type, end);
    }
  }

  /** What is special about some calls. All others are sent, and have the body of the contract. */
  const specialCalls: { [Id in OperationId]?: SendCall<Id> } = {
    /** The status decides, because the cookie has come with it, and not the end of the body. */
    login: (credentials, signal) =>
      untilPageHide(credentials, signal, (ended) =>
        toOutcome(send('login', credentials, { signal: ended }), async (response) => {
          void readText(response).catch(() => {});
          return {};
        }),
      ),

    /** As a sign-in, because its cookie may begin a session. */
    registerUser: (credentials, signal) =>
      untilPageHide(credentials, signal, (ended) =>
        toOutcome(send('registerUser', credentials, { signal: ended }), (response) =>
          decodeUser(textChunks(response)),
        ),
      ),

    listProjects: (input, signal, onRows = () => {}) =>
      toOutcome(send('listProjects', input, { signal }), (response) =>
        decodeProjects(textChunks(response), onRows),
      ),

    /**
     * Repeats the Idempotency-Key of a project until an answer decides. The browser sends the
     * project even if the tab is closed at once. It refuses that while others have large bodies in
     * flight, so an attempt after one without an answer does without.
     */
    async createProject(project, signal) {
      const key = idempotencyKeys.keyOf(project);
      const request = send('createProject', project, {
        signal,
        keepalive: hasAnswered,
        headers: { 'Idempotency-Key': key },
      });
      const outcome = await toOutcome(request, (response) => readBody('createProject', response));
      const { status } = (await request).response;
      hasAnswered = status !== 0;
      idempotencyKeys.storeAnswer(project, key, outcome.ok, status);
      return outcome;
    },
  };

  return {
    call<Id extends OperationId>(id: Id, ...args: Parameters<SendCall<Id>>) {
      const special: SendCall<Id> | undefined = specialCalls[id];
      if (special) return special(...args);
      const [input, signal] = args;
      return toOutcome(send(id, input, { signal }), (response) => readBody(id, response));
    },
  };
}

/** Separates the parameters in a path from the fields of a body. */
function splitInput(path: string, input: unknown) {
  const params: Record<string, unknown> = {};
  const body: Record<string, unknown> = {};
  const names = parameterNames(path);
  for (const [name, value] of Object.entries(input ?? {})) {
    const part = names.includes(name) ? params : body;
    part[name] = value;
  }
  return { params, body };
}

/** Returns the body of a success. Throws if it has other types than the contract. */
async function readBody<Id extends OperationId>(id: Id, response: Response): Promise<Output<Id>> {
  const text = await readText(response);
  const row: { isBody: ((body: unknown) => boolean) | undefined } = operationTable[id];
  const body: unknown = row.isBody && JSON.parse(text);
  if (row.isBody?.(body) === false)
    throw new TypeError(`The response to ${id} breaks the contract.`);
  return body as Output<Id>;
}
