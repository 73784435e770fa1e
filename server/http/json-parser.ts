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
      if (hasManyValues(body)) throw new Refusal('malformedJson');
      try {
        return JSON.parse(decoder.decode(body)) as unknown;
      } catch {
        throw new Refusal('malformedJson');
      }
    },
  );
}

/** More than any body of the contract has, with fields that it does not name. */
const maxValues = 1_000;
const [quote, backslash, ...separators] = Buffer.from('"\\{[,');

/**
 * Returns whether JSON has more values than a request needs. Parsing a text is cheap, but 100,000
 * small objects block the process and take twenty times their length.
 */
function hasManyValues(body: Buffer): boolean {
  let [isText, count] = [false, 0];
  for (let i = 0; i < body.length; i += 1) {
    const byte = body[i]!;
    if (isText && byte === backslash) i += 1;
    else if (byte === quote) isText = !isText;
    else if (!isText && separators.includes(byte)) count += 1;
    if (count > maxValues) return true;
  }
  return false;
}

function isPlainUtf8(headers: IncomingHttpHeaders): boolean {
  const { charset = 'utf-8' } = parseContentType(headers['content-type'] ?? '').parameters;
  const { 'content-encoding': encoding = 'identity' } = headers;
  return /^utf-?8$/i.test(charset) && /^identity$/i.test(encoding);
}
