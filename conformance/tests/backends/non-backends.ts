import type { RunningServer } from '../../../testing/reference-server.ts';
import { exemplary, jsonResponse, startBackend, withHeaders, type Change } from './backend.ts';
import * as change from './changes.ts';
import {
  closedConnection,
  neverRespond,
  restartAfter,
  startStubServer,
  type BackendRequest,
  type BackendResponse,
} from './stub-server.ts';
import type { TestClock } from './test-clock.ts';
import { allowOrigin, appOrigin } from './variants.ts';

type NonBackend = {
  /** The check that the report must name first. */
  id: string;
  name: string;
  appOrigin?: string;
  /** The groups of the checks that run. Without any, all checks run. */
  only?: string[];
  start: (clock: TestClock) => Promise<RunningServer>;
};

const server = (
  id: string,
  name: string,
  respond: (request: BackendRequest, clock: TestClock) => BackendResponse,
): NonBackend => ({
  id,
  name,
  start: (clock) => startStubServer((request) => respond(request, clock)),
});

const allowedOrigin = 'access-control-allow-origin';

/** A fault of a backend for an app of another origin. */
const cors = (id: string, name: string, fault: Change): NonBackend => ({
  id,
  name,
  appOrigin,
  only: ['CORS', 'PROJECT'],
  start: (clock) => startBackend(clock, withoutToken, allowOrigin(appOrigin), fault),
});

/** The app sends the token to its own origin only. */
const withoutToken = change.all(exemplary, () => ({ xsrfToken: () => undefined }));

/** Servers that do not implement the contract, or not for an app of another origin. */
export const nonBackends: NonBackend[] = [
  server('REACH-1', 'a web server that sends the same HTML page for every address', () =>
    change.htmlPage(200, 'Tracker App'),
  ),
  server('REACH-1', 'a backend without the base path /api/v1', ({ path }) =>
    path === '/projects'
      ? change.error(401, 'Please sign in.')
      : jsonResponse(404, { error: 'Not Found' }),
  ),
  server('REACH-1', 'a proxy whose backend does not run', () =>
    change.htmlPage(502, 'Bad Gateway'),
  ),
  server('REACH-1', 'a server that answers every request with {}', () => jsonResponse(200, {})),
  server('REACH-1', 'a server that answers every request with 404 and a message', () =>
    change.error(404, 'Not Found'),
  ),
  server('REACH-1', 'a server that accepts connections and never responds', (_request, clock) =>
    neverRespond(clock),
  ),
  {
    id: 'REACH-5',
    name: 'a backend that ends when a project is created',
    async start(clock) {
      const running = await startBackend(
        clock,
        exemplary,
        change.requestsTo('createProject', () => {
          void running.stop();
          return closedConnection;
        }),
      );
      return { ...running, stop: async () => {} };
    },
  },
  server('REACH-1', 'a backend that redirects to https', ({ headers, path }) => ({
    status: 301,
    headers: { location: `https://${String(headers['host'])}${path}` },
    body: '',
  })),
  {
    id: 'REACH-5',
    name: 'a backend whose process ends after a response and is started again',
    start(clock) {
      let count = 0;
      const restart: Change = change.after(
        'createProject',
        (response) => response.status === 201 && ++count === 10 && restartAfter(response),
      );
      return startBackend(clock, exemplary, restart);
    },
  },
  {
    id: 'SIGNIN-1',
    name: 'a mock that responds with the examples of the contract and stores nothing',
    async start() {
      const { startPrism } = await import('../../../tools/prism.ts');
      const { url, stop } = await startPrism();
      return { origin: url, stop };
    },
  },
  cors(
    'CORS-1',
    'preflight requests are refused',
    change.requests(({ method }) => method === 'OPTIONS' && change.error(405, 'Not allowed.')),
  ),
  cors(
    'PROJECT-2',
    'a check of the origin refuses the projects of the app',
    change.requestsTo(
      'createProject',
      ({ headers: { host, origin } }) =>
        origin !== `http://${String(host)}` && change.error(403, 'The origin is not right.'),
    ),
  ),
  {
    id: 'XSRF-2',
    name: 'a token is required of an app of another origin',
    appOrigin,
    only: ['CORS', 'XSRF'],
    start: (clock) => startBackend(clock, exemplary, allowOrigin(appOrigin)),
  },
  cors(
    'CORS-2',
    'other origins are allowed in preflight requests only',
    change.responses(
      (response, { method }) =>
        method !== 'OPTIONS' && withHeaders(response, { [allowedOrigin]: undefined }),
    ),
  ),
  cors(
    'CORS-1',
    'cookies are refused by name',
    change.responses((response) =>
      withHeaders(response, { 'access-control-allow-credentials': 'false' }),
    ),
  ),
  cors(
    'CORS-1',
    'the origin is allowed by two headers',
    change.responses((response) =>
      withHeaders(response, { [allowedOrigin]: [appOrigin, appOrigin] }),
    ),
  ),
  cors(
    'CORS-1',
    'a preflight request for the header Idempotency-Key is refused',
    change.requests(
      ({ headers }) =>
        headers['access-control-request-headers'] === 'idempotency-key' && change.error(403),
    ),
  ),
  cors(
    'CORS-1',
    'a preflight request for the method POST is refused',
    change.requests(
      ({ headers }) => headers['access-control-request-method'] === 'POST' && change.error(403),
    ),
  ),
  ...Object.entries({
    'every origin': () => true,
    'what begins like the origin': (origin: string) => origin.startsWith(appOrigin),
    'what ends like the origin': (origin: string) => origin.endsWith('.example.org'),
    'the origin null': (origin: string) => origin === 'null',
    'every scheme': (origin: string) => origin.endsWith('://app.example.org'),
    'every port': (origin: string) => origin.startsWith(`${appOrigin}:`),
  }).map(([name, isAllowed]) =>
    cors(
      'CORS-3',
      `${name} is allowed with cookies`,
      change.responses(
        (response, { headers: { origin } }) =>
          isAllowed(String(origin)) &&
          withHeaders(response, {
            [allowedOrigin]: origin,
            'access-control-allow-credentials': 'true',
          }),
      ),
    ),
  ),
];
