import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join, sep } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Logger, Plugin, ProxyOptions, ViteDevServer } from 'vite';
import { UsageError } from '../shared/usage-error.ts';
import { contractFile, startPrism } from './prism.ts';
import { startReferenceBackend } from './reference-backend.ts';

type Warn = (text: string) => void;

/** What answers the requests below `/api`. */
interface Backend {
  url: string;
  /** Printed below the addresses of the development server. */
  description: string;
  /** Shown by the app, and printed, when no connection is possible. */
  unreachable: string;
  /** Resolves when a request can be sent. */
  ready?: () => Promise<unknown>;
  /** Ends a backend that is late, and starts it again. */
  restart?: () => void;
  /** Applies the edit of a file. */
  onEdit?: (file: string, server: ViteDevServer) => void;
  stop?: () => Promise<void>;
}

/** The mock starts again if an answer takes longer. */
const maxAnswerMs = 1000;
const late = 'The mock backend did not answer within a second, so it starts again.';

/**
 * Gives the development server a backend: the one at `apiUrl`, the reference backend in the mode
 * "server", or else a mock. Throws if `apiUrl` is not an http origin.
 */
export function devBackend(apiUrl: string | undefined): Plugin {
  let backend: Backend;
  let logger: Logger;
  const warn: Warn = (text) => logger.warn(text);
  return {
    name: 'dev-backend',
    apply: (_, { command, mode }) => command === 'serve' && mode !== 'test',
    async config({ root = process.cwd() }, { mode }) {
      if (mode === 'server') backend = await referenceBackend(root, apiUrl);
      else backend = apiUrl ? otherBackend(apiUrl) : await mockBackend(root, warn);
      return { server: { proxy: { '/api': proxyTo(backend, warn) } } };
    },
    configureServer(server) {
      ({ logger } = server.config);
      const printUrls = server.printUrls.bind(server);
      server.printUrls = () => {
        printUrls();
        logger.info(`  ➜  Backend: ${backend.description}`);
      };
      server.watcher.on('all', (_, file) => backend.onEdit?.(file, server));
      server.httpServer?.prependListener('request', useOnlyPaths);
      server.httpServer?.prependListener('upgrade', (request: IncomingMessage, socket: Socket) => {
        useOnlyPaths(request);
        // Nothing would respond to another protocol than Vite's.
        if (request.headers['sec-websocket-protocol']?.startsWith('vite-')) return;
        socket.end('HTTP/1.1 501 Not Implemented\r\nConnection: close\r\n\r\n');
      });
      server.middlewares.use('/api', async (_request, _response, next) => {
        await backend.ready?.();
        next();
      });
    },
    buildEnd: () => backend.stop?.(),
  };
}

async function mockBackend(root: string, warn: Warn): Promise<Backend> {
  const { url, isReady, restart, stop } = await startPrism(root, () => {
    restart();
    warn('The mock backend has ended, and starts again.');
  });
  const contract = join(root, contractFile);
  return {
    url,
    description:
      'a mock that keeps no data. To keep data, use "npm run dev:server", or set API_URL to your backend.',
    unreachable:
      'The mock backend refused the connection: it starts again, or the body is over 10 MB.',
    ready: () => Promise.race([isReady(), sleep(maxAnswerMs)]),
    restart,
    onEdit: (file, server) => {
      if (file === contract) void server.restart();
    },
    stop,
  };
}

async function referenceBackend(root: string, apiUrl: string | undefined): Promise<Backend> {
  if (apiUrl) {
    throw new UsageError(
      'API_URL is set, but npm run dev:server starts a backend itself: unset it, or use npm run dev.',
    );
  }
  const { url, isReady, restart, stop } = await startReferenceBackend(root);
  const data = process.env['DATABASE_URL'] ? 'DATABASE_URL' : (process.env['DATA_DIR'] ?? './data');
  const sources = join(root, 'server') + sep;
  const contract = join(root, 'generated', 'contract.json');
  return {
    url,
    description: `server/, which restarts when you edit it. The data is in ${data}.`,
    unreachable: 'The backend has stopped. Its error is printed by npm run dev:server.',
    ready: isReady,
    onEdit: (file, { config: { logger } }) => {
      if (!file.startsWith(sources) && file !== contract) return;
      logger.info('backend restart', { timestamp: true });
      restart();
    },
    stop,
  };
}

function otherBackend(apiUrl: string): Backend {
  const url = URL.parse(apiUrl);
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/') {
    throw new UsageError(
      `API_URL is "${apiUrl}": set it to the backend's origin, without a path, like http://localhost:8080`,
    );
  }
  return {
    url: url.origin,
    description: `${url.origin} (API_URL)`,
    unreachable: `No backend answers at ${url.origin}: start it, or change API_URL.`,
  };
}

/** Makes requests same-origin for the backend, and its cookies valid for the development server. */
function proxyTo({ url, unreachable, restart }: Backend, warn: Warn): ProxyOptions {
  return {
    target: url,
    changeOrigin: true,
    cookieDomainRewrite: '',
    configure(proxy) {
      proxy.on('proxyReq', (request, _, response) => {
        if (restart) {
          // Prism throws at some values, and has nothing but JSON.
          request.removeHeader('accept');
          request.once('finish', async () => {
            await sleep(maxAnswerMs);
            await nextTurn(); // The answer may have come while this process was busy.
            if (response.headersSent || response.destroyed) return;
            refuse(response, late);
            warn(late);
            restart();
          });
        }
        if (request.hasHeader('origin')) request.setHeader('origin', url);
        // Some frameworks compare it with the host, for example Django on https.
        const referer = URL.parse(String(request.getHeader('referer')));
        if (referer) request.setHeader('referer', url + referer.pathname + referer.search);
      });
      proxy.on('proxyRes', (response, { method, url: path }) => {
        const violations = String(response.headers['sl-violations'] ?? '');
        const messages = Array.from(
          // Not parsed as JSON, because Prism cuts a long header.
          violations.matchAll(/"message":"((?:[^"\\]|\\.)*)"/g),
          ([, message = '']) => message.replaceAll('\\"', "'"),
        );
        // A session is required: the app shows that itself.
        if (messages.length === 0 || response.statusCode === 401) return;
        warn(`${method} ${path} does not match ${contractFile}: ${messages.join('; ')}.`);
      });
      proxy.on('error', (error, _request, response) => {
        error.stack = unreachable; // Vite prints it
        if ('writeHead' in response && !response.headersSent) refuse(response, unreachable);
      });
    },
  };
}

/** Vite ends at an address like "http://[", and browsers send paths. */
function useOnlyPaths(request: IncomingMessage) {
  if (!request.url?.startsWith('/')) request.url = '/';
}

function refuse(response: ServerResponse, message: string) {
  response.writeHead(502, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ message }));
}
