import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

const requestsInFlight = new WeakMap<Socket, Set<IncomingMessage>>();
const closingSockets = new WeakSet<Socket>();

/** Tracks the requests in flight on each connection of a server. */
export function trackRequests(server: Server) {
  server.on('request', (request, response) => {
    const { socket } = request;
    const requests = requestsInFlight.get(socket) ?? new Set();
    requestsInFlight.set(socket, requests.add(request));
    response.once('close', () => {
      requests.delete(request);
      if (closingSockets.has(socket) && requests.size === 0) socket.end();
    });
  });
}

/** Returns true if a completely received request is in flight. */
export function hasCompleteRequest(socket: Socket): boolean {
  return [...(requestsInFlight.get(socket) ?? [])].some(({ complete }) => complete);
}

/** Closes a connection after the responses in flight on it. */
export function closeWhenIdle(socket: Socket) {
  closingSockets.add(socket);
}
