import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

const maxDiscardedBytes = 10_000_000;
let lastTurn = Promise.resolve();
const requestsInFlight = new WeakMap<Socket, Set<IncomingMessage>>();
const heldServers = new WeakMap<Server, Promise<void>>();
const closingSockets = new WeakSet<Socket>();
const bytesReadBefore = new WeakMap<Socket, number>();

/** Tracks the requests in flight on each connection of a server. */
export function trackRequests(server: Server) {
  server.on('request', (request, response) => {
    const { socket } = request;
    const requests = requestsInFlight.get(socket) ?? new Set();
    requestsInFlight.set(socket, requests.add(request));
    response.once('close', () => {
      requests.delete(request);
      bytesReadBefore.set(socket, socket.bytesRead);
      if (closingSockets.has(socket) && requests.size === 0) socket.end();
    });
  });
}

/** Returns true if a completely received request is in flight. */
export function hasCompleteRequest(socket: Socket): boolean {
  return [...(requestsInFlight.get(socket) ?? [])].some(({ complete }) => complete);
}

/** Returns true if all requests on a connection were answered and no further one has begun. */
export function isIdle(socket: Socket): boolean {
  return (
    requestsInFlight.get(socket)?.size === 0 && bytesReadBefore.get(socket) === socket.bytesRead
  );
}

/** Closes a connection after the responses in flight on it. */
export function closeWhenIdle(socket: Socket) {
  closingSockets.add(socket);
}

/** Makes responses that have not begun wait for `release`. */
export function holdResponses(server: Server, release: Promise<void>) {
  heldServers.set(server, release);
}

/** Returns what a response waits for. */
export function responseRelease(server: Server): Promise<void> | undefined {
  return heldServers.get(server);
}

/** Reads the rest of a refused body: closing the connection earlier could destroy the response. */
export function discardBody(request: IncomingMessage) {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxDiscardedBytes) request.socket.destroy();
    // One chunk a turn of the event loop, because many such bodies would delay all other requests.
    request.socket.pause();
    lastTurn = lastTurn.then(() => yieldToEventLoop()).then(() => void request.socket.resume());
  });
}
