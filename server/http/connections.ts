import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

declare module 'fastify' {
  interface FastifyInstance {
    connections: Connections;
  }
}

const maxDiscardedBytes = 10_000_000;

interface Connection {
  requestsInFlight: Set<IncomingMessage>;
  /** When the last response ended. */
  bytesRead: number;
  closesWhenIdle: boolean;
}

export type Connections = ReturnType<typeof trackConnections>;

/** Tracks the connections of a server, and the requests in flight on each. */
export function trackConnections(server: Server) {
  const bySocket = new Map<Socket, Connection>();
  let arrivals = 0;
  let released: Promise<void> | undefined;

  server.on('connection', (socket: Socket) => {
    arrivals += 1;
    bySocket.set(socket, { requestsInFlight: new Set(), bytesRead: 0, closesWhenIdle: false });
    socket.once('close', () => bySocket.delete(socket));
  });
  server.on('request', (request, response) => {
    arrivals += 1;
    const { socket } = request;
    const connection = bySocket.get(socket);
    connection?.requestsInFlight.add(request);
    response.once('close', () => {
      if (!connection) return;
      connection.requestsInFlight.delete(request);
      connection.bytesRead = socket.bytesRead;
      if (connection.closesWhenIdle && connection.requestsInFlight.size === 0) socket.end();
    });
  });

  return {
    /** Returns the open ones. */
    sockets: (): Socket[] => [...bySocket.keys()],

    /** Returns how many connections and requests have arrived so far. */
    countArrivals: () => arrivals,

    /** Returns true if a completely received request is in flight. */
    hasCompleteRequest: (socket: Socket): boolean =>
      [...(bySocket.get(socket)?.requestsInFlight ?? [])].some(({ complete }) => complete),

    /** Returns true if a request was answered, all were, and no further one has begun. */
    isIdle(socket: Socket): boolean {
      const { requestsInFlight, bytesRead = 0 } = bySocket.get(socket) ?? {};
      return requestsInFlight?.size === 0 && bytesRead > 0 && bytesRead === socket.bytesRead;
    },

    /** Closes a connection after the responses in flight on it. */
    closeWhenIdle(socket: Socket) {
      const connection = bySocket.get(socket);
      if (connection) connection.closesWhenIdle = true;
    },

    /** Makes responses that have not begun wait for `release`. */
    holdResponses(release: Promise<void>) {
      released = release;
    },

    /** Returns what a response waits for. */
    responseRelease: () => released,

    /** Reads the rest of a refused body: closing the connection earlier could destroy the response. */
    discardBody: createBodyReader(),
  };
}

/** Returns a function that reads a body and drops its bytes. */
function createBodyReader() {
  let lastTurn = Promise.resolve();
  return (request: IncomingMessage) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxDiscardedBytes) request.socket.destroy();
      // One chunk a turn of the event loop, because many such bodies would delay all other requests.
      request.socket.pause();
      lastTurn = lastTurn.then(() => yieldToEventLoop()).then(() => void request.socket.resume());
    });
  };
}
