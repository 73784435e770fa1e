import { relative } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** Serves the built app at `/`, compressed if the build wrote a `.br` or `.gz` file. */
export async function registerStaticFiles(app: FastifyInstance, dist: string) {
  await app.register(fastifyStatic, {
    root: dist,
    cacheControl: false,
    preCompressed: true,
    setHeaders: (response, path) => {
      response.setHeader('vary', 'accept-encoding');
      // Only the names of assets contain a hash of the content.
      const isHashed = relative(dist, path).startsWith('assets');
      response.setHeader(
        'cache-control',
        isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    },
  });
}
