import { readFileSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.png': 'image/png',
};

const contentTypeOf = (path: string) => contentTypes[extname(path)] ?? 'application/octet-stream';

/** Responds with the file of `folder` that a URL names. Returns false if there is none. */
export function sendFile(folder: string, url: string, response: ServerResponse): boolean {
  const path = normalize(decodeURIComponent(url.split('?')[0]!));
  const file = join(folder, path === '/' ? 'index.html' : path);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false;
  response.writeHead(200, { 'content-type': contentTypeOf(file) });
  response.end(readFileSync(file));
  return true;
}
