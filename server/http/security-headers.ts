import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';
import type { Pages } from './pages.ts';

/**
 * Returns helmet's headers for every response. helmet runs once, because nothing in the policy
 * depends on the request: docs/decisions/0011-libraries-in-the-server.md.
 */
export function securityHeaders({ index }: Pages): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => (headers[name.toLowerCase()] = value),
    removeHeader: () => {},
  } as unknown as ServerResponse;
  helmet(helmetOptions(index))({} as IncomingMessage, response, () => {});
  return headers;
}

const helmetOptions = (page: string) => ({
  contentSecurityPolicy: {
    useDefaults: false, // the defaults include `upgrade-insecure-requests`
    directives: {
      defaultSrc: ["'self'"],
      scriptSrc: ["'self'", ...inlineHashes(page, 'script')],
      styleSrc: ["'self'", ...inlineHashes(page, 'style')],
      imgSrc: ["'self'", 'data:'],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"], // the app sends forms by scripts only
      frameAncestors: ["'none'"],
    },
  },
  // The TLS proxy sends it: on http://localhost this header would lock users out.
  strictTransportSecurity: false,
  referrerPolicy: { policy: 'same-origin' as const },
});

/** Returns the CSP hashes of the page's inline scripts or styles. */
function inlineHashes(page: string, tag: 'style' | 'script'): string[] {
  const contents = page.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'));
  return [...contents].map(([, content = '']) => `'sha256-${hash('sha256', content, 'base64')}'`);
}
