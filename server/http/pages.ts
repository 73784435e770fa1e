import type { FastifyRequest } from 'fastify';
import { appFolder } from './screen-addresses.ts';
import type { StaticFiles } from './static-files.ts';

/** The pages of the built app that the server changes. */
export interface Pages {
  /** Empty if there is no build. */
  index: string;
  /** For a browser at an unknown address. Undefined if the build has none. */
  notFound: string | undefined;
}

export function findPages(files: StaticFiles): Pages {
  const read = (name: string) => files.get(name)?.variants.identity?.body.toString();
  return {
    index: read('index.html') ?? '',
    notFound: read('404.html'),
  };
}

/** For a browser whose cookies of other apps leave no room for a request. */
export const headersTooLargePage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Too many cookies</title>
<h1>Too many cookies</h1>
<p>Your browser sends more cookies to this site than the server accepts. Please delete the cookies
of this site in the settings of the browser, then load this page again.</p>
</html>
`;

/** Returns the page that a browser gets instead of the JSON of a refusal, if there is one. */
export function pageFor(
  status: number,
  { notFound }: Pages,
  { url, headers }: FastifyRequest,
): string | undefined {
  if (!headers.accept?.includes('text/html') || /^\/api(?![^/?])/.test(url)) return undefined;
  if (status === 431) return headersTooLargePage;
  // Links that start in the folder of the page must start in that of the app.
  return notFound?.replaceAll('="./', `="${appFolder(url)}`);
}
