import { join, sep } from 'node:path';
import type { Logger, Plugin, ProxyOptions, ViteDevServer } from 'vite';
import { UsageError } from '../server/usage-error.ts';
import { contractFile, startPrism } from './prism.ts';
import { startReferenceBackend } from './reference-backend.ts';

/** What answers the requests below `/api`. */
interface Backend {
  url: string;
  /** Printed below the addresses of the development server. */
  description: string;
  /** Shown by the app, and printed, when no connection is possible. */
  unreachable: string;
  /** Resolves when a request can be sent. */
  ready?: () => Promise<unknown>;
  /** Applies the edit of a file. */
  onEdit?: (file: string, server: ViteDevServer) => void;
  stop?: () => Promise<void>;
}

/**
 * Gives the development server a backend: the one at `apiUrl`, the reference backend in the mode
 * "server", or else a mock. Throws if `apiUrl` is not an http origin.
 */
export function devBackend(apiUrl: string | undefined): Plugin {
  let backend: Backend;
  let logger: Logger;
  return {
    name: 'dev-backend',
    apply: (_, { command, mode }) => command === 'serve' && mode !== 'test',
    async config({ root = process.cwd() }, { mode }) {
      if (mode === 'server') backend = await referenceBackend(root, apiUrl);
      else backend = apiUrl ? otherBackend(apiUrl) : await mockBackend(root);
      return { server: { proxy: { '/api': proxyTo(backend, (text) => logger.warn(text)) } } };
    },
    configureServer(server) {
      ({ logger } = server.config);
      const printUrls = server.printUrls.bind(server);
      server.printUrls = () => {
        printUrls();
        logger.info(`  ➜  Backend: ${backend.description}`);
      };
      server.watcher.on('all', (_, file) => backend.onEdit?.(file, server));
      server.middlewares.use('/api', async (_request, _response, next) => {
        await backend.ready?.();
        next();
      });
    },
    buildEnd: () => backend.stop?.(),
  };
}

async function mockBackend(root: string): Promise<Backend> {
  const { url, close } = await startPrism();
  const contract = join(root, contractFile);
  return {
    url,
    description:
      'a mock that keeps no data. To keep data, use "npm run dev:server", or set API_URL to your backend.',
    unreachable: 'The mock backend has stopped: restart npm run dev.',
    onEdit: (file, server) => {
      if (file === contract) void server.restart();
    },
    stop: close,
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
function proxyTo({ url, unreachable }: Backend, warn: (text: string) => void): ProxyOptions {
  return {
    target: url,
    changeOrigin: true,
    cookieDomainRewrite: '',
    configure(proxy) {
      proxy.on('proxyReq', (request) => {
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
        if (!('writeHead' in response) || response.headersSent) return;
        response.writeHead(502, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ message: unreachable }));
      });
    },
  };
}
