import type { Outcome } from './types.ts';

/** What people read when a request failed and its answer does not say why. */
export const DEFAULT_MESSAGE = 'Internal Server Error';

/** An answer of openapi-fetch whose 2xx body is unread (`parseAs: 'stream'`). */
type Answer = { response: Response; error?: unknown };

/**
 * The one place that knows a failed request from a bug.
 *
 * Gives the outcome of a call: `value` as `read` understands the body of a 2xx answer, or the message of a failed request:
 * the body's `message` where it is a text with something in it, else "Internal Server Error".
 * Throws what `read` throws: a 2xx answer with a body that nobody promised is not a failed request.
 */
export async function settle<Value>(
  call: Promise<Answer>,
  read: (body: string) => Value,
): Promise<Outcome<Value>> {
  const { response, error } = await call;
  if (!response.ok) return { ok: false, message: messageOf(error) };
  const body = await response.text().catch(() => undefined);
  if (body === undefined) return { ok: false, message: DEFAULT_MESSAGE };
  return { ok: true, value: read(body) };
}

/**
 * `fetch` for which no failure is an exception: where no whole answer came (offline, DNS, a connection that broke), it gives
 * `Response.error()`, which is an answer that is not ok.
 */
export function neverRejecting(fetch: (request: Request) => Promise<Response>) {
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
