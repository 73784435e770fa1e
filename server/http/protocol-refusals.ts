import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../auth/refusal.ts';
import type { Contract } from './contract.ts';
import { headersTooLargePage } from './pages.ts';
import { logBrokenRequest } from './security-log.ts';

// Node answers some requests itself, without a JSON body. Here the app answers and logs them.

export const invalidAddress = { status: 400, message: 'The address is not valid.' };

/** Node refuses more. Other apps of the domain may fill most of it with their cookies. */
export const maxHeaderBytes = 48 * 1024;
/** For the target and all headers but the cookies, which take time to read. */
const maxOtherHeaderBytes = 16 * 1024;

/** Of the head of a request that was refused. */
const maxDiscardedBytes = 1024 * 1024;
const discardedBytes = new WeakMap<Socket, number>();

const unmetExpectations = new WeakSet<IncomingMessage>();

/**
 * Passes requests with an unknown `Expect` header on to the app, and refuses `CONNECT`, whose target
 * is never a path.
 */
export function forwardToApp(server: Server) {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    unmetExpectations.add(request);
    server.emit('request', request, response);
  });
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => {}); // an unhandled 'error' event ends the process
    server.emit('clientError', Object.assign(new Error(), { code: 'CONNECT' }), socket);
  });
}

/**
 * Returns the path and query of a request target, which is a path or an absolute URL (RFC 9112,
 * 3.2). Returns undefined for any other target, such as `*`.
 */
export function pathOfTarget(target: string): string | undefined {
  if (target.startsWith('/')) return target;
  const [, path] = /^https?:\/\/[^/?#]+(.*)$/is.exec(target) ?? [];
  return path?.startsWith('/') === false ? `/${path}` : path;
}

/**
 * Returns the refusal of a request that has too long headers, whose target is neither a path nor an
 * absolute URL, which names no single host, or has an unmet `Expect` header.
 */
export function protocolRefusal({ originalUrl, raw }: FastifyRequest): Refusal | undefined {
  if (countOtherHeaderBytes(raw) > maxOtherHeaderBytes) return new Refusal('headersTooLarge');
  if (pathOfTarget(originalUrl) === undefined) return new Refusal(invalidAddress);
  const hosts = countHosts(raw);
  if (hosts > 1 || (hosts === 0 && raw.httpVersion === '1.1')) {
    return new Refusal({ status: 400, message: 'The request must name one host.' });
  }
  if (unmetExpectations.has(raw)) {
    const message = 'The request expects what this server cannot do.';
    return new Refusal({ status: 417, message });
  }
  return undefined;
}

/** Counts raw headers, because `request.headers` has only the first `Host`. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((name, i) => i % 2 === 0 && /^host$/i.test(name)).length;
}

function countOtherHeaderBytes({ url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text, i) => {
    const isCookie = i % 2 === 1 && /^cookie$/i.test(rawHeaders[i - 1]!);
    return isCookie ? sum : sum + text.length;
  }, url.length);
}

/** Answers and logs bytes that are not an HTTP request, or too many for its head. */
export function handleClientError(
  { log, connections }: FastifyInstance,
  error: NodeJS.ErrnoException & { rawPacket?: unknown },
  socket: Socket,
  { headersTooLarge, malformedHeaders }: Contract['refusals'],
) {
  const bytesAfterRefusal = discardedBytes.get(socket);
  if (bytesAfterRefusal !== undefined) {
    // Closing the connection while the client sends could destroy the response.
    discardedBytes.set(socket, bytesAfterRefusal + String(error.rawPacket).length);
    const mustEnd = error.rawPacket === undefined || bytesAfterRefusal > maxDiscardedBytes;
    return mustEnd ? socket.destroy() : undefined;
  }
  if (error.code !== 'ECONNRESET') logBrokenRequest(log, socket.remoteAddress ?? '', error.code);
  // No 408 after a timeout: browsers repeat a POST after it.
  const isTimeout = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (isTimeout || error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
  // This response must not end up inside the response to an earlier request on the connection.
  if (connections.hasCompleteRequest(socket)) return connections.closeWhenIdle(socket);
  const isOverflow = error.code === 'HPE_HEADER_OVERFLOW';
  const { status, message } = isOverflow ? headersTooLarge : malformedHeaders;
  const reason = isOverflow ? 'Request Header Fields Too Large' : 'Bad Request';
  const [type, body] =
    isOverflow && isFromBrowser(String(error.rawPacket))
      ? ['text/html; charset=utf-8', headersTooLargePage]
      : ['application/json', JSON.stringify({ message })];
  discardedBytes.set(socket, 0);
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** Browsers send cookies last, so a packet without the start of its request is a browser's. */
const isFromBrowser = (packet: string) => packet.includes('text/html') || !/^[A-Z]+ /.test(packet);
