import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Starts a TCP proxy that counts what passes, and that can drop it like a broken network. */
export async function startTcpProxy(targetPort: number, port = 0) {
  const counts = { roundTrips: 0, bytesToServer: 0, bytesToClient: 0 };
  const sockets = new Set<Socket>();
  let isDropping = false;

  /** Passes on what arrives, and the end of the connection, unless the proxy drops packets. */
  function forward(from: Socket, to: Socket, onData: (bytes: number) => void) {
    sockets.add(from);
    from.setNoDelay(true);
    from.on('error', () => {});
    from.on('data', (chunk: Buffer) => {
      if (isDropping) return;
      onData(chunk.length);
      to.write(chunk);
    });
    from.on('close', () => {
      sockets.delete(from);
      if (!isDropping) to.destroy();
    });
  }

  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1');
    let isWaiting = false;
    forward(client, upstream, (bytes) => {
      counts.bytesToServer += bytes;
      if (!isWaiting) counts.roundTrips += 1;
      isWaiting = true;
    });
    forward(upstream, client, (bytes) => {
      counts.bytesToClient += bytes;
      isWaiting = false;
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    counts,
    /** Drops all packets from now on: peers see neither data nor the end of a connection. */
    drop() {
      isDropping = true;
    },
    /** Refuses new connections from now on, and keeps the open ones. */
    refuse() {
      server.close();
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
