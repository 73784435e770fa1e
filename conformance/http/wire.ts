import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { setTimeout as passed } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

export type Outgoing = {
  method: string;
  /** Below the target's origin, with a query if there is one. */
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer | undefined;
};

export type Answer = {
  status: number;
  /** As they came, names in lower case. */
  headers: [name: string, value: string][];
  /** Decompressed. */
  bytes: Buffer;
  /** As a browser reads it: UTF-8 whatever the headers say, without a byte order mark. */
  text: string;
};

/** Why no whole answer came. */
export type Breakdown = {
  kind: 'no connection' | 'hung up' | 'cut off' | 'no end' | 'not HTTP' | 'not decodable';
  what: string;
};

/** One call and what became of it. */
export type Exchange = {
  sent: Outgoing;
  answer: Answer | undefined;
  breakdown: Breakdown | undefined;
  milliseconds: number;
  /** Set-Cookie lines that a browser would not keep, and why. */
  refusedCookies: { line: string; why: string }[];
  /** Who sent it: a browser of the kit's. */
  by: string;
  /** The app itself would send this; other calls are made to see how they are refused. */
  ordinary: boolean;
};

export type Wire = {
  readonly origin: string;
  /** Everything that was said so far, in order. */
  readonly exchanges: Exchange[];
  /** How often, and for how many milliseconds in all, the target had us wait by 429 or 503. */
  readonly waits: { times: number; milliseconds: number; refused: number };
  send: (outgoing: Outgoing, by: string, ordinary: boolean) => Promise<Exchange>;
  close: () => void;
};

/** Milliseconds until a call counts as never ending. */
const usualPatience = 5_000;
/** Parts of that: less once this operation was seen to hang. */
const shares = [1, 0.3, 0.3, 0.05];
/** Seconds that one Retry-After is respected, and milliseconds that all of them may take. */
const longestWait = 5;
const allWaits = 20_000;

/** Sends calls to one origin, one connection or more kept alive, and writes down what is said. `heard` is told each time. */
export function createWire(
  origin: string,
  heard: (exchange: Exchange) => void = () => {},
  patience = usualPatience,
): Wire {
  const https = origin.startsWith('https:');
  const request = https ? httpsRequest : httpRequest;
  const options = { keepAlive: true, maxSockets: 8 };
  // A certificate that nobody trusts is reported, and then put up with: what is sent here is invented.
  const agent = https
    ? new HttpsAgent({ ...options, rejectUnauthorized: false })
    : new HttpAgent(options);
  const exchanges: Exchange[] = [];
  const waits = { times: 0, milliseconds: 0, refused: 0 };
  const hung = new Map<string, number>();

  function once(
    { method, path, headers, body }: Outgoing,
    again = false,
  ): Promise<Pick<Exchange, 'answer' | 'breakdown'>> {
    const operation = `${method} ${path.split('?')[0]}`;
    const limit = patience * shares[Math.min(hung.get(operation) ?? 0, shares.length - 1)]!;
    return new Promise((resolve) => {
      let answer: IncomingMessage | undefined;
      const broken = (kind: Breakdown['kind'], what: string) => {
        clearTimeout(timer);
        resolve({ answer: undefined, breakdown: { kind, what } });
      };
      const outgoing = request(origin + path, {
        agent,
        method,
        headers: {
          ...headers,
          ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
        },
      });
      const timer = setTimeout(() => {
        hung.set(operation, (hung.get(operation) ?? 0) + 1);
        const what = answer
          ? `the answer began with ${answer.statusCode} and did not end within ${limit / 1000} s`
          : `no answer within ${limit / 1000} s`;
        broken('no end', what);
        outgoing.destroy();
      }, limit);
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // What was sent last was not read any more, and the answer is already here.
        if (answer) return;
        // Browsers repeat a call on a kept connection that the server has just closed.
        if (outgoing.reusedSocket && error.code === 'ECONNRESET' && !again) {
          clearTimeout(timer);
          return resolve(once({ method, path, headers, body }, true));
        }
        if (error.code?.startsWith('HPE_')) {
          return broken('not HTTP', `the answer is not HTTP: ${error.message}`);
        }
        if (/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/.test(error.code ?? '')) {
          return broken('no connection', `no connection: ${error.message}`);
        }
        return broken('hung up', `the connection was closed without an answer (${error.code})`);
      });
      outgoing.on('response', (incoming) => {
        answer = incoming;
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', () => {});
        incoming.on('close', () => {
          clearTimeout(timer);
          const read = Buffer.concat(chunks);
          if (!incoming.complete) {
            const got = `after ${read.length} bytes of its body`;
            return broken('cut off', `the answer ${incoming.statusCode} broke off ${got}`);
          }
          resolve(answerOf(incoming, read));
        });
      });
      outgoing.end(body);
    });
  }

  return {
    origin,
    exchanges,
    waits,
    async send(sent, by, ordinary) {
      for (;;) {
        const began = performance.now();
        const { answer, breakdown } = await once(sent);
        const milliseconds = performance.now() - began;
        const exchange = { sent, answer, breakdown, milliseconds, by, ordinary };
        const all: Exchange = { ...exchange, refusedCookies: [] };
        exchanges.push(all);
        heard(all);
        const seconds = secondsToWait(answer);
        if (seconds === undefined) return all;
        if (seconds > longestWait || waits.milliseconds + seconds * 1000 > allWaits) {
          waits.refused += 1;
          return all;
        }
        waits.times += 1;
        waits.milliseconds += seconds * 1000;
        await passed(seconds * 1000);
      }
    },
    close: () => agent.destroy(),
  };
}

/** All values of a header, as they came. */
export function headersOf({ headers: all }: Answer, name: string): string[] {
  return all.filter(([each]) => each === name).map(([, value]) => value);
}

export const headerOf = (answer: Answer, name: string): string | undefined =>
  headersOf(answer, name)[0];

/** The seconds after which a throttled call may be tried again. 503 without Retry-After is a failure, not throttling. */
function secondsToWait(answer: Answer | undefined): number | undefined {
  if (!answer || (answer.status !== 429 && answer.status !== 503)) return undefined;
  const given = headerOf(answer, 'retry-after');
  if (given === undefined) return answer.status === 429 ? 1 : undefined;
  const seconds = /^\d+$/.test(given) ? Number(given) : (Date.parse(given) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? 1 : Math.max(0, seconds);
}

function answerOf(incoming: IncomingMessage, read: Buffer) {
  const all: [string, string][] = [];
  for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
    all.push([incoming.rawHeaders[index]!.toLowerCase(), incoming.rawHeaders[index + 1]!]);
  }
  const encoding = all
    .find(([name]) => name === 'content-encoding')?.[1]
    .trim()
    .toLowerCase();
  try {
    const bytes = read.length > 0 && encoding ? decompressed(encoding, read) : read;
    const text = new TextDecoder().decode(bytes);
    const answer = { status: incoming.statusCode ?? 0, headers: all, bytes, text };
    return { answer, breakdown: undefined };
  } catch {
    const what = `the body is not what "Content-Encoding: ${encoding}" says`;
    return { answer: undefined, breakdown: { kind: 'not decodable', what } as const };
  }
}

function decompressed(encoding: string, bytes: Buffer): Buffer {
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
      throw new Error(`nobody asked for ${encoding}`);
  }
}
