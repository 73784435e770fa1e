import type { Middleware } from 'openapi-fetch';

const cookiePrefix = 'XSRF-TOKEN=';
export const xsrfHeader = 'X-XSRF-TOKEN';

/** Of a backend that found the token wrong: the contract's, and Laravel's. */
const refusalStatuses = [403, 419];

/**
 * Sets the X-XSRF-TOKEN header on every request to `origin`. Other origins never get the token. Of
 * several cookies with the name, it takes the one that a response of the API set last. After a
 * refusal it takes the next one, because another app of the domain may have set the cookie.
 */
export function xsrfMiddleware(origin: string, cookies: () => string): Middleware {
  let preferred: string | undefined;
  const sent = new WeakMap<Request, { tokens: string[]; token: string | undefined }>();

  return {
    onRequest({ request }) {
      if (new URL(request.url).origin !== origin) return;
      const tokens = xsrfTokens(cookies);
      const token = tokens.find((each) => each === preferred) ?? tokens[0];
      sent.set(request, { tokens, token });
      if (token) request.headers.set(xsrfHeader, token);
    },
    onResponse({ request, response }) {
      const before = sent.get(request);
      if (!before) return;
      const tokens = xsrfTokens(cookies);
      const fresh = tokens.find((token) => !before.tokens.includes(token));
      if (fresh) preferred = fresh;
      else if (refusalStatuses.includes(response.status)) {
        preferred = tokens[(tokens.indexOf(before.token ?? '') + 1) % tokens.length];
      }
    },
  };
}

/**
 * Returns the percent-decoded values of the usable XSRF-TOKEN cookies. Never throws, although
 * `document.cookie` does in a browser that blocks cookies.
 */
export function xsrfTokens(cookies: () => string): string[] {
  try {
    return (
      cookies()
        .split('; ')
        .filter((pair) => pair.startsWith(cookiePrefix))
        .map((pair) => decodePercent(pair.slice(cookiePrefix.length)))
        // `Headers.set` throws on any other character.
        .filter((token) => /^[\t\x20-\x7e\x80-\xff]+$/.test(token))
    );
  } catch {
    return [];
  }
}

function decodePercent(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
