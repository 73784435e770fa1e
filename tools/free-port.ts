import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Systems choose higher ports, for connections and for servers that listen on port 0. Browsers
 * refuse some of the lower ones.
 */
const [minPort, maxPort] = [11_000, 32_767];

/**
 * Returns a port that was free a moment ago, for servers that do not report a port they chose, and
 * for servers that restart. A server that listens on port 0 never takes it meanwhile.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(minPort, maxPort + 1);
    const server = createServer().listen(port);
    const error = await once(server, 'listening').then(
      () => undefined,
      (reason: NodeJS.ErrnoException) => reason,
    );
    await new Promise((resolve) => server.close(resolve));
    if (!error) return port;
    if (error.code !== 'EADDRINUSE') throw error;
  }
}
