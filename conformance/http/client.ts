import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { realClock } from './clock.ts';

export type HttpRequest = {
  method: string;
  /** Path and query, relative to the target's origin. */
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer | undefined;
};

export type HttpResponse = {
  status: number;
  /** In the order received, names in lower case. */
  headers: [name: string, value: string][];
  /** The decompressed body. */
  bytes: Buffer;
  /** The body as `fetch` decodes it: UTF-8 regardless of the charset, without a byte order mark. */
  text: string;
};

/** Why there is no complete response. */
export type NetworkFailure = {
  kind: 'no connection' | 'closed' | 'truncated' | 'timeout' | 'not HTTP' | 'not decodable';
  message: string;
};

/** One request and its result. */
export type Exchange = {
  request: HttpRequest;
  response: HttpResponse | undefined;
  failure: NetworkFailure | undefined;
  durationMs: number;
  /** Set-Cookie lines that a browser would not store. */
  rejectedCookies: { line: string; reason: string }[];
  /** Name of the simulated browser that sent the request. */
  browserName: string;
  /** False for requests that the app never sends; the kit makes those to see the refusal. */
  isAppRequest: boolean;
};

export type HttpClient = {
  readonly origin: string;
  /** All exchanges so far, in order. */
  readonly exchanges: Exchange[];
  /** Retry-After responses: how many were obeyed, for how long in total, and how many ignored. */
  readonly throttling: { count: number; totalMs: number; ignored: number };
  send: (request: HttpRequest, browserName: string, isAppRequest: boolean) => Promise<Exchange>;
  close: () => void;
};

const responseTimeoutMs = 5_000;
/** Shares of the timeout by the number of earlier timeouts of the same operation. */
const timeoutShares = [1, 0.3, 0.3, 0.05];
const maxRetryAfterSeconds = 5;
const maxTotalWaitMs = 20_000;

/** Creates a client that sends requests to one origin and records every exchange. */
export function createHttpClient(
  origin: string,
  onExchange: (exchange: Exchange) => void = () => {},
  clock = realClock,
): HttpClient {
  const isHttps = origin.startsWith('https:');
  const startRequest = isHttps ? httpsRequest : httpRequest;
  const options = { keepAlive: true, maxSockets: 8 };
  // The command reports an untrusted certificate once. Accepting it is safe: all data is made up.
  const agent = isHttps
    ? new HttpsAgent({ ...options, rejectUnauthorized: false })
    : new HttpAgent(options);
  const exchanges: Exchange[] = [];
  const throttling = { count: 0, totalMs: 0, ignored: 0 };
  const timeouts = new Map<string, number>();

  function sendOnce(
    request: HttpRequest,
    isRetry = false,
  ): Promise<Pick<Exchange, 'response' | 'failure'>> {
    const { method, path, headers, body: requestBody } = request;
    const operation = `${method} ${path.split('?')[0]}`;
    const earlierTimeouts = Math.min(timeouts.get(operation) ?? 0, timeoutShares.length - 1);
    const timeoutMs = responseTimeoutMs * timeoutShares[earlierTimeouts]!;
    return new Promise((resolve) => {
      let incoming: IncomingMessage | undefined;
      const fail = (kind: NetworkFailure['kind'], message: string) => {
        clock.clearTimeout(timer);
        resolve({ response: undefined, failure: { kind, message } });
      };
      const outgoing = startRequest(origin + path, {
        agent,
        method,
        headers: {
          ...headers,
          ...(requestBody !== undefined && {
            'content-length': String(Buffer.byteLength(requestBody)),
          }),
        },
      });
      const timer = clock.setTimeout(() => {
        timeouts.set(operation, (timeouts.get(operation) ?? 0) + 1);
        const limit = `within ${timeoutMs / 1000} s`;
        const message = incoming
          ? `the response began with ${incoming.statusCode} and did not end ${limit}`
          : `no response ${limit}`;
        fail('timeout', message);
        outgoing.destroy();
      }, timeoutMs);
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // The server responded without reading the whole request: the response counts.
        if (incoming) return;
        // Browsers also retry when a server closes a keep-alive connection at the same moment.
        if (outgoing.reusedSocket && error.code === 'ECONNRESET' && !isRetry) {
          clock.clearTimeout(timer);
          return resolve(sendOnce(request, true));
        }
        if (error.code?.startsWith('HPE_')) {
          return fail('not HTTP', `the response is not HTTP: ${error.message}`);
        }
        if (/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/.test(error.code ?? '')) {
          return fail('no connection', `no connection: ${error.message}`);
        }
        return fail('closed', `the connection was closed without a response (${error.code})`);
      });
      outgoing.on('response', (message) => {
        incoming = message;
        const chunks: Buffer[] = [];
        message.on('data', (chunk: Buffer) => chunks.push(chunk));
        message.on('error', () => {});
        message.on('close', () => {
          clock.clearTimeout(timer);
          const body = Buffer.concat(chunks);
          if (message.complete) return resolve(parseResponse(message, body));
          const received = `after ${body.length} bytes of its body`;
          return fail('truncated', `the ${message.statusCode} response was cut off ${received}`);
        });
      });
      outgoing.end(requestBody);
    });
  }

  return {
    origin,
    exchanges,
    throttling,
    async send(request, browserName, isAppRequest) {
      for (;;) {
        const startedAt = clock.now();
        const result = await sendOnce(request);
        const durationMs = clock.now() - startedAt;
        const exchange: Exchange = {
          request,
          ...result,
          durationMs,
          rejectedCookies: [],
          browserName,
          isAppRequest,
        };
        exchanges.push(exchange);
        onExchange(exchange);
        const seconds = retryAfterSeconds(result.response);
        if (seconds === undefined) return exchange;
        const waitMs = seconds * 1000;
        if (seconds > maxRetryAfterSeconds || throttling.totalMs + waitMs > maxTotalWaitMs) {
          throttling.ignored += 1;
          return exchange;
        }
        throttling.count += 1;
        throttling.totalMs += waitMs;
        await clock.sleep(waitMs);
      }
    },
    close: () => agent.destroy(),
  };
}

/** Returns all values of a header. `name` is in lower case. */
export const headerValues = ({ headers }: HttpResponse, name: string): string[] =>
  headers.filter(([key]) => key === name).map(([, value]) => value);

export const headerValue = (response: HttpResponse, name: string): string | undefined =>
  headerValues(response, name)[0];

/** Returns the delay before a retry. 503 without Retry-After is a failure, not throttling. */
function retryAfterSeconds(response: HttpResponse | undefined): number | undefined {
  if (!response || (response.status !== 429 && response.status !== 503)) return undefined;
  const value = headerValue(response, 'retry-after');
  if (value === undefined) return response.status === 429 ? 1 : undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? 1 : Math.max(0, seconds);
}

function parseResponse(
  { rawHeaders, statusCode = 0 }: IncomingMessage,
  body: Buffer,
): Pick<Exchange, 'response' | 'failure'> {
  const headers: HttpResponse['headers'] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.push([rawHeaders[index]!.toLowerCase(), rawHeaders[index + 1]!]);
  }
  const contentEncoding = headers.find(([name]) => name === 'content-encoding')?.[1];
  const encoding = contentEncoding?.trim().toLowerCase();
  try {
    const bytes = body.length > 0 && encoding ? decompress(encoding, body) : body;
    const text = new TextDecoder().decode(bytes);
    return { response: { status: statusCode, headers, bytes, text }, failure: undefined };
  } catch {
    const message = `the body is not encoded as "Content-Encoding: ${encoding}" claims`;
    return { response: undefined, failure: { kind: 'not decodable', message } };
  }
}

function decompress(encoding: string, bytes: Buffer): Buffer {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(bytes);
    case 'deflate':
      return inflateSync(bytes);
    case 'br':
      return brotliDecompressSync(bytes);
    case 'identity':
      return bytes;
    default:
      throw new Error(`The request did not accept ${encoding}.`);
  }
}
