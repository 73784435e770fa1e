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

export type LoadResult = { requestsPerSecond: number; medianMs: number; p99Ms: number };

/** Sends a load. Throws if a request fails. */
export async function runLoad(name: string, load: Load): Promise<LoadResult> {
  const { url, method, headers, body, connections, seconds } = load;
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
  if (non2xx + errors > 0) throw new Error(`${name}: ${non2xx + errors} failed requests`);
  return { requestsPerSecond: requests.average, medianMs: latency.p50, p99Ms: latency.p99 };
}
