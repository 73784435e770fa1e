import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as yieldToEventLoop, setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { closeWhenIdle, holdResponses, isIdle } from './connections.ts';

/** Time for a new connection to send its first byte after the port is closed. */
const idleGraceMs = 1_000;
/** The port is closed when nothing has arrived for this long. */
const quietMs = 20;
const maxHoldMs = 500;
const maxTurnMs = 0.2;

/**
 * Returns the addresses of `host` on this machine: "localhost" often has two. Throws if the port is
 * taken on one of them, because some clients would reach the other program.
 */
export async function resolveHost(host: string, port: number): Promise<string[]> {
  const usable = new Set<string>();
  for (const { address } of await lookup(host, { all: true })) {
    const probe = createServer().listen({ host: address, port });
    try {
      await once(probe, 'listening');
      usable.add(address);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') throw error;
    }
    await new Promise((resolve) => probe.close(resolve));
  }
  return usable.size > 0 ? [...usable] : [host];
}

/**
 * Listens on all `addresses` and passes each connection to the app's only server. For "localhost",
 * Fastify itself would start a second server and not wait for its requests when it closes.
 */
export async function listen(app: FastifyInstance, addresses: string[], requestedPort: number) {
  const connections = new Set<Socket>();
  let arrivals = 0;
  app.server.on('connection', (socket: Socket) => {
    arrivals += 1;
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  app.server.on('request', () => (arrivals += 1));
  // Node's would cut off responses that have not been sent yet.
  app.server.closeIdleConnections = () => {};
  const [firstAddress = 'localhost', ...otherAddresses] = addresses;
  await app.listen({ host: firstAddress, port: requestedPort });
  const { port } = app.server.address() as AddressInfo;
  const listeners = otherAddresses.map((host) =>
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      app.server.emit('connection', socket),
    ).listen({ host, port }),
  );
  await Promise.all(listeners.map((listener) => once(listener, 'listening')));
  return {
    port,
    /** Closes the port. Resolves when all requests in flight have been answered. */
    async close() {
      // The system resets the connections that wait to be accepted when a port is closed. Clients
      // send their next request after a response, so responses wait until nothing arrives.
      const { promise: release, resolve: sendResponses } = Promise.withResolvers<void>();
      holdResponses(app.server, release);
      let seen = -1;
      for (let ms = 0; ms < maxHoldMs && seen !== arrivals; ms += quietMs) {
        seen = arrivals;
        await delay(quietMs);
      }
      // Connections that arrived before the last poll are accepted. A turn of the event loop that
      // was short and accepted none leaves only microseconds in which one can arrive.
      const deadline = performance.now() + maxHoldMs;
      let startMs: number;
      do {
        seen = arrivals;
        startMs = performance.now();
        await yieldToEventLoop();
      } while (
        (seen !== arrivals || performance.now() - startMs > maxTurnMs) &&
        startMs < deadline
      );
      const closed = [app.server, ...listeners].map(
        (listener) => new Promise((resolve) => listener.close(resolve)),
      );
      for (const socket of connections) {
        // A response that started earlier has announced keep-alive, so Node would wait for more.
        closeWhenIdle(socket);
        if (isIdle(socket)) socket.destroy();
      }
      await delay(quietMs); // for proxies to see that these connections are closed
      sendResponses();
      // Browsers open connections before they need them, and Node would wait for a request.
      const destroyIdle = setTimeout(() => {
        for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
      }, idleGraceMs);
      await Promise.all([app.close(), ...closed]);
      clearTimeout(destroyIdle);
    },
  };
}
