/** An in-process backend whose responses a test sends by hand. */
import type { Call } from './calls.ts';
import { findCall, parseRequest } from './requests.ts';
import { createHeldCalls, type HeldCall } from './held-calls.ts';
import type { BackendResponse } from './results.ts';
import { within } from '../shared/waits.ts';

/** For an app in this process on a busy machine. */
const maxRequestMs = 20_000;

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

export type PendingRequest = ReceivedRequest & {
  answer: (status: number, body?: unknown, headers?: Record<string, string>) => void;
  answerText: (status: number, text: string, contentType?: string) => void;
  /** Fails like a lost network or an unknown host. */
  drop: () => void;
};

/**
 * Returns a backend whose `fetch` never answers by itself. `next('login')` waits for the next
 * request of that call, which the caller then answers, in any order. `answer` answers the request
 * of a call that is pending now.
 */
export function controlledBackend() {
  const requests: ReceivedRequest[] = [];
  const unclaimed: PendingRequest[] = [];
  const waiting: { call: Call; claim: (request: PendingRequest) => void }[] = [];
  const calls = createHeldCalls<Response>();

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
    const { call, sent } = parseRequest(request.method, request.url, received.body);
    const held = calls.hold(call, sent, request.signal);
    request.signal.addEventListener('abort', () => held.reject(request.signal.reason));
    const pending: PendingRequest = {
      ...received,
      answer: (status, body, headers) => respond(held, { status, body }, headers),
      answerText: (status, body, contentType) =>
        respond(held, { status, text: body }, contentType ? { 'content-type': contentType } : {}),
      drop: () => respond(held, 'none'),
    };
    const index = waiting.findIndex((waits) => waits.call === call);
    if (index === -1) unclaimed.push(pending);
    else waiting.splice(index, 1)[0]?.claim(pending);
    return held.result;
  }

  return {
    fetch,
    requests,
    next(call: Call): Promise<PendingRequest> {
      const index = unclaimed.findIndex((request) => callOf(request) === call);
      const request = index === -1 ? undefined : unclaimed.splice(index, 1)[0];
      if (request) return Promise.resolve(request);
      return within(call, new Promise((claim) => waiting.push({ call, claim })), maxRequestMs);
    },
    answer: (call: Call, response: BackendResponse) => respond(calls.pending(call), response),
    count: (call: Call) => calls.counts()[call].made,
    counts: () => calls.counts(),
  };
}

const callOf = ({ method, path }: ReceivedRequest) => findCall(method, path)?.call;

function respond(
  held: HeldCall<Response>,
  response: BackendResponse,
  headers?: Record<string, string>,
) {
  if (response === 'none') return held.reject(new TypeError('Failed to fetch'));
  if (response === 'fault') return held.resolve(unreadableResponse());
  const { status, body, text = JSON.stringify(body) } = response;
  const type = response.text === undefined ? 'application/json' : 'text/html';
  return held.resolve(
    new Response(text ?? null, { status, headers: { 'content-type': type, ...headers } }),
  );
}

/** Returns a success whose body throws when it is read, like a fault in the app. */
function unreadableResponse(): Response {
  const response = new Response(null);
  const get = () => {
    throw new Error('a fault');
  };
  return Object.defineProperties(response, { text: { get }, body: { get } });
}
