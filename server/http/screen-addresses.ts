import { routeOf } from '../../shared/routes.ts';

/**
 * Returns the address to which a URL without a file is redirected: that of the screen whose address
 * is the path, read as the app reads a fragment. Mail programs also encode the `#`. The redirect is
 * relative, because a proxy may serve the app in a folder.
 */
export function findScreen(url: string): string | undefined {
  const [, path = '', query = ''] = /^([^?]*)(.*)$/s.exec(url)!;
  const [, encodedHash, text = ''] = /^\/*(?:index\.html)?(\/*%23)?(.*)$/is.exec(path)!;
  const route = routeOf(encodedHash ? text : `/${text}`);
  return route && `${appFolder(url)}${query}#${route}`;
}

/** Returns the folder of the app relative to a URL. */
export function appFolder(url: string): string {
  const [path = ''] = url.split('?');
  return '../'.repeat(path.split('/').length - 2) || './';
}
