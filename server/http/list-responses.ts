import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { pipeline, Readable } from 'node:stream';
import { constants, createGzip, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { createConcurrencyLimit } from './concurrency-limit.ts';

/** The body of a list response of any length. */
export interface ListBody<Item> {
  ownerId: string;
  /** Changes whenever the list changes. */
  version: string;
  /** Returns true for the last item, and for undefined if the list is empty. */
  endsWith: (last: Item | undefined) => boolean;
  /** Yields the items. The next chunk is read when the client has received the one before. */
  chunks: () => AsyncGenerator<Item[]>;
}

export function isListBody(body: unknown): body is ListBody<unknown> {
  return typeof body === 'object' && body !== null && 'chunks' in body;
}

// The default level 6 takes many times as long as the rest of the response and saves few bytes.
const gzipOptions = { level: 1 };
// A quarter of the default memory per stream, for 5 % more bytes.
const gzipStreamOptions = {
  ...gzipOptions,
  windowBits: 13,
  memLevel: 6,
  flush: constants.Z_SYNC_FLUSH, // so that the client gets a chunk while the next one is read
};
const minGzipBytes = 1024;
const maxCacheBytes = 16 * 1024 * 1024;

// A turn of the event loop accepts one connection. With eight turns for each chunk, new connections
// wait for few chunks, however many streams are open.
const turnsPerChunk = 8;
const chunkLimit = pLimit(4);

/** More than a user's tabs need. Each stream holds up to 0.3 MB. */
const streamLimit = createConcurrencyLimit(32);

/** Returns how many lists are being streamed. */
export const countOpenStreams = streamLimit.total;

interface CachedBody {
  etag: string;
  plain: Buffer;
  /** Compressed on first use. */
  gzipped?: Buffer;
}

/**
 * Creates a sender that caches short lists by owner. Before each use, it compares the ETag with the
 * version in the store, so replicas need no invalidation messages.
 */
export function createListSender(contractHash: string) {
  const cache = new LRUCache<string, CachedBody>({
    maxSize: maxCacheBytes,
    sizeCalculation: ({ plain }) => plain.length,
  });

  /**
   * Sends a list, or 304 if the client's ETag is current. Throws if it fails before the first byte.
   * A later failure cuts the connection.
   */
  return async function sendList(
    request: FastifyRequest,
    reply: FastifyReply,
    list: ListBody<unknown>,
    serialize: (items: unknown[]) => string,
  ) {
    const etag = `W/"${list.version}-${contractHash}"`;
    reply.headers({ etag, vary: 'accept-encoding' });
    if (matchesEtag(etag, request.headers['if-none-match'])) return reply.code(304).send();

    const useGzip = acceptsGzip(request.headers['accept-encoding']);
    let body = cache.get(list.ownerId);
    if (body?.etag !== etag) {
      const chunks = list.chunks();
      const { value: first = [] } = (await chunks.next()) as { value?: unknown[] };
      const json = serialize(first);
      if (!list.endsWith(first.at(-1))) {
        streamLimit.enter(reply, list.ownerId);
        const parts = request.method === 'HEAD' ? [] : streamJson(json, chunks, list, serialize);
        const bytes = Readable.from(parts, { objectMode: false, highWaterMark: 0 });
        return sendStream(reply, bytes, useGzip);
      }
      body = { etag, plain: Buffer.from(json) };
      cache.set(list.ownerId, body);
    }
    reply.type('application/json; charset=utf-8');
    if (!useGzip || body.plain.length < minGzipBytes) return reply.send(body.plain);
    body.gzipped ??= gzipSync(body.plain, gzipOptions);
    return reply.header('content-encoding', 'gzip').send(body.gzipped);
  };
}

/** Yields the JSON of a list of several chunks, of which the first is already serialized. */
async function* streamJson(
  firstJson: string,
  chunks: AsyncGenerator<unknown[]>,
  { endsWith }: ListBody<unknown>,
  serialize: (items: unknown[]) => string,
) {
  let last: unknown;
  yield Buffer.from(firstJson.slice(0, -1));
  const readPart = async () => {
    for (let turn = 0; turn < turnsPerChunk; turn += 1) await yieldToEventLoop();
    const { value: chunk, done } = await chunks.next();
    if (done) return undefined;
    last = chunk.at(-1);
    // A stream waits for its client with bytes only. Garbage that waits costs the most memory.
    const part = Buffer.from(`,${serialize(chunk).slice(1, -1)}`);
    chunk.length = 0;
    return part;
  };
  for (;;) {
    const part = await chunkLimit(readPart);
    if (part === undefined) break;
    yield part;
  }
  // The response must not look complete.
  if (!endsWith(last)) throw new Error('The last rows of a list were missing when it was sent.');
  yield ']';
}

function sendStream(reply: FastifyReply, json: Readable, useGzip: boolean): FastifyReply {
  reply.type('application/json; charset=utf-8');
  if (!useGzip) return reply.send(json);
  const gzip = createGzip(gzipStreamOptions);
  pipeline(json, gzip, () => {}); // Fastify handles the failure: the pipeline destroys `gzip` too
  return reply.header('content-encoding', 'gzip').send(gzip);
}

function matchesEtag(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  // Weak comparison (RFC 9110, 13.1.2): proxies that compress add or remove the `W/`.
  const [opaqueTag] = etag.match(/".*"/) as [string];
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([tag]) => tag === opaqueTag);
}

/** Returns true if Accept-Encoding lists gzip with a quality above 0. */
function acceptsGzip(header: string | string[] | undefined): boolean {
  return String(header ?? '')
    .split(',')
    .some((coding) => /^\s*(x-)?gzip\s*(;\s*q=(1|0?\.0*[1-9])\S*)?\s*$/i.test(coding));
}
