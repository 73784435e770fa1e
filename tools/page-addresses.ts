import type { Plugin } from 'vite';
import { screens } from '../model/screens.ts';

const message = 'There is nothing at this address.';

const notFoundPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Page not found</title>
<h1>Page not found</h1>
<p>${message} <a href="/">Go to the start page</a></p>
</html>
`;

/**
 * Answers in development as server/http/pages.ts does for the build: redirects `/login` to
 * `/#/login`, and sends other unknown addresses a page, or JSON.
 */
export function pageAddresses(): Plugin {
  return {
    name: 'page-addresses',
    config: () => ({ appType: 'mpa' }), // Vite would send the app for every address
    configureServer({ middlewares }) {
      middlewares.use(({ url = '' }, response, next) => {
        const [, path = '', query = ''] = /^(\/[^/?]+)\/?(\?.*)?$/.exec(url) ?? [];
        if (!Object.hasOwn(screens, path)) return next();
        response.writeHead(302, { location: `/${query}#${path}` }).end();
      });
      return () =>
        void middlewares.use(({ url = '', headers }, response, next) => {
          if (/^\/index\.html(\?|$)/.test(url)) return next();
          const isBrowser = headers.accept?.includes('text/html');
          const type = isBrowser ? 'text/html; charset=utf-8' : 'application/json';
          response.writeHead(404, { 'content-type': type });
          response.end(isBrowser ? notFoundPage : JSON.stringify({ message }));
        });
    },
  };
}
