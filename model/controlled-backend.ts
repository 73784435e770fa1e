/** An in-process backend whose responses a test sends by hand. */
import { callNames, findCall, parseRequest, type Call } from './calls.ts';
import type { Driver, Observation } from './driver.ts';
import type { BackendResponse } from './outcomes.ts';
import { within } from './within.ts';

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

type CallInFlight = {
  call: Call;
  sent: unknown;
  pending: PendingRequest;
  signal: AbortSignal;
  isAnswered: boolean;
  respond: (response: Response) => void;
};

type BackendDriver = Pick<Driver, 'answer' | 'answerLate'> & {
  fetch: (request: Request) => Promise<Response>;
  calls: () => Observation['calls'];
};

/** Returns the backend half of a driver. `settle` waits until the app has processed a response. */
export function createBackendDriver(settle: () => Promise<void>): BackendDriver {
  const backend = controlledBackend();
  const calls: CallInFlight[] = [];

  const unanswered = (call: Call, aborted: boolean) =>
    calls.filter(
      (item) => item.call === call && !item.isAnswered && item.signal.aborted === aborted,
    );

  async function respond(item: CallInFlight | undefined, call: Call, response: BackendResponse) {
    if (!item) throw new Error(`No ${call} is waiting for a response.`);
    item.isAnswered = true;
    if (response === 'none') item.pending.drop();
    else if (response === 'fault') item.respond(unreadableResponse());
    else if (response.text !== undefined) item.pending.answerText(response.status, response.text);
    else item.pending.answer(response.status, response.body);
    await settle();
  }

  return {
    async fetch(request) {
      const { signal, method, url } = request;
      const { call } = parseRequest(method, url, undefined);
      // Without the signal, so that an aborted call can still be answered late.
      const response = backend.fetch(new Request(request, { signal: null }));
      const faulty = Promise.withResolvers<Response>();
      const pending = await backend.next(call);
      const { sent } = parseRequest(method, url, pending.body);
      calls.push({ call, sent, pending, signal, isAnswered: false, respond: faulty.resolve });
      return Promise.race([response, faulty.promise]);
    },
    async answer(call, response) {
      await respond(unanswered(call, false)[0], call, response);
      return response;
    },
    answerLate: (call, response) => respond(unanswered(call, true)[0], call, response),
    calls: () => countRequests(calls, (call) => unanswered(call, false)),
  };
}

/** Returns a success whose body throws when it is read, like a fault in the app. */
function unreadableResponse(): Response {
  const response = new Response(null);
  const get = () => {
    throw new Error('a fault');
  };
  return Object.defineProperties(response, { text: { get }, body: { get } });
}
