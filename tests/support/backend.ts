/** A request as a backend would see it. */
export type Call = {
  method: string;
  path: string;
  headers: Headers;
  credentials: RequestCredentials;
  cache: RequestCache;
  signal: AbortSignal;
  body: unknown;
  text: string;
};

/** A call that waits for its answer. */
export type Pending = Call & {
  answer: (status: number, body?: unknown, headers?: Record<string, string>) => void;
  answerText: (status: number, text: string, contentType?: string) => void;
  /** No answer comes: no network, no such host. */
  drop: () => void;
};

/**
 * A backend in the hand of a test: a `fetch` that answers nothing by itself. `next('POST /api/v1/auth/login')` waits for the next
 * such call and lets the test answer it, when it wants and in the order it wants.
 */
export function controlledBackend() {
  const calls: Call[] = [];
  const arrived: Pending[] = [];
  const waiting: { key: string; take: (call: Pending) => void }[] = [];

  async function fetch(request: Request): Promise<Response> {
    const text = await request.text();
    const call: Call = {
      method: request.method,
      path: new URL(request.url).pathname,
      headers: request.headers,
      credentials: request.credentials,
      cache: request.cache,
      signal: request.signal,
      body: text === '' ? undefined : JSON.parse(text),
      text,
    };
    calls.push(call);
    return new Promise((resolve, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason));
      const pending: Pending = {
        ...call,
        answer: (status, body, headers) =>
          resolve(
            new Response(body === undefined ? null : JSON.stringify(body), {
              status,
              headers: { 'content-type': 'application/json', ...headers },
            }),
          ),
        answerText: (status, answer, contentType = 'text/html') =>
          resolve(new Response(answer, { status, headers: { 'content-type': contentType } })),
        drop: () => reject(new TypeError('fetch failed')),
      };
      const key = keyOf(call);
      const index = waiting.findIndex((waiter) => waiter.key === key);
      if (index === -1) arrived.push(pending);
      else waiting.splice(index, 1)[0]?.take(pending);
    });
  }

  return {
    fetch,
    calls,
    next(key: string): Promise<Pending> {
      const index = arrived.findIndex((call) => keyOf(call) === key);
      const call = index === -1 ? undefined : arrived.splice(index, 1)[0];
      return call ? Promise.resolve(call) : new Promise((take) => waiting.push({ key, take }));
    },
    /** How many such calls were made so far. */
    count: (key: string) => calls.filter((call) => keyOf(call) === key).length,
  };
}

export const LOGIN = 'POST /api/v1/auth/login';
export const REGISTER = 'POST /api/v1/users/register';
export const LIST = 'GET /api/v1/projects';
export const CREATE = 'POST /api/v1/projects';

const keyOf = ({ method, path }: Call) => `${method} ${path}`;
