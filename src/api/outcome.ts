import type { Outcome } from '../../machines/types.ts';

/** The message of a failed request whose response does not contain one. */
const defaultMessage = 'Internal Server Error';

/** A result of openapi-fetch with `parseAs: 'stream'`: the body of a 2xx response is unread. */
export type FetchResult = { response: Response; error?: unknown };

/** The connection ended before the response did. */
class ConnectionLost extends Error {}

/**
 * Resolves a call to its outcome: the value that `read` returns for a 2xx response, or the message
 * of a failed request. Throws what `read` throws, because a 2xx response with a malformed body is a
 * bug and not a failed request. No other code makes this distinction.
 */
export async function toOutcome<Value>(
  call: Promise<FetchResult>,
  read: (response: Response) => Promise<Value>,
): Promise<Outcome<Value>> {
  const { response, error } = await call;
  if (!response.ok) return { ok: false, message: readMessage(error) };
  try {
    return { ok: true, value: await read(response) };
  } catch (cause) {
    if (!(cause instanceof ConnectionLost)) throw cause;
    return { ok: false, message: defaultMessage };
  }
}

export const readText = (response: Response): Promise<string> =>
  response.text().catch(throwConnectionLost);

/** Yields the text of a response in chunks as they arrive. Returning early cancels the body. */
export async function* textChunks(response: Response): AsyncGenerator<string, void> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done = true, value } = (await reader?.read().catch(throwConnectionLost)) ?? {};
      yield decoder.decode(value, { stream: !done });
      if (done) return;
    }
  } finally {
    void reader?.cancel().catch(() => {});
  }
}

function throwConnectionLost(): never {
  throw new ConnectionLost('The connection was lost.');
}

/**
 * Wraps `fetch` so that a network error (offline, DNS, lost connection) resolves to
 * `Response.error()`, which is not ok. Error bodies are buffered here, so that losing the
 * connection in the middle of one is a network error too.
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

function readMessage(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('message' in body)) return defaultMessage;
  const { message } = body;
  return typeof message === 'string' && message.trim() !== '' ? message : defaultMessage;
}
