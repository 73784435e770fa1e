import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { RunningServer } from '../../../testing/reference-server.ts';
import { untilQuiet, type TestClock } from './test-clock.ts';

export type HeaderMap = Record<string, string | string[] | undefined>;

export type BackendRequest = {
  method: string;
  path: string;
  headers: HeaderMap;
  body: string;
  /** Number of the connection, from 0. */
  connection: number;
  /** Whether the client has closed it. */
  hasLeft: () => boolean;
  /** Whether a connection is open that has sent no request. */
  hasUnused: () => boolean;
};

export type BackendResponse = {
  status: number;
  headers: HeaderMap;
  body: string | Buffer;
  /** Sends the response itself, in place of the server. */
  write?: (response: ServerResponse, server: Server) => void;
};

/** Never sends anything. */
export const noResponse: BackendResponse = { status: 0, headers: {}, body: '', write: () => {} };

/** Waits longer than the kit does, and sends nothing. */
export function neverRespond(clock: TestClock): BackendResponse {
  clock.increment(3_600_000);
  return noResponse;
}

export const closedConnection: BackendResponse = {
  ...noResponse,
  write: (response) => response.destroy(),
};

/** Sends a response. Then the server ends its connections, and listens again a while later. */
export const restartAfter = (sent: BackendResponse): BackendResponse => ({
  ...sent,
  write(response, server) {
    const { port } = server.address() as AddressInfo;
    response.setHeaders(new Map(Object.entries(sent.headers) as [string, string][]));
    response.writeHead(sent.status).end(sent.body, () => {
      server.close(() => void untilQuiet().then(() => server.listen(port, '127.0.0.1')));
      server.closeAllConnections();
    });
  },
});

export type Respond = (request: BackendRequest) => BackendResponse | Promise<BackendResponse>;

export async function startStubServer(respond: Respond): Promise<RunningServer> {
  const connections: Socket[] = [];
  const used = new Set<Socket>();
  const hasUnused = () => connections.some((each) => !each.destroyed && !used.has(each));
  const server = createServer(async (message, serverResponse) => {
    try {
      const { method = 'GET', url: path = '/', headers } = message;
      used.add(message.socket);
      const connection = connections.indexOf(message.socket);
      const hasLeft = () => message.socket.destroyed;
      const body = String(await buffer(message));
      const request = { method, path, headers, connection, body, hasLeft, hasUnused };
      const response = await respond(request);
      if (response.write) return response.write(serverResponse, server);
      const sent = Object.entries(response.headers).filter(([, value]) => value !== undefined);
      serverResponse.writeHead(response.status, Object.fromEntries(sent));
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
