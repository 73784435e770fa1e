import { setTimeout as passed } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { login, list, creating, fault, isCall, replies, type Fault } from '../fault-builders.ts';

/** What is wrong with how answers come. */
export const answerFaults: Fault[] = [
  fault('JSON is sent as text/html', 'REACH-2', () => ({
    reply: (reply) => ({
      ...reply,
      headers: { ...reply.headers, 'content-type': 'text/html; charset=utf-8' },
    }),
  })),
  fault('Content-Length counts characters in place of bytes', 'REACH-2', () => ({
    reply: (reply) => ({
      ...reply,
      body: Buffer.from(String(reply.body)).subarray(0, String(reply.body).length),
    }),
  })),
  fault(
    'the list is compressed and does not say so',
    'REACH-2',
    replies([list], (reply) => ({ ...reply, body: gzipSync(reply.body) })),
  ),
  fault(
    'the list is UTF-16',
    'REACH-2',
    replies([list], (reply) => ({ ...reply, body: Buffer.from(String(reply.body), 'utf16le') })),
  ),
  fault('creating takes more than a second', 'REACH-10', () => ({
    async reply(_, incoming) {
      if (isCall(incoming, creating)) await passed(1050);
    },
  })),
  fault('answers have no content type', 'REACH-9', () => ({
    reply(reply) {
      const { 'content-type': _none, ...rest } = reply.headers;
      return { ...reply, headers: rest };
    },
  })),
  fault('bodies begin with a byte order mark', 'REACH-7', () => ({
    reply: (reply) => ({ ...reply, body: `\uFEFF${String(reply.body)}` }),
  })),
  fault(
    'the list breaks off',
    'REACH-5',
    replies([list], (reply) => ({
      ...reply,
      write(response) {
        response.writeHead(reply.status, {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(String(reply.body)) + 100),
        });
        response.write(reply.body, () => response.destroy());
      },
    })),
  ),
  fault(
    'a wrong password is never answered',
    'REACH-5',
    replies([login], (reply) => (reply.status === 401 ? { ...reply, write: () => {} } : undefined)),
  ),
  fault(
    'creating closes the connection',
    'REACH-5',
    replies([creating], (reply) =>
      reply.status === 201 ? { ...reply, write: (response) => response.destroy() } : undefined,
    ),
  ),
  fault('bodies are said to be compressed, and are not', 'REACH-5', () => ({
    reply: (reply) => ({ ...reply, headers: { ...reply.headers, 'content-encoding': 'gzip' } }),
  })),
  fault(
    'the list of a person is public to caches',
    'REACH-8',
    replies([list], (reply) => ({
      ...reply,
      headers: { ...reply.headers, 'cache-control': 'public, max-age=60' },
    })),
  ),
];
