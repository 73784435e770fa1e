import type { RunningServer } from '../../support/reference-server.ts';
import {
  errorResponse,
  faultRows,
  interceptRequests,
  interceptResponses,
  jsonResponse,
  withHeaders,
  type FaultTable,
} from './fault-builders.ts';
import { neverRespond, startFaultProxy, startStubServer, type Middleware } from './fault-proxy.ts';
import { startVariant } from './valid-variants.ts';
import type { TestClock } from './test-clock.ts';

const serverTable: FaultTable<(clock: TestClock) => Promise<RunningServer>> = {
  'a web server that sends the same HTML page for every address [REACH-1]': () =>
    startStubServer(() => ({
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: '<!doctype html><title>Tracker App</title><div id="root"></div>',
    })),
  'a backend without the base path /api/v1 [REACH-1]': () =>
    startStubServer(({ path }) =>
      path === '/projects'
        ? errorResponse(401, 'Please sign in.')
        : jsonResponse(404, { error: 'Not Found' }),
    ),
  'a server that answers every request with {} [SIGNIN-1, PROJECT-1, PROJECT-2]': () =>
    startStubServer(() => jsonResponse(200, {})),
  'a server that accepts connections and never responds [REACH-1]': (clock) =>
    startStubServer(() => neverRespond(clock)),
  'a mock that responds with the examples of the contract and stores nothing [SIGNIN-1, PROJECT-2, PROJECT-6]':
    async () => {
      const { startPrism } = await import('../../../tools/prism.ts');
      const { url, close } = await startPrism();
      return { origin: url, stop: close };
    },
};

const appOrigin = 'https://app.example.org';
const allowedOrigin = 'access-control-allow-origin';

/** Faults of a backend for an app that another origin serves. */
const corsTable: FaultTable<() => Promise<RunningServer>> = Object.fromEntries(
  Object.entries({
    'the server rejects preflight requests [CORS-1]': interceptRequests(
      ({ method }) => method === 'OPTIONS' && errorResponse(405, 'This method is not allowed.'),
    ),
    'the server allows other origins in preflight requests only [CORS-2]': interceptResponses(
      (response, { method }) =>
        method !== 'OPTIONS' && withHeaders(response, { [allowedOrigin]: undefined }),
    ),
    'the server allows every origin with cookies [CORS-3]': interceptResponses(
      (response, { headers: { origin } }) =>
        withHeaders(response, {
          [allowedOrigin]: origin,
          'access-control-allow-credentials': 'true',
        }),
    ),
  }).map(([title, middleware]) => [title, () => startBehindProxy(middleware)]),
);

async function startBehindProxy(middleware: Middleware): Promise<RunningServer> {
  const backend = await startVariant({ appOrigin });
  const proxy = await startFaultProxy(backend.origin, middleware, '10.5.0.1');
  return { origin: proxy.origin, stop: () => proxy.stop().then(backend.stop) };
}

/** Servers that do not implement the contract, or not for an app of another origin. */
export const wrongServers = [
  ...faultRows(serverTable).map((row) => ({ ...row, appOrigin: undefined })),
  ...faultRows(corsTable).map((row) => ({ ...row, appOrigin })),
].map(({ value: start, ...fault }) => ({ ...fault, start }));
