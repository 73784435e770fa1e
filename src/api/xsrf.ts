import type { Middleware } from 'openapi-fetch';

const COOKIE = 'XSRF-TOKEN=';
export const HEADER = 'X-XSRF-TOKEN';

/**
 * Repeats the XSRF-TOKEN cookie, percent-decoded, in the X-XSRF-TOKEN header of every call to `origin`.
 *
 * `cookies` gives what `document.cookie` gives. A browser that refuses cookies makes it throw, and a value may not be
 * percent-encoding at all: neither may stop the call.
 */
export function xsrf(origin: string, cookies: () => string): Middleware {
  return {
    onRequest({ request }) {
      if (new URL(request.url).origin !== origin) return;
      const token = xsrfToken(cookies);
      if (token) request.headers.set(HEADER, token);
    },
  };
}

/** What the header says: nothing where there is no such cookie, or one that no header can carry. */
export function xsrfToken(cookies: () => string): string | undefined {
  try {
    const cookie = cookies()
      .split('; ')
      .find((pair) => pair.startsWith(COOKIE));
    const token = cookie && decoded(cookie.slice(COOKIE.length));
    return token && isHeaderValue(token) ? token : undefined;
  } catch {
    return undefined;
  }
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** `Headers.set` throws on anything else. */
function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}
