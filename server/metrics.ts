import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Counter, Gauge, Histogram, register } from 'prom-client';
import type { HashingLimit } from './auth/hashing-limit.ts';
import { endedRequests, type EndedRequest } from './http/log.ts';
import type { Store } from './store/store.ts';

/** PostgreSQL looks at each file of the database for its size. */
const sizeIntervalMs = 60_000;

/** Serves `/metrics` for Prometheus on a port of its own. Returns its URL. */
export async function serveMetrics(
  store: Store,
  hashing: HashingLimit,
  host: string,
  port: number,
): Promise<string> {
  collectDefaultMetrics(); // of the process and its event loop
  observeRequests();
  const { database } = store;
  const waiting = new Gauge({
    name: 'tracker_hashing_waiting',
    help: 'Requests that wait for a hash.',
  });
  const poolWaiting = new Gauge({
    name: 'tracker_pool_waiting',
    help: 'Queries without connection to PostgreSQL.',
  });
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
    const counts = hashing.counts();
    waiting.set(counts.waiting);
    poolWaiting.set(database.countWaiting?.() ?? 0);
    refused.reset();
    refused.inc(counts.refused);
    return register.metrics().then(
      (text) => response.setHeader('content-type', register.contentType).end(text),
      () => response.writeHead(500).end(),
    );
  };
  const server = createServer(respond).listen(port, host).unref();
  await once(server, 'listening');
  return `http://${host}:${(server.address() as AddressInfo).port}/metrics`;
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
