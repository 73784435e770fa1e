import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { Clock } from './clock.ts';

export type HttpRequest = {
  method: string;
  /** Path and query, relative to the target's origin. */
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer | undefined;
  /** Whether to open a connection for this request alone. */
  onNewConnection?: boolean | undefined;
  /** Whether a 429 is an answer, and not throttling. */
  mayBeLocked?: boolean;
};

/** Returns the headers without those that are undefined. */
export const definedHeaders = (
  headers: Record<string, string | undefined>,
): HttpRequest['headers'] =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );

export type HttpResponse = {
  status: number;
  /** In the order received, names in lower case. */
  headers: [name: string, value: string][];
  /** The decompressed body. */
  bytes: Buffer;
  /** The body as `fetch` decodes it: UTF-8 regardless of the charset, without a byte order mark. */
  text: string;
};

/** What arrived in place of a complete response. */
export type FailureKind = 'silence' | 'open end' | 'short body' | 'cut body' | 'close' | 'garbage';

export type HttpFailure = {
  /** Continues a sentence that ends in "gets". */
  message: string;
  kind?: FailureKind;
  isTimeout?: boolean;
  /** Whether the time of the run was over. */
  isLate?: boolean;
  isRefused?: boolean;
  /** Whether a kept connection had broken at the request. */
  isResent?: boolean;
};

export type HttpResult = { response: HttpResponse | undefined; failure: HttpFailure | undefined };

const maxStaleConnections = 8;
/** The limit of Chromium. That of Node is 16 kB. */
const maxHeaderSize = 256 * 1024;

export const portOf = (origin: string): number =>
  Number(new URL(origin).port) || (origin.startsWith('https:') ? 443 : 80);

export type Transport = ReturnType<typeof createTransport>;

/** Creates what sends single requests to one origin, until `endsAtMs` by the clock. */
// oxlint-disable-next-line max-lines-per-function -- contains `send`
export function createTransport(origin: string, clock: Clock, endsAtMs: number) {
  const isHttps = origin.startsWith('https:');
  const startRequest = isHttps ? httpsRequest : httpRequest;
  const options = { keepAlive: true, maxSockets: 8 };
  const agent = isHttps ? new HttpsAgent(options) : new HttpAgent(options);

  let isClosed = false;
  let resentCount = 0;

  /** Sends a request, and waits `fairMs` for its response, or until the end of the run. */
  // oxlint-disable-next-line max-lines-per-function -- the events of one request share its state
  function send(request: HttpRequest, fairMs: number, staleConnections = 0): Promise<HttpResult> {
    const { method, path, headers, body: requestBody } = request;
    // oxlint-disable-next-line max-lines-per-function -- the events of one request share its state
    return new Promise((resolve) => {
      const limitMs = Math.max(0, Math.min(fairMs, endsAtMs - clock.now()));
      let incoming: IncomingMessage | undefined;
      const fail = (message: string, kind: Omit<HttpFailure, 'message'> = {}) => {
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
        if (limitMs < fairMs) return fail('the time of the run is over', { isLate: true });
        const start = incoming && `a ${incoming.statusCode} response that does not end`;
        fail(`${start ?? 'no response'} within ${limitMs / 1000} s`, {
          isTimeout: true,
          kind: incoming ? 'open end' : 'silence',
        });
      }, limitMs);
      outgoing.on('socket', repairNextHead);
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // The server responded without reading the whole request: the response counts.
        if (incoming || hasTimedOut) return;
        // Browsers also retry when a server closes a keep-alive connection at the same moment.
        const isStale = outgoing.reusedSocket && /ECONNRESET|EPIPE/.test(error.code ?? '');
        if (isStale && !isClosed && staleConnections < maxStaleConnections) {
          clock.clearTimeout(timer);
          resentCount += 1;
          return resolve(send(request, fairMs, staleConnections + 1));
        }
        const { code = '', message } = error;
        if (code.startsWith('HPE_'))
          return fail(`a response that is not HTTP: ${message}`, { kind: 'garbage' });
        if (/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/.test(code))
          return fail(`no connection: ${message}`, {
            isRefused: true,
            isResent: staleConnections > 0,
          });
        return fail(`a closed connection and no response (${code})`, { kind: 'close' });
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
          const promised = message.headers['content-length'];
          const bytes = promised === undefined ? body.length : `${body.length} of ${promised}`;
          // A whole body is as long as the backend meant it.
          const isWhole = promised !== undefined && /[\]}]\s*$/.test(String(body));
          return fail(`a ${message.statusCode} response that ended after ${bytes} bytes`, {
            kind: isWhole ? 'short body' : 'cut body',
          });
        });
      });
      outgoing.end(requestBody);
    });
  }

  /** Sends a request, and closes its connection before the response, like a tab that is closed. */
  const leave = ({ method, path, headers, body }: HttpRequest) =>
    new Promise<void>((resolve) => {
      const ownConnection = { agent: false, rejectUnauthorized: false };
      const outgoing = startRequest(origin + path, { ...ownConnection, method, headers });
      outgoing.on('error', () => {}).on('close', resolve);
      outgoing.end(body, () => outgoing.destroy());
    });

  /** Sends a request while another connection sends nothing: browsers open one in advance. */
  async function sendBesideUnused(request: HttpRequest, limitMs: number) {
    const host = new URL(origin).hostname.replaceAll(/[[\]]/g, '');
    const unused = connect(portOf(origin), host).on('error', () => {});
    const result = await send({ ...request, onNewConnection: true }, limitMs);
    unused.destroy();
    return result;
  }

  return {
    send,
    leave,
    sendBesideUnused,
    /** How often a kept connection was closed, and its request sent again. */
    resentCount: () => resentCount,
    close: () => {
      isClosed = true;
      agent.destroy();
    },
  };
}

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

function parseResponse({ rawHeaders, statusCode = 0 }: IncomingMessage, body: Buffer): HttpResult {
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
    const message = `a body that is not encoded as "Content-Encoding: ${encoding}" claims`;
    return { response: undefined, failure: { message, kind: 'garbage' } };
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
