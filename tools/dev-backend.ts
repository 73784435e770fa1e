import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, sep } from 'node:path';
import { text } from 'node:stream/consumers';
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
  onEdit?: (file: string, server: ViteDevServer) => void;
  stop?: () => Promise<void>;
}

/** The mock starts again if an answer takes longer. It takes some seconds on a busy machine. */
const maxAnswerMs = 10_000;
const late = 'The mock backend did not answer within 10 seconds, so it starts again.';
/** Prism closes the connection of a larger request. */
const maxMockBodyBytes = 10_000_000;
const tooLarge = 'The mock backend refuses a body over 10 MB.';

/**
 * Gives the development server a backend: the one at `apiUrl`, the reference backend in the mode
 * "server", or else a mock. Throws if `apiUrl` is not an http origin.
 */
export function devBackend(apiUrl: string | undefined): Plugin {
  let backend: Backend;
  let logger: Logger;
  const warn: Warn = (message) => logger.warn(message);
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
      server.middlewares.use('/api', async (_request, _response, next) => {
        await backend.ready?.();
        next();
      });
    },
    transformIndexHtml: () => [
      // In the console, for those who have not started the server.
      {
        tag: 'script',
        children: `console.info(${JSON.stringify(`Backend: ${backend.description}`)})`,
      },
    ],
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
      'a mock that keeps no data, such as new projects after a reload. To keep data, use "npm run dev:server", or set API_URL to your backend.',
    unreachable: 'The mock backend has ended: try again, or restart npm run dev.',
    ready: isReady,
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
  const isMock = restart !== undefined;
  const sent = new WeakMap<IncomingMessage, Buffer[]>();
  return {
    target: url,
    changeOrigin: true,
    cookieDomainRewrite: '',
    selfHandleResponse: isMock,
    configure(proxy) {
      proxy.on('proxyReq', (request, incoming, response) => {
        if (restart) {
          // Prism throws at some values, and has nothing but JSON.
          request.removeHeader('accept');
          const chunks: Buffer[] = [];
          sent.set(incoming, chunks);
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          request.once('finish', () => {
            const timer = setTimeout(() => {
              refuse(response, late);
              warn(late);
              restart();
            }, maxAnswerMs);
            request.once('close', () => clearTimeout(timer));
          });
        }
        if (request.hasHeader('origin')) request.setHeader('origin', url);
        // Some frameworks compare it with the host, for example Django on https.
        const referer = URL.parse(String(request.getHeader('referer')));
        if (referer) request.setHeader('referer', url + referer.pathname + referer.search);
      });
      proxy.on('proxyRes', (proxied, request, response) => {
        const violations = String(proxied.headers['sl-violations'] ?? '');
        const messages = Array.from(
          // Not parsed as JSON, because Prism cuts a long header.
          violations.matchAll(/"message":"((?:[^"\\]|\\.)*)"/g),
          ([, message = '']) => message.replaceAll('\\"', "'"),
        );
        // A session is required: the app shows that itself.
        const problem = proxied.statusCode === 401 ? '' : messages.join('; ');
        const { method, url: path } = request;
        if (problem) warn(`${method} ${path} does not match ${contractFile}: ${problem}.`);
        if (!isMock) return;
        const body = Buffer.concat(sent.get(request) ?? []).toString();
        sendExample(proxied, response, body, problem).catch(() => response.destroy());
      });
      proxy.on('error', (error, { headers }, response) => {
        const isTooLarge = isMock && Number(headers['content-length']) > maxMockBodyBytes;
        const message = isTooLarge ? tooLarge : unreachable;
        error.stack = message; // Vite prints it
        if ('writeHead' in response && !response.headersSent) refuse(response, message);
      });
    },
  };
}

/** Sends an example of the mock with what fits the request. */
async function sendExample(
  proxied: IncomingMessage,
  response: ServerResponse,
  sent: string,
  problem: string,
) {
  const { statusCode = 502, headers } = proxied;
  const example = await text(proxied);
  const body = example && statusCode !== 200 ? fitExample(example, sent, problem) : example;
  const { 'transfer-encoding': _, ...kept } = headers;
  response.writeHead(statusCode, { ...kept, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** Returns the example of a refusal with what is wrong, or of a creation with what was sent. */
function fitExample(example: string, sent: string, problem: string): string {
  const body = JSON.parse(example) as Record<string, unknown>;
  if (problem) return JSON.stringify({ ...body, message: `${problem}.` });
  if (!('id' in body)) return example;
  const fields = JSON.parse(sent) as Record<string, unknown>;
  const fitting = Object.keys(body).map((key) => [key, fields[key] ?? body[key]]);
  return JSON.stringify({ ...Object.fromEntries(fitting), id: randomUUID() });
}

function refuse(response: ServerResponse, message: string) {
  response.writeHead(502, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ message }));
}
