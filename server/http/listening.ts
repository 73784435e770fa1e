import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { closeWhenIdle } from './connections.ts';

const idleGraceMs = 1_000; // milliseconds in which a connection may begin to speak after the port is closed

/**
 * The addresses of `host` that this machine has: of "localhost", often two. Throws when another program has the port on one of them,
 * which would get some of our visitors.
 */
export async function addressesOf(host: string, port: number): Promise<string[]> {
  const usable = new Set<string>();
  for (const { address } of await lookup(host, { all: true })) {
    const probe = createServer().listen({ host: address, port });
    try {
      await once(probe, 'listening');
      usable.add(address);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') throw error;
    }
    await new Promise((done) => probe.close(done));
  }
  return usable.size > 0 ? [...usable] : [host];
}

/**
 * Listens on all of `addresses`. Every connection becomes one of the app's own server: given "localhost", Fastify would make a second
 * server for the second address, and forget about what is under way there when it closes.
 */
export async function listen(app: FastifyInstance, addresses: string[], port: number) {
  const connections = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const [first = 'localhost', ...others] = addresses;
  await app.listen({ host: first, port });
  const { port: listening } = app.server.address() as AddressInfo;
  const listeners = others.map((host) =>
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      app.server.emit('connection', socket),
    ).listen({ host, port: listening }),
  );
  await Promise.all(listeners.map((door) => once(door, 'listening')));
  return {
    port: listening,
    /** Closes the port; resolves when all that is under way has been answered. */
    async close() {
      // An answer that began before we were asked to stop has promised to keep its connection, and Node would wait for more.
      for (const socket of connections) closeWhenIdle(socket);
      // Browsers open connections ahead of their requests, for which Node would wait.
      const destroyIdle = setTimeout(() => {
        for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
      }, idleGraceMs);
      const closed = listeners.map((door) => new Promise((done) => door.close(done)));
      await Promise.all([app.close(), ...closed]);
      clearTimeout(destroyIdle);
    },
  };
}
