import { createServer, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { sendFile } from './static-files.ts';

export type Proxy = {
  origin: string;
  /** The last answer's body, by method and path: a browser does not always keep it. */
  bodies: Map<string, string>;
  stop: () => void;
};

/** Serves the built app in `folder`, and passes what is below `/api` on to the target, as if both were one. */
export async function startProxy(folder: string, target: string): Promise<Proxy> {
  const bodies = new Map<string, string>();
  const request = target.startsWith('https:') ? httpsRequest : httpRequest;
  const server = createServer((message, response) => {
    const { url = '/', method = 'GET', headers } = message;
    if (url.startsWith('/api')) {
      const outgoing = request(target + url, {
        method,
        rejectUnauthorized: false,
        headers: {
          ...headers,
          'accept-encoding': 'identity',
          host: new URL(target).host,
          ...(headers.origin && { origin: target }),
        },
      });
      outgoing.on('error', () => response.destroy());
      outgoing.on('response', (answer) => {
        const cookies = answer.headers['set-cookie']?.map((line) =>
          line.replace(/;\s*domain=[^;]*/i, ''),
        );
        response.writeHead(answer.statusCode ?? 502, {
          ...answer.headers,
          ...(cookies && { 'set-cookie': cookies }),
        });
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          bodies.set(`${method} ${url}`, Buffer.concat(chunks).toString('utf8'));
          response.end(Buffer.concat(chunks));
        });
        answer.on('error', () => response.destroy());
      });
      message.pipe(outgoing);
      return;
    }
    if (!sendFile(folder, url, response)) sendFile(folder, '/', response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    bodies,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
