import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * Starts a TCP proxy that can drop what passes like a broken network. `changeFirst` changes the
 * first packet of each client.
 */
export async function startTcpProxy(
  targetPort: number,
  port = 0,
  changeFirst = (packet: Buffer) => packet,
) {
  const sockets = new Set<Socket>();
  let isDropping = false;

  /** Passes on what arrives, and the end of the connection, unless the proxy drops packets. */
  function forward(from: Socket, to: Socket, pass: (chunk: Buffer) => Buffer) {
    sockets.add(from);
    from.setNoDelay(true);
    from.on('error', () => {});
    from.on('data', (chunk: Buffer) => {
      if (isDropping) return;
      to.write(pass(chunk));
    });
    from.on('close', () => {
      sockets.delete(from);
      if (!isDropping) to.destroy();
    });
  }

  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1');
    let isFirst = true;
    forward(client, upstream, (chunk) => {
      const packet = isFirst ? changeFirst(chunk) : chunk;
      isFirst = false;
      return packet;
    });
    forward(upstream, client, (chunk) => chunk);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
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
