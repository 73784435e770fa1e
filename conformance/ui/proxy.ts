import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { sendFile } from './static-files.ts';

export type Proxy = {
  origin: string;
  /** Returns whether a response was 429, which is evidence of nothing. */
  isThrottled: () => boolean;
  stop: () => void;
};

/** Serves the built app, and forwards `/api` to the backend, so that both have the same origin. */
export async function startProxy(appFolder: string, backendOrigin: string): Promise<Proxy> {
  const startRequest = backendOrigin.startsWith('https:') ? httpsRequest : httpRequest;

  let isThrottled = false;

  function forward(request: IncomingMessage, response: ServerResponse) {
    const { url = '/', method = 'GET', headers } = request;
    const outgoing = startRequest(backendOrigin + url, {
      method,
      rejectUnauthorized: false,
      headers: {
        ...headers,
        'accept-encoding': 'identity',
        host: new URL(backendOrigin).host,
        ...(headers.origin && { origin: backendOrigin }),
        ...(headers.referer && {
          referer: headers.referer.replace(new URL(headers.referer).origin, backendOrigin),
        }),
      },
    });
    outgoing.on('error', () => response.destroy());
    outgoing.on('response', (incoming) => {
      isThrottled ||= incoming.statusCode === 429;
      const cookies = incoming.headers['set-cookie']?.map((line) =>
        line.replace(/;\s*domain=[^;]*/i, ''),
      );
      response.writeHead(incoming.statusCode ?? 502, {
        ...incoming.headers,
        ...(cookies && { 'set-cookie': cookies }),
      });
      pipeline(incoming, response, () => {});
    });
    request.pipe(outgoing);
  }

  const server = createServer((request, response) => {
    const { url = '/' } = request;
    if (url.startsWith('/api')) forward(request, response);
    else if (!sendFile(appFolder, url, response)) sendFile(appFolder, '/', response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    isThrottled: () => isThrottled,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
