import type { Outcome } from '../../machines/types.ts';

/** What people read when a request failed and its answer does not say why. */
export const DEFAULT_MESSAGE = 'Internal Server Error';

/** An answer of openapi-fetch whose 2xx body is unread (`parseAs: 'stream'`). */
type Answer = { response: Response; error?: unknown };

/** The connection ended before the answer did. */
class ConnectionLost extends Error {}

/**
 * The one place that knows a failed request from a bug.
 *
 * Gives the outcome of a call: `value` as `read` understands the 2xx answer, or the message of a failed request: the body's
 * `message` where it is a text with something in it, else "Internal Server Error".
 * Throws what `read` throws: a 2xx answer with a body that nobody promised is not a failed request.
 */
export async function toOutcome<Value>(
  call: Promise<Answer>,
  read: (response: Response) => Promise<Value>,
): Promise<Outcome<Value>> {
  const { response, error } = await call;
  if (!response.ok) return { ok: false, message: messageOf(error) };
  try {
    return { ok: true, value: await read(response) };
  } catch (reason) {
    if (reason instanceof ConnectionLost) return { ok: false, message: DEFAULT_MESSAGE };
    throw reason;
  }
}

/** The text of an answer, when all of it is there. */
export async function readText(response: Response): Promise<string> {
  const text = response.text();
  return text.catch(connectionLost);
}

/** The text of an answer, piece by piece as it arrives. */
export async function* textChunks(response: Response): AsyncGenerator<string, void> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done = true, value } = (await reader?.read().catch(connectionLost)) ?? {};
      yield decoder.decode(value, { stream: !done });
      if (done) return;
    }
  } finally {
    // Whoever reads no further wants no more of it.
    void reader?.cancel().catch(() => {});
  }
}

function connectionLost(cause: unknown): never {
  throw new ConnectionLost('The connection broke off.', { cause });
}

/**
 * `fetch` for which no failure is an exception: where no whole answer came (offline, DNS, a connection that broke), it gives
 * `Response.error()`, which is an answer that is not ok.
 */
export function resolveNetworkErrors(fetch: (request: Request) => Promise<Response>) {
  return async (request: Request): Promise<Response> => {
    try {
      const response = await fetch(request);
      if (response.ok) return response;
      return new Response((await response.text()) || null, response);
    } catch {
      return Response.error();
    }
  };
}

function messageOf(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('message' in body)) return DEFAULT_MESSAGE;
  const { message } = body;
  return typeof message === 'string' && message.trim() !== '' ? message : DEFAULT_MESSAGE;
}
