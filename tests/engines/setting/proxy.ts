import { once } from 'node:events';
import { createServer, request as sendRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export type RecordedRequest = { method: string; path: string; headers: IncomingHttpHeaders };

/**
 * Starts a server between the browser and the reference backend. It records the requests, and can
 * hold the app's scripts back, in any browser. With `credentials`, it demands them by HTTP Basic.
 */
export async function startRecordingProxy(target: string, credentials = '') {
  const authorization = credentials && `Basic ${btoa(credentials)}`;
  const requests: RecordedRequest[] = [];
  const held: (() => void)[] = [];
  let isHolding = false;
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request;
    if (authorization && headers.authorization !== authorization) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="Tracker"' }).end();
      return;
    }
    requests.push({ method, path, headers });
    const forward = () => {
      const forwarded = sendRequest(new URL(path, target), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      // The browser reports a cut connection as it does without a proxy.
      forwarded.on('error', () => response.destroy());
      response.on('close', () => forwarded.destroy());
      request.pipe(forwarded);
    };
    if (isHolding && path.startsWith('/assets/')) held.push(forward);
    else forward();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://${credentials && `${credentials}@`}127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    holdScripts: () => void (isHolding = true),
    releaseScripts() {
      isHolding = false;
      for (const forward of held.splice(0)) forward();
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
