import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setImmediate as yieldToEventLoop, setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Connections } from './connections.ts';

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
  const { server, connections } = app;
  // Node's would cut off responses that have not been sent yet.
  server.closeIdleConnections = () => {};
  const [firstAddress = 'localhost', ...otherAddresses] = addresses;
  await app.listen({ host: firstAddress, port: requestedPort });
  const { port } = server.address() as AddressInfo;
  const listeners = otherAddresses.map((host) =>
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      server.emit('connection', socket),
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
      connections.holdResponses(release);
      await untilNothingArrives(connections);
      await untilAllAreAccepted(connections);
      const closed = [server, ...listeners].map(
        (listener) => new Promise((resolve) => listener.close(resolve)),
      );
      closeIdleConnections(connections);
      await delay(quietMs); // for proxies to see that these connections are closed
      sendResponses();
      // Browsers open connections before they need them, and Node would wait for a request.
      const destroyUnused = setTimeout(() => {
        for (const socket of connections.sockets()) if (socket.bytesRead === 0) socket.destroy();
      }, idleGraceMs);
      await Promise.all([app.close(), ...closed]);
      clearTimeout(destroyUnused);
    },
  };
}

async function untilNothingArrives({ countArrivals }: Connections) {
  let seen = -1;
  for (let ms = 0; ms < maxHoldMs && seen !== countArrivals(); ms += quietMs) {
    seen = countArrivals();
    await delay(quietMs);
  }
}

/**
 * Waits until the connections that arrived before the last poll are accepted. A turn of the event
 * loop that was short and accepted none leaves only microseconds in which one can arrive.
 */
async function untilAllAreAccepted({ countArrivals }: Connections) {
  const deadline = performance.now() + maxHoldMs;
  for (;;) {
    const seen = countArrivals();
    const startMs = performance.now();
    await yieldToEventLoop();
    const isShort = performance.now() - startMs <= maxTurnMs;
    if ((isShort && seen === countArrivals()) || startMs >= deadline) return;
  }
}

function closeIdleConnections(connections: Connections) {
  for (const socket of connections.sockets()) {
    // A response that started earlier has announced keep-alive, so Node would wait for more.
    connections.closeWhenIdle(socket);
    if (connections.isIdle(socket)) socket.destroy();
  }
}
