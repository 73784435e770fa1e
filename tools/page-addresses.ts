import type { Plugin } from 'vite';
import { screens } from '../model/screens.ts';

/** Redirects `/login` to `/#/login` in development, as server/http/pages.ts does for the build. */
export function pageAddresses(): Plugin {
  return {
    name: 'page-addresses',
    configureServer(server) {
      server.middlewares.use(({ url = '' }, response, next) => {
        const [, path = '', query = ''] = /^(\/[^/?]+)\/?(\?.*)?$/.exec(url) ?? [];
        if (!Object.hasOwn(screens, path)) return next();
        response.writeHead(302, { location: `/${query}#${path}` }).end();
      });
    },
  };
}
