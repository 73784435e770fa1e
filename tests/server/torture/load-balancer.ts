import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Starts a round-robin load balancer with keep-alive that checks /readyz. A refused connection is
 * retried on the next server. A connection that breaks later fails the request.
 */
export async function startLoadBalancer(addresses: string[]) {
  const agent = new Agent({ keepAlive: true });
  const ready = new Set(addresses);
  let requests = 0;

  function forward(
    incoming: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
    retries: number,
  ) {
    const targets = [...(ready.size > 0 ? ready : addresses)];
    const target = targets[(requests += 1) % targets.length]!;
    const { method, url, headers } = incoming;
    const outgoing = request(target + url, { agent, method, headers }, (upstream) => {
      const { connection: _hopByHop, ...passed } = upstream.headers;
      response.writeHead(upstream.statusCode!, passed);
      upstream.pipe(response);
      upstream.on('error', () => response.destroy());
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      ready.delete(target);
      if (error.code === 'ECONNREFUSED' && retries > 0) {
        forward(incoming, body, response, retries - 1);
      } else {
        response.destroy();
      }
    });
    outgoing.end(body);
  }

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => forward(incoming, Buffer.concat(chunks), response, addresses.length));
  });
  const checkReadiness = async (address: string) => {
    const isReady = await fetch(`${address}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) ready.add(address);
    else ready.delete(address);
  };
  const timer = setInterval(() => void addresses.map(checkReadiness), 100);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    checkReadiness,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      agent.destroy();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
