import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { Refusal } from '../refusal.ts';
import { closeWhenIdle, hasCompleteRequest } from './connections.ts';
import { logBrokenRequest } from './security-log.ts';

// An import would load all of the module, with fetch and WebSocket, which takes 20 ms of a start.
const http = process.getBuiltinModule('node:http');

// Node answers some requests itself, without a JSON body. Here the app answers and logs them.

const unmetExpectations = new WeakSet<IncomingMessage>();

/** Passes `CONNECT` requests and unknown `Expect` headers on to the app. */
export function forwardToApp(server: Server) {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    unmetExpectations.add(request);
    server.emit('request', request, response);
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    const response = new http.ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.destroySoon());
    socket.on('error', () => {}); // an unhandled 'error' event ends the process
    server.emit('request', request, response);
  });
}

/** Returns the refusal of a request that names no single host or has an unmet `Expect` header. */
export function protocolRefusal(request: IncomingMessage): Refusal | undefined {
  const hosts = countHosts(request);
  if (hosts > 1 || (hosts === 0 && request.httpVersion === '1.1')) {
    return new Refusal({ status: 400, message: 'The request must name one host.' });
  }
  if (unmetExpectations.has(request)) {
    const message = 'The request expects what this server cannot do.';
    return new Refusal({ status: 417, message });
  }
  return undefined;
}

/** Counts raw headers, because `request.headers` has only the first `Host`. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((name, i) => i % 2 === 0 && /^host$/i.test(name)).length;
}

/** Answers and logs bytes that are not an HTTP request. */
export function handleClientError(
  log: FastifyBaseLogger,
  error: NodeJS.ErrnoException,
  socket: Socket,
) {
  if (error.code !== 'ECONNRESET') logBrokenRequest(log, socket.remoteAddress ?? '', error.code);
  // No 408 after a timeout: browsers repeat a POST after it.
  const isTimeout = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (isTimeout || error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
  // This response must not end up inside the response to an earlier request on the connection.
  if (hasCompleteRequest(socket)) return closeWhenIdle(socket);
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : '400 Bad Request';
  const body = JSON.stringify({ message: 'The request could not be understood.' });
  return socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}
