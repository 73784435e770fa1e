/**
 * Reads a `Load` from standard input, sends it and prints a `LoadResult`. Runs in its own process,
 * so that it does not use the CPU time of the benchmark.
 */
import { json } from 'node:stream/consumers';
import autocannon from 'autocannon';

/** Requests to send. Each has its own client address. */
export interface Load {
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
  connections: number;
  seconds: number;
}

export type LoadResult = {
  requestsPerSecond: number;
  medianMs: number;
  p99Ms: number;
  /** Number of responses without success. */
  failed: number;
};

const { url, method, headers, body, connections, seconds } = (await json(process.stdin)) as Load;
let sent = 0;
const { requests, latency, statusCodeStats, errors } = await autocannon({
  url,
  method,
  connections,
  duration: seconds,
  requests: [
    {
      setupRequest(request) {
        sent += 1;
        request.headers = {
          ...request.headers,
          ...headers,
          'x-forwarded-for': `10.${(sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`,
        };
        if (body) request.body = body;
        return request;
      },
    },
  ],
});
// Counted here, because autocannon takes 304 for a failure.
const isSuccess = (status: string) => ['200', '201', '204', '304'].includes(status);
const count = (statuses: [string, { count?: number }][]) =>
  statuses.reduce((sum, [, { count: number = 0 }]) => sum + number, 0);
const statuses = Object.entries(statusCodeStats ?? {});
const result: LoadResult = {
  requestsPerSecond: requests.average,
  medianMs: latency.p50,
  p99Ms: latency.p99,
  failed: count(statuses.filter(([status]) => !isSuccess(status))) + errors,
};
console.log(JSON.stringify(result));
