import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { pipeline, Readable } from 'node:stream';
import { constants, createGzip, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';

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

/**
 * Sends a list, or 304 if the client's ETag is current. Throws if it fails before the first byte.
 * A later failure cuts the connection.
 */
export type ListSender = (
  request: FastifyRequest,
  reply: FastifyReply,
  list: ListBody<unknown>,
  serialize: (items: unknown[]) => string,
) => Promise<FastifyReply>;

// The default level 6 takes many times as long as the rest of the response and saves few bytes.
const gzipOptions = { level: 1 };
const minGzipBytes = 1024;
const maxCacheBytes = 16 * 1024 * 1024;

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
export function createListSender(contractHash: string): ListSender {
  const cache = new LRUCache<string, CachedBody>({
    maxSize: maxCacheBytes,
    sizeCalculation: ({ plain }) => plain.length,
  });

  return async function sendList(request, reply, list, serialize) {
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
        const parts = request.method === 'HEAD' ? [] : streamJson(json, chunks, list, serialize);
        return sendStream(reply, Readable.from(parts), useGzip);
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
  yield firstJson.slice(0, -1);
  for await (const chunk of chunks) {
    // A client that reads fast must not block the requests of other clients.
    await yieldToEventLoop();
    last = chunk.at(-1);
    yield `,${serialize(chunk).slice(1, -1)}`;
  }
  // The response must not look complete.
  if (!endsWith(last)) throw new Error('The last rows of a list were missing when it was sent.');
  yield ']';
}

let openStreams = 0;

/** Returns how many lists are being streamed. */
export const countOpenStreams = () => openStreams;

function sendStream(reply: FastifyReply, json: Readable, useGzip: boolean): FastifyReply {
  openStreams += 1;
  reply.raw.once('close', () => (openStreams -= 1));
  reply.type('application/json; charset=utf-8');
  if (!useGzip) return reply.send(json);
  // Flushes after each chunk, so that the client gets the first one while the rest is read.
  const gzip = createGzip({ ...gzipOptions, flush: constants.Z_SYNC_FLUSH });
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
