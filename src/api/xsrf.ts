import type { Middleware } from 'openapi-fetch';

const cookiePrefix = 'XSRF-TOKEN=';
export const xsrfHeader = 'X-XSRF-TOKEN';

/** Sets the X-XSRF-TOKEN header on every request to `origin`. Other origins never get the token. */
export function xsrfMiddleware(origin: string, cookies: () => string): Middleware {
  return {
    onRequest({ request }) {
      if (new URL(request.url).origin !== origin) return;
      const token = xsrfToken(cookies);
      if (token) request.headers.set(xsrfHeader, token);
    },
  };
}

/**
 * Returns the percent-decoded value of the XSRF-TOKEN cookie, or undefined without a usable one.
 * Never throws, although `document.cookie` does in a browser that blocks cookies.
 */
export function xsrfToken(cookies: () => string): string | undefined {
  try {
    const cookie = cookies()
      .split('; ')
      .find((pair) => pair.startsWith(cookiePrefix));
    const token = cookie && decodePercent(cookie.slice(cookiePrefix.length));
    // `Headers.set` throws on any other character.
    return token && /^[\t\x20-\x7e\x80-\xff]*$/.test(token) ? token : undefined;
  } catch {
    return undefined;
  }
}

function decodePercent(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
