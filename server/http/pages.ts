import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** The pages of the built app that the server changes or derives routes from. */
export interface Pages {
  /** Empty if there is no build. */
  index: string;
  /** For a browser at an unknown address. Undefined if the build has none. */
  notFound: string | undefined;
}

export function readPages(dist: string): Pages {
  const read = (name: string) => {
    const path = join(dist, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  return { index: read('index.html') ?? '', notFound: read('404.html') };
}

/**
 * Redirects `/login` to `/#/login`, and so on for each screen that the build has prerendered. The
 * redirects are relative, because a proxy may serve the app in a folder.
 */
export function registerScreenRedirects(app: FastifyInstance, { index }: Pages) {
  for (const [, screen = ''] of index.matchAll(/id="template:(\/[^"*]+)"/g)) {
    for (const path of [screen, `${screen}/`]) {
      app.get(path, ({ url }, reply) => {
        const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
        return reply.redirect(`${appFolder(url)}${query}#${screen}`);
      });
    }
  }
}

/** Returns the page for a browser at an unknown address. Clients and the API get none. */
export function notFoundPageFor(
  { notFound }: Pages,
  { url, headers }: FastifyRequest,
): string | undefined {
  if (!headers.accept?.includes('text/html') || /^\/api(?![^/?])/.test(url)) return undefined;
  // Links that start in the folder of the page must start in that of the app.
  return notFound?.replaceAll('="./', `="${appFolder(url)}`);
}

/** Returns the folder of the app relative to a URL. */
function appFolder(url: string): string {
  const [path = ''] = url.split('?');
  return '../'.repeat(path.split('/').length - 2) || './';
}
