import { hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import mime from 'mime';
import { matchesEtag } from './list-responses.ts';
import { findScreen } from './screen-addresses.ts';

/** The suffixes of the compressed files that the build writes. The best one is the first. */
const encodings = { br: '.br', gzip: '.gz', identity: '' };
type Encoding = keyof typeof encodings;

interface StaticFile {
  headers: Record<string, string>;
  /** A variant has an ETag of its own, because its bytes are its own. */
  variants: Partial<Record<Encoding, { body: Buffer; etag: string }>>;
}

/** The files of the built app by their paths, such as `assets/index.js`. */
export type StaticFiles = Map<string, StaticFile>;

/** Reads the built app, so that a later build changes nothing for a running server. */
export function readStaticFiles(dist: string): StaticFiles {
  for (;;) {
    const before = versionOf(dist);
    const contents = new Map(readFolder(dist));
    // Otherwise a build replaced the files meanwhile.
    if (versionOf(dist) === before) return toStaticFiles(contents);
  }
}

const versionOf = (dist: string) => {
  const { ino, mtimeMs } = statSync(join(dist, 'index.html'), { throwIfNoEntry: false }) ?? {};
  return `${ino} ${mtimeMs}`;
};

function* readFolder(dist: string, folder = ''): Generator<[path: string, content: Buffer]> {
  for (const name of readdirSync(join(dist, folder))) {
    const path = folder + name;
    // Hidden files are of tools, such as a build that is not complete.
    if (name.startsWith('.') && name !== '.well-known') continue;
    const stats = statSync(join(dist, path), { throwIfNoEntry: false });
    if (stats?.isDirectory()) yield* readFolder(dist, `${path}/`);
    else if (stats?.isFile()) yield [path, readFileSync(join(dist, path))];
  }
}

function toStaticFiles(contents: Map<string, Buffer>): StaticFiles {
  const files: StaticFiles = new Map();
  for (const path of contents.keys()) {
    const type = mime.getType(path) ?? 'application/octet-stream';
    const isText = /^text\/|javascript$|json$|xml$/.test(type);
    // Only the names of assets contain a hash of the content.
    const isImmutable = path.startsWith('assets/');
    const headers = {
      'content-type': isText ? `${type}; charset=utf-8` : type,
      'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
    };
    const variants: StaticFile['variants'] = {};
    for (const [encoding, suffix] of Object.entries(encodings)) {
      const body = contents.get(path + suffix);
      if (!body) continue;
      variants[encoding as Encoding] = { body, etag: `"${hash('sha256', body, 'base64url')}"` };
    }
    files.set(path, { headers, variants });
  }
  return files;
}

/**
 * A service worker that removes itself and loads its pages again. A browser asks for it in place of
 * the worker of another app that ran on this origin, which would answer for the server for ever.
 */
const removingWorker = `addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(registration.unregister()
  .then(() => clients.matchAll({ type: 'window' }))
  .then((pages) => Promise.all(pages.map((page) => page.navigate(page.url))))));
`;

/** Serves the built app at `/`, compressed if the build wrote a `.br` or `.gz` file. */
export function registerStaticFiles(app: FastifyInstance, files: StaticFiles) {
  app.route<{ Params: { '*': string } }>({
    method: ['GET', 'HEAD'],
    url: '/*',
    handler(request, reply) {
      if (request.headers['service-worker'] === 'script')
        return reply.type('text/javascript; charset=utf-8').send(removingWorker);
      const path = request.params['*'];
      const file = files.get(path) ?? files.get(join(path, 'index.html'));
      if (file) return sendFile(file, request, reply);
      const screen = files.has('index.html') && findScreen(request.url);
      return screen ? reply.redirect(screen) : reply.callNotFound();
    },
  });
}

function sendFile({ headers, variants }: StaticFile, request: FastifyRequest, reply: FastifyReply) {
  const accepted = String(request.headers['accept-encoding']);
  const encoding = (negotiate(accepted, Object.keys(variants)) ?? 'identity') as Encoding;
  const { body, etag } = variants[encoding]!;
  reply.headers({ ...headers, etag });
  if (matchesEtag(etag, request.headers['if-none-match'])) {
    return reply.removeHeader('content-type').code(304).send();
  }
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.send(body);
}
