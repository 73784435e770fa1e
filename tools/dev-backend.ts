import type { Plugin, ProxyOptions } from 'vite';
import { UsageError } from '../server/usage-error.ts';
import { contractFile, startPrism } from './prism.ts';

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
  throw new UsageError(
    `API_URL is "${apiUrl}": set it to the backend's origin, without a path, like http://localhost:8080`,
  );
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
