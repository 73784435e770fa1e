import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, register } from 'prom-client';
import { resolveHost } from './http/listening.ts';
import { endedRequests, type EndedRequest } from './http/log.ts';
import type { Store } from './store/store.ts';

/** PostgreSQL looks at each file of the database for its size. */
const sizeIntervalMs = 60_000;

/** Serves `/metrics` for Prometheus on a port of its own. Returns its URL. */
export async function serveMetrics(
  store: Store,
  { hashing, countStreams }: FastifyInstance['load'],
  host: string,
  port: number,
): Promise<string> {
  collectDefaultMetrics(); // of the process and its event loop
  observeRequests();
  const { database } = store;
  const pool = () => database.countConnections?.() ?? { total: 0, idle: 0, waiting: 0 };
  const gauges: Record<string, [help: string, read: () => number]> = {
    tracker_hashing_running: ['Passwords that are being hashed.', () => hashing.counts().running],
    tracker_hashing_waiting: ['Requests that wait for a hash.', () => hashing.counts().waiting],
    tracker_list_streams: ['Lists that are being streamed.', countStreams],
    tracker_pool_connections: ['Connections to PostgreSQL.', () => pool().total],
    tracker_pool_idle: ['Idle connections to PostgreSQL.', () => pool().idle],
    tracker_pool_waiting: ['Queries without connection.', () => pool().waiting],
  };
  const readings = Object.entries(gauges).map(
    ([name, [help, read]]) => [new Gauge({ name, help }), read] as const,
  );
  const refused = new Counter({
    name: 'tracker_hashing_refused_total',
    help: 'Requests that were refused because too many waited for a hash.',
  });
  const size = new Gauge({ name: 'tracker_store_bytes', help: 'Size of the database on disk.' });
  const readSize = () =>
    database.size().then(
      (bytes) => size.set(bytes),
      () => size.set(NaN),
    );
  await readSize();
  setInterval(readSize, sizeIntervalMs).unref();

  const respond: RequestListener = (request, response) => {
    if (request.url !== '/metrics') return response.writeHead(404).end();
    for (const [gauge, read] of readings) gauge.set(read());
    refused.reset();
    refused.inc(hashing.counts().refused);
    return register.metrics().then(
      (text) => response.setHeader('content-type', register.contentType).end(text),
      () => response.writeHead(500).end(),
    );
  };
  let usedPort = port;
  for (const address of await resolveHost(host, port)) {
    const server = createServer(respond).listen(usedPort, address);
    // The first one may choose the port.
    await once(server, 'listening');
    usedPort = (server.address() as AddressInfo).port;
  }
  return `http://${host}:${usedPort}/metrics`;
}

function observeRequests() {
  const duration = new Histogram({
    name: 'tracker_request_duration_seconds',
    help: 'From the head of a request to the end of its response, by operation and status.',
    labelNames: ['operation', 'status'],
  });
  endedRequests.subscribe((message) => {
    const { request, status, ms } = message as EndedRequest;
    const operation =
      request.routeOptions.config?.operationId ?? (request.is404 ? 'unknown' : 'static');
    duration.observe({ operation, status }, ms / 1000);
  });
}
