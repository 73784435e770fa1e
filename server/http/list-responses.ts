import { setImmediate as nextTurn } from 'node:timers/promises';
import { pipeline, Readable } from 'node:stream';
import { constants, createGzip, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Serialize } from './serializers.ts';

/** A list of any length, as an operation answers it. */
export interface List<Item> {
  /** Whose list it is. */
  owner: string;
  /** Another one whenever the list is another one. */
  version: string;
  length: number;
  /** The items, read only as fast as they leave. */
  slices: () => AsyncGenerator<Item[]>;
}

/** Sends a list, or 304 to whoever has it. Throws while nothing has been sent; after that, a failure breaks the connection. */
export type ListSender = (
  request: FastifyRequest,
  reply: FastifyReply,
  list: List<unknown>,
  write: Serialize,
) => Promise<FastifyReply>;

// Level 1: the usual 6 takes many times as long as everything else, for a few percent.
const cheap = { level: 1 };
const minGzipBytes = 1024; // bytes
const maxCacheBytes = 16 * 1024 * 1024; // bytes, of all lists together

/** `edition` stands for what else decides how a list reads: the contract. */
export function createListSender(contractHash: string): ListSender {
  const kept = createResponseCache(maxCacheBytes);

  return async function sendList(request, reply, list, write) {
    const etag = `W/"${list.version}-${contractHash}"`;
    reply.headers({ etag, vary: 'accept-encoding' });
    if (isAmong(etag, request.headers['if-none-match'])) return reply.code(304).send();

    const zipped = acceptsGzip(request.headers['accept-encoding']);
    let body = kept.get(list.owner, etag);
    if (!body) {
      const slices = list.slices();
      const { value: first = [] } = (await slices.next()) as { value?: unknown[] };
      const text = write(first);
      if (first.length < list.length) {
        const rest =
          request.method === 'HEAD' ? [] : textOf(text, first.length, slices, list, write);
        return sendStream(reply, Readable.from(rest), zipped);
      }
      body = kept.keep(list.owner, etag, text);
    }
    reply.type('application/json; charset=utf-8');
    if (!zipped || body.plain.length < minGzipBytes) return reply.send(body.plain);
    body.zipped ??= gzipSync(body.plain, cheap);
    return reply.header('content-encoding', 'gzip').send(body.zipped);
  };
}

/** The JSON of a list of several slices, the first of which is written already. */
async function* textOf(
  first: string,
  firstLength: number,
  rest: AsyncGenerator<unknown[]>,
  { length }: List<unknown>,
  write: Serialize,
) {
  let sent = firstLength;
  yield first.slice(0, -1);
  for await (const slice of rest) {
    // A fast reader must not keep us from everybody else.
    await nextTurn();
    sent += slice.length;
    yield `,${write(slice).slice(1, -1)}`;
  }
  // Somebody took projects away below us. What was sent must not look like a whole list.
  if (sent !== length) throw new Error(`A list of ${length} had ${sent} when it was sent.`);
  yield ']';
}

function sendStream(reply: FastifyReply, text: Readable, zipped: boolean): FastifyReply {
  reply.type('application/json; charset=utf-8');
  if (!zipped) return reply.send(text);
  // Flushed after each slice, so that the first ones arrive while the last ones are read.
  const gzip = createGzip({ ...cheap, flush: constants.Z_SYNC_FLUSH });
  // Fastify hears of a failure from the last of the two streams.
  pipeline(text, gzip, () => {});
  return reply.header('content-encoding', 'gzip').send(gzip);
}

function isAmong(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  // Proxies that compress by themselves take the W/ away or put it there; it makes no difference here (RFC 9110, 13.1.2).
  const [opaque] = etag.match(/".*"/) as [string];
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([tag]) => tag === opaque);
}

/** Whether Accept-Encoding names gzip, and not as something to keep away. */
function acceptsGzip(header: string | string[] | undefined): boolean {
  return String(header ?? '')
    .split(',')
    .some((coding) => /^\s*(x-)?gzip\s*(;\s*q=(1|0?\.0*[1-9])\S*)?\s*$/i.test(coding));
}

interface Body {
  plain: Buffer;
  /** Made when it is asked for. */
  zipped?: Buffer;
}

/**
 * Short lists as they were sent last, so that one that has not changed is neither read nor written again. Their ETag is compared
 * with the store before each use: replicas need not know of each other. Those that nobody asked for the longest go first.
 */
function createResponseCache(atMost: number) {
  const bodies = new Map<string, Body & { etag: string }>();
  let size = 0;
  return {
    get(owner: string, etag: string): Body | undefined {
      const body = bodies.get(owner);
      if (body?.etag !== etag) return undefined;
      bodies.delete(owner);
      bodies.set(owner, body);
      return body;
    },

    keep(owner: string, etag: string, text: string): Body {
      const body = { etag, plain: Buffer.from(text) };
      drop(owner);
      bodies.set(owner, body);
      size += body.plain.length;
      for (const [oldest] of bodies) {
        if (size <= atMost) break;
        drop(oldest);
      }
      return body;
    },
  };

  function drop(owner: string) {
    size -= bodies.get(owner)?.plain.length ?? 0;
    bodies.delete(owner);
  }
}
