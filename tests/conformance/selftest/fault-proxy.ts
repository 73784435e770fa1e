import { once } from 'node:events';
import {
  createServer,
  request as sendRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { RunningServer } from '../../support/reference-server.ts';
import type { TestClock } from './test-clock.ts';

export type HeaderMap = Record<string, string | string[] | undefined>;

export type ProxyRequest = {
  method: string;
  path: string;
  headers: HeaderMap;
  body: string;
  /** Number of the connection, from 0. */
  connection: number;
};

export type ProxyResponse = {
  status: number;
  headers: HeaderMap;
  body: string | Buffer;
  /** Sends the response itself, in place of the server. */
  write?: (response: ServerResponse) => void;
};

/** Never sends anything. */
export const noResponse: ProxyResponse = { status: 0, headers: {}, body: '', write: () => {} };

/** Waits longer than the kit does, and sends nothing. */
export function neverRespond(clock: TestClock): ProxyResponse {
  clock.increment(3_600_000);
  return noResponse;
}

export const closedConnection: ProxyResponse = {
  ...noResponse,
  write: (response) => response.destroy(),
};

type MaybePromise<Value> = Value | Promise<Value>;

/** Responds to a request. `next` forwards it, or a changed request, to the backend. */
export type Middleware = (
  request: ProxyRequest,
  next: (request: ProxyRequest) => Promise<ProxyResponse>,
) => MaybePromise<ProxyResponse>;

/**
 * Starts a server that forwards every request to `backend` through the middleware. `clientIp` goes
 * into X-Forwarded-For, so that the backend throttles each proxy separately.
 */
export function startFaultProxy(
  backend: string,
  middleware: Middleware,
  clientIp: string,
): Promise<RunningServer> {
  return startStubServer((request) =>
    middleware(request, (changed) => forwardRequest(backend, changed, clientIp)),
  );
}

/** Starts a server on a free port that sends what `respond` returns. */
export async function startStubServer(
  respond: (request: ProxyRequest) => MaybePromise<ProxyResponse>,
): Promise<RunningServer> {
  const connections: Socket[] = [];
  const server = createServer(async (message, serverResponse) => {
    try {
      const { method = 'GET', url: path = '/', headers } = message;
      const connection = connections.indexOf(message.socket);
      const request = { method, path, headers, connection, body: String(await buffer(message)) };
      const response = await respond(request);
      if (response.write) return response.write(serverResponse);
      serverResponse.writeHead(response.status, forwardedHeaders(response.headers));
      serverResponse.end([204, 304].includes(response.status) ? undefined : response.body);
    } catch (error) {
      console.error(error);
      serverResponse.destroy();
    }
  });
  server.on('connection', (socket) => connections.push(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function forwardRequest(
  backend: string,
  { method, path, headers, body }: ProxyRequest,
  clientIp: string,
): Promise<ProxyResponse> {
  const request = sendRequest(backend + path, {
    method,
    headers: {
      ...forwardedHeaders(headers, 'accept-encoding'),
      'x-forwarded-for': clientIp,
      ...(body && { 'content-length': String(Buffer.byteLength(body)) }),
    },
  });
  // The backend may close the connection before it has read the body, and still have responded.
  request.on('error', () => {});
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return {
    status: response.statusCode ?? 0,
    headers: forwardedHeaders(response.headers),
    body: String(await buffer(response)),
  };
}

function forwardedHeaders(headers: HeaderMap, ...excluded: string[]) {
  const hopByHop = ['connection', 'keep-alive', 'content-length', 'transfer-encoding'];
  const entries = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] =>
      entry[1] !== undefined && ![...hopByHop, ...excluded].includes(entry[0]),
  );
  return Object.fromEntries(entries);
}
