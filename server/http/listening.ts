import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { closeWhenIdle } from './connections.ts';

/** Time for a new connection to send its first byte after the port is closed. */
const idleGraceMs = 1_000;

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
  app.server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
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
      // A response that started earlier has announced keep-alive, so Node would wait for more.
      for (const socket of connections) closeWhenIdle(socket);
      // Browsers open connections before they need them, and Node would wait for a request.
      const destroyIdle = setTimeout(() => {
        for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
      }, idleGraceMs);
      const closed = listeners.map((listener) => new Promise((resolve) => listener.close(resolve)));
      await Promise.all([app.close(), ...closed]);
      clearTimeout(destroyIdle);
    },
  };
}
