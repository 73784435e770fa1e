import type { IncomingHttpHeaders } from 'node:http';
import { parse as parseContentType } from 'content-type';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../auth/refusal.ts';

/** Replaces Fastify's body parsers by one that accepts only JSON in uncompressed UTF-8. */
export function registerJsonParser(app: FastifyInstance) {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async ({ headers }: FastifyRequest, body: Buffer) => {
      if (!isPlainUtf8(headers)) throw new Refusal('notJson');
      try {
        return JSON.parse(decoder.decode(body)) as unknown;
      } catch {
        throw new Refusal('malformedJson');
      }
    },
  );
}

function isPlainUtf8(headers: IncomingHttpHeaders): boolean {
  const { charset = 'utf-8' } = parseContentType(headers['content-type'] ?? '').parameters;
  const { 'content-encoding': encoding = 'identity' } = headers;
  return /^utf-?8$/i.test(charset) && /^identity$/i.test(encoding);
}
