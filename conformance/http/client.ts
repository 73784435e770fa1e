import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { realClock, type Clock } from './clock.ts';

export type HttpRequest = {
  method: string;
  /** Path and query, relative to the target's origin. */
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer | undefined;
  /** Whether to open a connection for this request alone. */
  onNewConnection?: boolean | undefined;
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

/** One request and its result. */
export type Exchange = {
  request: HttpRequest;
  response: HttpResponse | undefined;
  /** Why there is no complete response. */
  failure: Failure | undefined;
  durationMs: number;
  /** How many exchanges of the run had ended when this one started. */
  startedAfter: number;
  /** By the clock of the run. */
  endedAtMs: number;
  /** By the clock of the machine, as dates are. */
  receivedAt: number;
  /** Set-Cookie lines that a browser would not store. */
  rejectedCookies: { line: string; reason: string }[];
  /** Whether the browser ignored the response, because the app had aborted the request. */
  isIgnored?: boolean;
  /** What the browser sent because this response redirects it. */
  next?: Exchange;
  /** How long its browser had sent nothing, where that is the cause. */
  idleMs?: number;
  /** The cookies of the request. */
  cookies: SentCookie[];
  /** Name of the simulated browser that sent the request. */
  browserName: string;
  /** False for requests that the app never sends; the kit makes those to see the refusal. */
  isAppRequest: boolean;
};

export type SentCookie = { name: string; value: string } & CookieSource;

/** Where the value of a cookie comes from. Empty if the kit made it up. */
export type CookieSource = {
  /** The exchange whose response set it, maybe that of another browser. */
  setBy?: Exchange;
  /** How the kit changed it since, as a command. */
  filter?: string | undefined;
};

/** A time in which the server refused connections. */
export type Stop = {
  /** The last request that got a response before it, and those that got none. */
  last: Exchange | undefined;
  broken: Exchange[];
  refused: Exchange;
  /** Undefined if the run saw no end of it. */
  durationMs: number | undefined;
};

type Sender = Pick<Exchange, 'browserName' | 'isAppRequest' | 'cookies'>;
type Result = Pick<Exchange, 'response' | 'failure'>;
type Failure = {
  message: string;
  isTimeout?: boolean;
  isRefused?: boolean;
  /** Whether a kept connection had broken at the request. */
  isResent?: boolean;
};

/** Thrown in place of a response that cannot be judged: the backend throttles, or hangs. */
export class Unjudged extends Error {}

/** The message of an `Unjudged` after the server has stopped. */
const stopped = 'the backend has stopped';

/** The message of an `Unjudged` after the end of the run. */
export const outOfTime = 'lack of time; a larger --budget judges them';

export type HttpClient = ReturnType<typeof createHttpClient>;

export type HttpClientOptions = {
  onExchange?: (exchange: Exchange) => void;
  clock?: Clock;
  /** Origin of the app, when it differs from the backend's origin (`--origin`). */
  appOrigin?: string | undefined;
  /** Whether to obey every Retry-After, up to `maxWaitMinutes` in total (`--wait`). */
  isPatient?: boolean;
  /** The milliseconds after which only MUST checks begin (`--budget`). Default: none. */
  budgetMs?: number;
  /** Called before the client waits for a response, or for a time because of a response. */
  onWait?: (reason: string, delayMs?: number) => void;
};

/** The most that a run waits in total with `--wait`. */
export const maxWaitMinutes = 30;
const patientLimits = { onceMs: maxWaitMinutes * 60_000, totalMs: maxWaitMinutes * 60_000 };
const impatientLimits = { onceMs: 5_000, totalMs: 20_000 };

/**
 * MUST checks are judged to the end, for so long at least. After it, no request is sent or waited
 * for. A backend that takes 1 s for each request in turn needs 14 minutes.
 */
export const minMustMs = 15 * 60_000;

/** How long a server may refuse connections, for example while a supervisor starts it again. */
const maxStopMs = 15_000;
const retryMs = 500;
/** Checks send so many requests at once. Those may have begun before a server stopped. */
const maxAtOnce = 12;

/** Longer until the first timeout, so that a slow backend is called slow. */
const [firstTimeoutMs, laterTimeoutMs] = [10_000, 5_000];
/** For requests that only the kit sends, where others of their kind hang. */
const hangTimeoutMs = 2_000;
/** Timeouts of an operation after which it counts as hanging. */
const maxTimeouts = 4;
/** Exchanges of an operation that may take longer than `laterTimeoutMs` each. */
const maxSlow = 8;
const maxStaleConnections = 8;
/** The limit of Chromium. That of Node is 16 kB. */
const maxHeaderSize = 256 * 1024;

/** Creates a client that sends requests to one origin and records every exchange. */
export function createHttpClient(origin: string, settings: HttpClientOptions = {}) {
  const {
    onExchange,
    clock = realClock,
    appOrigin = origin,
    isPatient = false,
    budgetMs = Infinity,
    onWait,
  } = settings;
  const isHttps = origin.startsWith('https:');
  const startRequest = isHttps ? httpsRequest : httpRequest;
  const options = { keepAlive: true, maxSockets: 8 };
  const agent = isHttps ? new HttpsAgent(options) : new HttpAgent(options);
  /** All exchanges so far, in order. */
  const exchanges: Exchange[] = [];
  /** The message of each `Unjudged` so far, in order. */
  const unjudged: string[] = [];
  /** What the callers of `send` wait for. */
  const pending = new Set<Promise<Exchange>>();
  const throttling = {
    /** How often Retry-After was obeyed, and for how long in total. */
    count: 0,
    totalMs: 0,
    /** What the backend did, and what to do. Set by the first response that was not obeyed. */
    advice: undefined as string | undefined,
  };
  const waitLimit = isPatient ? patientLimits : impatientLimits;
  const startedAtMs = clock.now();
  const endsAtMs = startedAtMs + Math.max(budgetMs, minMustMs);
  const stops: Stop[] = [];
  /** Pending while the server refuses connections. Resolves to whether it accepts them again. */
  let restart: Promise<boolean> | undefined;
  let resumeAtMs = -Infinity;
  let timeoutMs = firstTimeoutMs;
  let inFlight = 0;
  const slow: { kind: string; isTimeout: boolean | undefined }[] = [];

  function sendOnce(request: HttpRequest, fairMs: number, staleConnections = 0): Promise<Result> {
    const { method, path, headers, body: requestBody } = request;
    return new Promise((resolve) => {
      const limitMs = Math.max(0, Math.min(fairMs, endsAtMs - clock.now()));
      let incoming: IncomingMessage | undefined;
      const fail = (message: string, kind: Omit<Failure, 'message'> = {}) => {
        clock.clearTimeout(timer);
        resolve({ response: undefined, failure: { message, ...kind } });
      };
      const outgoing = startRequest(origin + path, {
        agent: request.onNewConnection ? false : agent,
        // The command reports an untrusted certificate once. All data is made up.
        rejectUnauthorized: false,
        method,
        headers,
        // Browsers accept more than Node's strict parser, for example lines that end with LF.
        insecureHTTPParser: true,
        maxHeaderSize,
      });
      let hasTimedOut = false;
      const timer = clock.setTimeout(() => {
        hasTimedOut = true;
        outgoing.destroy();
        // Not by the clock, which a timer may precede by a fraction of a millisecond.
        if (limitMs < fairMs) return fail(outOfTime);
        const start = incoming && `the response began with ${incoming.statusCode} and did not end`;
        fail(`${start ?? 'no response'} within ${limitMs / 1000} s`, { isTimeout: true });
        timeoutMs = laterTimeoutMs;
      }, limitMs);
      outgoing.on('socket', repairNextHead);
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // The server responded without reading the whole request: the response counts.
        if (incoming || hasTimedOut) return;
        // Browsers also retry when a server closes a keep-alive connection at the same moment.
        const isStale = outgoing.reusedSocket && /ECONNRESET|EPIPE/.test(error.code ?? '');
        if (isStale && staleConnections < maxStaleConnections) {
          clock.clearTimeout(timer);
          return resolve(sendOnce(request, fairMs, staleConnections + 1));
        }
        const { code = '', message } = error;
        if (code.startsWith('HPE_')) return fail(`the response is not HTTP: ${message}`);
        if (/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/.test(code))
          return fail(`no connection: ${message}`, {
            isRefused: true,
            isResent: staleConnections > 0,
          });
        return fail(`the connection was closed without a response (${code})`);
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
          const start = `${body.length} bytes of its body`;
          return fail(`the ${message.statusCode} response was cut off after ${start}`);
        });
      });
      outgoing.end(requestBody);
    });
  }

  function throwUnjudged(message: string): never {
    unjudged.push(message);
    throw new Unjudged(message);
  }

  /** Returns how the backend hangs in requests of this kind; undefined if it does not. */
  function describeHang(kind: string): string | undefined {
    const own = slow.filter((each) => each.kind === kind);
    const timeouts = own.filter(({ isTimeout }) => isTimeout).length;
    if (timeouts >= maxTimeouts) return `did not respond ${timeouts} times`;
    return own.length >= maxSlow ? 'takes very long' : undefined;
  }

  /** Waits until the server accepts connections again. Records the first refused request. */
  async function awaitRestart(refused: Exchange): Promise<boolean> {
    const firstMs = clock.now();
    const before = exchanges.slice(0, exchanges.indexOf(refused));
    const isBroken = ({ failure }: Exchange) => failure && !failure.isTimeout && !failure.isRefused;
    const broken = before.slice(-maxAtOnce).filter(isBroken);
    // A kept connection of the server that has ended may break later.
    const firstEnd = before.indexOf(broken[0]!);
    const stop: Stop = {
      last: before.findLast(({ response }) => response),
      broken: broken.filter(({ startedAfter }) => startedAfter <= firstEnd),
      refused,
      durationMs: undefined,
    };
    stops.push(stop);
    while (clock.now() - firstMs < maxStopMs) {
      await clock.sleep(retryMs);
      const { failure } = await sendOnce({ method: 'HEAD', path: '/', headers: {} }, timeoutMs);
      if (failure?.isRefused) continue;
      stop.durationMs = clock.now() - firstMs;
      return true;
    }
    return false;
  }

  /** Schedules the next request. Throws when the wait would be too long. */
  function scheduleRetry(exchange: Exchange, retryAfterMs: number, attempt: number) {
    // Longer from time to time, in case the backend asks for less than it needs.
    const minDelayMs = attempt === 0 ? 0 : Math.min(2 ** (attempt - 1), 60) * 1000;
    const delayMs = Math.max(retryAfterMs, minDelayMs);
    const startMs = Math.max(clock.now(), resumeAtMs);
    const addedMs = Math.max(0, clock.now() + delayMs - startMs);
    const reason = describeThrottling(exchange);
    if (delayMs > waitLimit.onceMs || throttling.totalMs + addedMs > waitLimit.totalMs) {
      const waiting = isPatient
        ? `--wait waits ${maxWaitMinutes} minutes in total`
        : 'use --wait to obey it';
      throttling.advice ??= `The backend throttles: ${reason}. Lift the limit for this run, or ${waiting}.`;
      throwUnjudged(throttling.advice);
    }
    throttling.count += 1;
    throttling.totalMs += addedMs;
    resumeAtMs = startMs + addedMs;
    onWait?.(reason, delayMs);
  }

  async function sendPatiently(request: HttpRequest, sender: Sender): Promise<Exchange> {
    const operation = methodAndPath(request);
    // What the app never sends may hang: the requests of the app are sent all the same.
    const kind = `${operation} ${sender.isAppRequest}`;
    for (let attempt = 0; ; attempt++) {
      const hang = describeHang(kind);
      if (hang && sender.isAppRequest)
        throwUnjudged(`${operation} ${hang}, so it is not sent again`);
      if ((await restart) === false) throwUnjudged(stopped);
      const waitMs = resumeAtMs - clock.now();
      if (waitMs > 0) await clock.sleep(waitMs);
      if (clock.now() >= endsAtMs) throwUnjudged(outOfTime);
      const startedAt = clock.now();
      const startedAfter = exchanges.length;
      onWait?.(operation);
      inFlight += 1;
      // A backend may answer one request at a time.
      const fairness = 1 + (inFlight - 1) / 2;
      const result = await sendOnce(request, (hang ? hangTimeoutMs : timeoutMs) * fairness);
      const fairnessAtEnd = 1 + (inFlight - 1) / 2;
      inFlight -= 1;
      const endedAtMs = clock.now();
      if (result.failure?.message === outOfTime) throwUnjudged(outOfTime);
      if (endedAtMs - startedAt >= laterTimeoutMs * Math.max(fairness, fairnessAtEnd))
        slow.push({ kind, isTimeout: result.failure?.isTimeout });
      const exchange: Exchange = {
        request,
        ...sender,
        ...result,
        durationMs: endedAtMs - startedAt,
        endedAtMs,
        receivedAt: Date.now(),
        startedAfter,
        rejectedCookies: [],
      };
      exchanges.push(exchange);
      onExchange?.(exchange);
      if (result.failure?.isRefused) {
        restart ??= awaitRestart(exchange);
        const isBack = await restart;
        if (!isBack) throwUnjudged(stopped);
        restart = undefined;
        continue;
      }
      const retryAfterMs = retryAfterMsOf(result.response);
      if (retryAfterMs !== undefined) scheduleRetry(exchange, retryAfterMs, attempt);
      // nginx limits requests so by default. ERR-20 reports this response all the same.
      else if (result.response?.status === 503 && attempt === 0) await clock.sleep(1000);
      else return exchange;
    }
  }

  return {
    origin,
    appOrigin,
    clock,
    startedAtMs,
    endsAtMs,
    exchanges,
    stops,
    throttling,
    unjudged,
    /**
     * Throws `Unjudged` when the backend throttles for longer than the kit may wait, or hangs, and
     * when the time of the run is over.
     */
    async send(request: HttpRequest, sender: Sender): Promise<Exchange> {
      const sent = sendPatiently(request, sender);
      pending.add(sent);
      try {
        return await sent;
      } finally {
        pending.delete(sent);
      }
    },
    /** Waits until no request is in flight, so that each exchange belongs to one check. */
    async settle() {
      while (pending.size > 0) await Promise.allSettled(pending);
    },
    close: () => agent.destroy(),
  };
}

/** Returns the method and the path of a request, without the query. */
export const methodAndPath = ({ method, path }: HttpRequest) => `${method} ${path.split('?')[0]}`;

/** Repairs the next head that arrives where Node's lenient parser is stricter than browsers. */
function repairNextHead(socket: Socket) {
  const push = socket.push.bind(socket);
  socket.push = (chunk: unknown, encoding) => {
    socket.push = push;
    return push(Buffer.isBuffer(chunk) ? repairHead(chunk) : chunk, encoding);
  };
}

function repairHead(chunk: Buffer): Buffer {
  const text = chunk.toString('latin1');
  const head = /^[^]*?\r?\n\r?\n/.exec(text)?.[0] ?? '';
  const repaired = head
    // Another version, or lower case.
    .replace(/^http(\/1\.[01](?= ))?\S*/i, (_, version = '/1.1') => `HTTP${version}`)
    // Lines without a name.
    .replace(/\n(?!http|[\w!#$%&'*+.^`|~-]+[ \t]*:|[ \t\r\n]|$)[^\n]*/gi, '')
    .replace(/^([\w-]+)[ \t]+:/gm, '$1:')
    // The same Content-Length twice.
    .replace(/^(content-length:[ \t]*(\d+))([ \t]*,[ \t]*\2)+(?=\s)/gim, '$1')
    .replace(/^(content-length:[ \t]*\d+)[ \t]*\r?\n(?=(?:.+\n)*?\1[ \t]*\r?\n)/gim, '');
  return repaired === head ? chunk : Buffer.from(repaired + text.slice(head.length), 'latin1');
}

/** Returns all values of a header; none without a response. `name` is in lower case. */
export const headerValues = (response: HttpResponse | undefined, name: string): string[] =>
  response?.headers.filter(([key]) => key === name).map(([, value]) => value) ?? [];

/** Returns the delay before a retry. 503 without Retry-After is a failure, not throttling. */
function retryAfterMsOf(response: HttpResponse | undefined): number | undefined {
  if (!response || (response.status !== 429 && response.status !== 503)) return undefined;
  const value = headerValues(response, 'retry-after')[0];
  if (value === undefined) return response.status === 429 ? 1000 : undefined;
  const delayMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(delayMs) ? 1000 : Math.max(0, delayMs);
}

/** Returns what a throttling backend did: `POST /login responds with 429 and "Retry-After: 60"`. */
function describeThrottling({ request, response }: Exchange): string {
  const retryAfter = headerValues(response, 'retry-after')[0];
  const header = retryAfter === undefined ? 'no Retry-After' : `"Retry-After: ${retryAfter}"`;
  return `${methodAndPath(request)} responds with ${response!.status} and ${header}`;
}

function parseResponse({ rawHeaders, statusCode = 0 }: IncomingMessage, body: Buffer): Result {
  const headers: HttpResponse['headers'] = [];
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.push([rawHeaders[index]!.toLowerCase(), rawHeaders[index + 1]!]);
  const contentEncoding = headers.find(([name]) => name === 'content-encoding')?.[1];
  const encoding = contentEncoding?.trim().toLowerCase() ?? '';
  try {
    const bytes = (body.length > 0 && decoders[encoding]?.(body)) || body;
    const text = new TextDecoder().decode(bytes);
    return { response: { status: statusCode, headers, bytes, text }, failure: undefined };
  } catch {
    const message = `the body is not encoded as "Content-Encoding: ${encoding}" claims`;
    return { response: undefined, failure: { message } };
  }
}

/** Browsers ignore an unknown encoding, such as the "utf-8" of a mixed-up header. */
const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  // Browsers also accept it without the zlib header, whose first byte has 8 as its lower half.
  deflate: (bytes) => ((bytes[0]! & 0x0f) === 8 ? inflateSync(bytes) : inflateRawSync(bytes)),
  br: brotliDecompressSync,
  zstd() {
    throw new Error('The request did not accept it.');
  },
};
