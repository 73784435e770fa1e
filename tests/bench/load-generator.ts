import { randomUUID } from 'node:crypto';
import { json } from 'node:stream/consumers';
import autocannon from 'autocannon';

/** What to send: the requests in turn, each of them from an address of its own. */
export interface Load {
  url: string;
  method: 'GET' | 'POST';
  /** Of one request each. */
  headers: Record<string, string>[];
  /** EMAIL in it becomes an email that nobody has. */
  body?: string;
  connections: number;
  seconds: number;
}

export interface Loaded {
  /** Answers a second. */
  rate: number;
  /** Milliseconds. */
  median: number;
  p99: number;
  /** Answers that were no success. */
  refused: number;
}

// In a process of its own, so that it takes no time from what it measures. Reads a Load, writes a Loaded.
const { url, method, headers, body, connections, seconds } = (await json(process.stdin)) as Load;
let sent = 0;
const { requests, latency, non2xx, errors } = await autocannon({
  url,
  method,
  connections,
  duration: seconds,
  requests: [
    {
      setupRequest(request) {
        sent += 1;
        const from = `10.${(sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`;
        request.headers = {
          ...request.headers,
          ...headers[sent % headers.length],
          'x-forwarded-for': from,
        };
        if (body) request.body = body.replace('EMAIL', `${randomUUID()}@example.org`);
        return request;
      },
    },
  ],
});
const loaded: Loaded = {
  rate: requests.average,
  median: latency.p50,
  p99: latency.p99,
  refused: non2xx + errors,
};
console.log(JSON.stringify(loaded));
