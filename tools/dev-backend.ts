import type { CreateProxyServerOptions } from '@stoplight/prism-cli/dist/util/createServer.js';
import type { Plugin, ProxyOptions } from 'vite';
import { findFreePort } from './free-port.ts';

export const contractFile = 'openapi.yaml';

/** Starts Prism, a mock server that responds with the examples of the contract. */
export async function startPrism(
  overrides: Partial<CreateProxyServerOptions> = {},
): Promise<{ url: string; close: () => Promise<void> }> {
  // Imported here, because it takes a second and only the development server needs it.
  const { createSingleProcessPrism } =
    await import('@stoplight/prism-cli/dist/util/createServer.js');
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
    ...overrides,
  });
  if (!server) throw new Error('Prism did not start.');
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/**
 * Gives the development server a backend below `/api`: the one at `apiUrl`, or a Prism mock that
 * restarts when the contract changes. Throws if `apiUrl` is not an http origin.
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
  const error = new Error(
    `API_URL is "${apiUrl}": set it to the backend's origin, without a path, like http://localhost:8080`,
  );
  // Vite prints the stack, which does not help here.
  error.stack = error.message;
  throw error;
}

/** Makes requests same-origin for the backend, and its cookies valid for the development server. */
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
