import { createSingleProcessPrism } from '@stoplight/prism-cli/dist/util/createServer.js';
import type { Plugin, ProxyOptions } from 'vite';
import { findFreePort } from './free-port.ts';

export const contractFile = 'openapi.yaml';

/** Starts Prism, a mock made of the contract's examples, and gives its address and the way to end it. */
export async function startPrism(): Promise<{ url: string; close: () => Promise<void> }> {
  const port = await findFreePort();
  const server = await createSingleProcessPrism({
    document: contractFile,
    host: '127.0.0.1',
    port,
    cors: false,
    dynamic: false,
    multiprocess: false,
    errors: false,
    ignoreExamples: false,
    seed: '',
    jsonSchemaFakerFillProperties: true,
    verboseLevel: 'error',
  });
  if (!server) throw new Error('Prism did not start.');
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/**
 * Gives the development server a backend below `/api`: the one at `API_URL` (its origin, `http://localhost:8080`), or a Prism mock
 * of `openapi.yaml` that starts anew when the contract changes. Refuses an `API_URL` that is no http address.
 */
export function devBackend(apiUrl: string | undefined): Plugin {
  let prism: Awaited<ReturnType<typeof startPrism>> | undefined;
  return {
    name: 'dev-backend',
    apply: (_, { command, mode }) => command === 'serve' && mode !== 'test',
    async config() {
      if (!apiUrl) prism = await startPrism();
      return { server: { proxy: { '/api': proxyTo(prism?.url ?? originOf(apiUrl ?? '')) } } };
    },
    configureServer(server) {
      server.config.logger.info(`  Backend: ${prism ? `Prism, from ${contractFile}` : apiUrl}`);
      server.watcher.add(contractFile);
      server.watcher.on('change', (file) => {
        if (prism && file.endsWith(contractFile)) void server.restart();
      });
    },
    async buildEnd() {
      await prism?.close();
    },
  };
}

function originOf(apiUrl: string): string {
  const url = URL.parse(apiUrl);
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/') return url.origin;
  const mistake = new Error(
    `API_URL is "${apiUrl}": give the backend's address without a path, like http://localhost:8080`,
  );
  // Vite prints the stack, and where this was thrown is no help.
  mistake.stack = mistake.message;
  throw mistake;
}

/** The backend sees a request from its own origin, and its cookies stick to the development server. */
function proxyTo(target: string): ProxyOptions {
  return {
    target,
    changeOrigin: true,
    cookieDomainRewrite: '',
    configure(proxy) {
      proxy.on('proxyReq', (request) => {
        if (request.hasHeader('origin')) request.setHeader('origin', target);
      });
    },
  };
}
