/** An in-process backend whose responses a test sends by hand. */
import { callNames, findCall, parseRequest, type Call } from './calls.ts';
import type { Driver } from './driver.ts';
import type { Observation } from './observation.ts';
import type { BackendResponse } from './results.ts';
import { within } from '../shared/waits.ts';

/** A request as a backend receives it. */
export type ReceivedRequest = {
  method: string;
  path: string;
  headers: Headers;
  credentials: RequestCredentials;
  cache: RequestCache;
  signal: AbortSignal;
  body: unknown;
  text: string;
};

/** A request that waits for its response. */
export type PendingRequest = ReceivedRequest & {
  answer: (status: number, body?: unknown, headers?: Record<string, string>) => void;
  answerText: (status: number, text: string, contentType?: string) => void;
  /** Fails like a lost network or an unknown host. */
  drop: () => void;
};

/**
 * Returns a backend whose `fetch` never answers by itself. `next('login')` waits for the next
 * request of that call, which the caller then answers, in any order.
 */
export function controlledBackend() {
  const requests: ReceivedRequest[] = [];
  const unclaimed: PendingRequest[] = [];
  const waiting: { call: Call; claim: (request: PendingRequest) => void }[] = [];

  async function fetch(request: Request): Promise<Response> {
    const text = await request.text();
    const received: ReceivedRequest = {
      method: request.method,
      path: new URL(request.url).pathname,
      headers: request.headers,
      credentials: request.credentials,
      cache: request.cache,
      signal: request.signal,
      body: text === '' ? undefined : JSON.parse(text),
      text,
    };
    requests.push(received);
    return new Promise((resolve, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason));
      const pending: PendingRequest = {
        ...received,
        answer: (status, body, headers) =>
          resolve(
            new Response(body === undefined ? null : JSON.stringify(body), {
              status,
              headers: { 'content-type': 'application/json', ...headers },
            }),
          ),
        answerText: (status, body, contentType = 'text/html') =>
          resolve(new Response(body, { status, headers: { 'content-type': contentType } })),
        drop: () => reject(new TypeError('fetch failed')),
      };
      const index = waiting.findIndex(({ call }) => call === callOf(received));
      if (index === -1) unclaimed.push(pending);
      else waiting.splice(index, 1)[0]?.claim(pending);
    });
  }

  return {
    fetch,
    requests,
    next(call: Call): Promise<PendingRequest> {
      const index = unclaimed.findIndex((request) => callOf(request) === call);
      const request = index === -1 ? undefined : unclaimed.splice(index, 1)[0];
      if (request) return Promise.resolve(request);
      return within(call, new Promise((claim) => waiting.push({ call, claim })));
    },
    /** Returns the number of such requests so far. */
    count: (call: Call) => requests.filter((request) => callOf(request) === call).length,
  };
}

const callOf = ({ method, path }: ReceivedRequest) => findCall(method, path)?.call;

/** Returns, per call: requests made, requests pending, and what the last one sent. */
export function countRequests<Each extends { call: Call; sent: unknown }>(
  requests: readonly Each[],
  pendingOf: (call: Call) => readonly Each[],
): Observation['calls'] {
  const counts = callNames.map((call) => {
    const ofCall = requests.filter((request) => request.call === call);
    return [
      call,
      { made: ofCall.length, pending: pendingOf(call).length, sent: ofCall.at(-1)?.sent },
    ];
  });
  return Object.fromEntries(counts) as Observation['calls'];
}

type HeldCall = {
  call: Call;
  sent: unknown;
  signal: AbortSignal;
  isAnswered: boolean;
  respond: (response: Response | Promise<never>) => void;
};

type BackendDriver = Pick<Driver, 'answer'> & {
  fetch: (request: Request) => Promise<Response>;
  calls: () => Observation['calls'];
};

/** Returns the backend half of a driver. `settle` waits until the app has processed a response. */
export function createBackendDriver(settle: () => Promise<void>): BackendDriver {
  const held: HeldCall[] = [];
  const isPending = ({ isAnswered, signal }: HeldCall) => !isAnswered && !signal.aborted;
  const pendingOf = (call: Call) => held.filter((item) => item.call === call && isPending(item));

  return {
    async fetch(request) {
      const text = await request.clone().text();
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      const { call, sent } = parseRequest(request.method, request.url, body);
      const { promise, resolve, reject } = Promise.withResolvers<Response>();
      const { signal } = request;
      signal.addEventListener('abort', () => reject(signal.reason));
      held.push({ call, sent, signal, isAnswered: false, respond: resolve });
      return promise;
    },
    async answer(call, response) {
      const [item] = pendingOf(call);
      if (!item) throw new Error(`No ${call} is waiting for a response.`);
      item.isAnswered = true;
      item.respond(toResponse(response));
      await settle();
    },
    calls: () => countRequests(held, pendingOf),
  };
}

function toResponse(response: BackendResponse): Response | Promise<never> {
  if (response === 'none') return Promise.reject(new TypeError('Failed to fetch'));
  if (response === 'fault') return unreadableResponse();
  const { status, body, text = JSON.stringify(body) } = response;
  const type = response.text === undefined ? 'application/json' : 'text/html';
  return new Response(text ?? null, { status, headers: { 'content-type': type } });
}

/** Returns a success whose body throws when it is read, like a fault in the app. */
function unreadableResponse(): Response {
  const response = new Response(null);
  const get = () => {
    throw new Error('a fault');
  };
  return Object.defineProperties(response, { text: { get }, body: { get } });
}
