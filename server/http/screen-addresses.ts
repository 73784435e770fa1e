/** What users and mail programs leave after a link. Bounded, so that it takes linear time. */
const afterLink = /(?:(?![/\\%$])[\s\p{Cf}\p{P}\p{S}]){1,20}$/u;

/**
 * Returns the address to which a URL without a file is redirected: that of the screen whose address
 * is the path, read as the app reads a fragment. Mail programs also encode the `#`. The redirect is
 * relative, because a proxy may serve the app in a folder.
 */
export function findScreen(url: string, routes: string[]): string | undefined {
  const [, path = '', query = ''] = /^([^?]*)(.*)$/s.exec(url)!;
  const [, encodedHash, text = ''] = /^\/*(?:index\.html)?(\/*%23)?(.*)$/is.exec(path)!;
  // Static segments before parameters, as in the app.
  const inOrderOfMatching = routes.toSorted().toReversed();
  try {
    const texts = encodedHash ? [text, decodeURIComponent(text)] : [text];
    for (const candidate of texts.flatMap(pathsOf)) {
      for (const route of inOrderOfMatching) {
        const pattern = `^${route.replaceAll(/\$\w+/g, '([^/]+)')}$`;
        const [match, ...params] = new RegExp(pattern, 'i').exec(candidate) ?? [];
        if (match === undefined) continue;
        const address = route.replaceAll(/\$\w+/g, () => params.shift()!);
        return `${appFolder(url)}${query}#${address}`;
      }
    }
  } catch {
    // It cannot be decoded.
  }
  return undefined;
}

/** Returns the path as the app encodes it, as it is and without what is left after a link. */
function pathsOf(text: string): string[] {
  const [path = ''] = text.split(/[#?]/);
  const encoded = path.split('/');
  const isText = (segment: string) => segment !== '';
  const end = encoded.findLastIndex(isText) + 1;
  const segments = encoded.slice(encoded.findIndex(isText), end).map(decodeURIComponent);
  const last = segments.at(-1)?.replace(afterLink, '');
  const shorter = [...segments.slice(0, -1), ...(last ? [last] : [])];
  return [segments, shorter].map((each) => `/${each.map(encodeURIComponent).join('/')}`);
}

/** Returns the folder of the app relative to a URL. */
export function appFolder(url: string): string {
  const [path = ''] = url.split('?');
  return '../'.repeat(path.split('/').length - 2) || './';
}
