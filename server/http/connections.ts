import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

const underWay = new WeakMap<Socket, Set<IncomingMessage>>();
const ending = new WeakSet<Socket>();

/** Remembers which requests are being answered on each connection of a server. */
export function trackRequests(server: Server) {
  server.on('request', (request, response) => {
    const { socket } = request;
    const requests = underWay.get(socket) ?? new Set();
    underWay.set(socket, requests.add(request));
    response.once('close', () => {
      requests.delete(request);
      if (ending.has(socket) && requests.size === 0) socket.end();
    });
  });
}

/** Whether a request that has arrived as a whole is being answered. */
export function isAnswering(socket: Socket): boolean {
  return [...(underWay.get(socket) ?? [])].some(({ complete }) => complete);
}

/** Ends a connection after the answers that are under way on it. */
export function closeWhenIdle(socket: Socket) {
  ending.add(socket);
}
