import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { pipeline, Readable } from 'node:stream';
import { constants, createGzip, gzipSync } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import type { ListPart } from '../store/lists.ts';
import { createConcurrencyLimit } from './concurrency-limit.ts';

/** The body of a list response of any length. */
export interface ListBody {
  ownerId: string;
  /** Changes whenever the list changes. */
  version: string;
  /** Yields the list as JSON arrays. The next one is read when the client has received this one. */
  parts: () => AsyncGenerator<ListPart>;
}

export function isListBody(body: unknown): body is ListBody {
  return typeof body === 'object' && body !== null && 'parts' in body;
}

const emptyList: ListPart = { json: '[]', isLast: true };

// The default level 6 takes many times as long as the rest of the response and saves few bytes.
const gzipOptions = { level: 1 };
// A quarter of the default memory per stream, for 5 % more bytes.
const gzipStreamOptions = {
  ...gzipOptions,
  windowBits: 13,
  memLevel: 6,
  flush: constants.Z_SYNC_FLUSH, // so that the client gets a chunk while the next part is read
};
const minGzipBytes = 1024;
const maxCacheBytes = 32 * 1024 * 1024;

// A turn of the event loop accepts one connection. With eight turns for each part, new connections
// wait for few parts, however many streams are open.
const turnsPerPart = 8;
const maxPartsAtOnce = 4;

/** More than a user's tabs need. Each stream holds up to 0.3 MB. */
const maxStreamsPerAccount = 32;

interface CachedBody {
  etag: string;
  bytes: Buffer;
  isGzipped: boolean;
}

/**
 * Creates a sender that caches lists of one part by owner. Before each use, it compares the ETag
 * with the version in the store, so replicas need no invalidation messages.
 */
export function createListSender(contractHash: string) {
  const cache = new LRUCache<string, CachedBody>({
    maxSize: maxCacheBytes,
    sizeCalculation: ({ bytes }) => Math.max(1, bytes.length),
  });
  const enterStream = createConcurrencyLimit(maxStreamsPerAccount);
  const partLimit = pLimit(maxPartsAtOnce);

  /**
   * Sends a list, or 304 if the client's ETag is current. Throws if it fails before the first byte.
   * A later failure cuts the connection.
   */
  return async function sendList(request: FastifyRequest, reply: FastifyReply, list: ListBody) {
    const etag = `W/"${list.version}-${contractHash}"`;
    reply.headers({ etag, vary: 'accept-encoding' });
    if (matchesEtag(etag, request.headers['if-none-match'])) return reply.code(304).send();

    const accepted = String(request.headers['accept-encoding']);
    const useGzip = negotiate(accepted, ['identity', 'gzip']) === 'gzip';
    const key = `${list.ownerId} ${useGzip}`;
    reply.type('application/json');
    const cached = cache.get(key);
    if (cached?.etag === etag) return sendBody(reply, cached);
    const parts = list.parts();
    const { value: first = emptyList } = (await parts.next()) as { value?: ListPart };
    if (first.isLast) {
      const json = Buffer.from(first.json);
      const isGzipped = useGzip && json.length >= minGzipBytes;
      const bytes = isGzipped ? gzipSync(json, gzipOptions) : json;
      const body = { etag, bytes, isGzipped };
      cache.set(key, body);
      return sendBody(reply, body);
    }
    enterStream(reply, list.ownerId);
    if (useGzip) reply.header('content-encoding', 'gzip');
    const isHead = request.method === 'HEAD';
    return reply.send(createStream(isHead ? [] : streamJson(first, parts, partLimit), useGzip));
  };
}

function sendBody(reply: FastifyReply, { bytes, isGzipped }: CachedBody): FastifyReply {
  if (isGzipped) reply.header('content-encoding', 'gzip');
  return reply.send(bytes);
}

/** Yields the JSON of a list of several parts, of which the first has been read. */
async function* streamJson(
  first: ListPart,
  parts: AsyncGenerator<ListPart>,
  partLimit: LimitFunction,
) {
  yield Buffer.from(first.json.slice(0, -1));
  const readNext = async () => {
    for (let turn = 0; turn < turnsPerPart; turn += 1) await yieldToEventLoop();
    const { value } = (await parts.next()) as { value?: ListPart };
    // A stream waits for its client with bytes only. Garbage that waits costs the most memory.
    return value && Buffer.from(`,${value.json.slice(1, value.isLast ? undefined : -1)}`);
  };
  for (;;) {
    const part = await partLimit(readNext);
    if (part === undefined) break;
    yield part;
  }
}

function createStream(chunks: Iterable<Buffer> | AsyncIterable<Buffer>, useGzip: boolean) {
  const json = Readable.from(chunks, { objectMode: false, highWaterMark: 0 });
  if (!useGzip) return json;
  const gzip = createGzip(gzipStreamOptions);
  // Fastify handles the failure: the pipeline destroys `gzip` too.
  return pipeline(json, gzip, () => {});
}

export function matchesEtag(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  // Weak comparison (RFC 9110, 13.1.2): proxies that compress add or remove the `W/`.
  const [opaqueTag] = etag.match(/".*"/) as [string];
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([tag]) => tag === opaqueTag);
}
