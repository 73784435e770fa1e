import type { Operation } from '../../../conformance/http/simulated-browser.ts';
import { operationOf } from '../../../model/calls.ts';
import { startPrism } from '../../../tools/prism.ts';
import { CookieClient } from '../../support/cookie-client.ts';
import type { RunningServer } from '../../support/reference-server.ts';
import { startFaultProxy, type Middleware } from './fault-proxy.ts';

/**
 * Makes a few ordinary calls through Prism's validation proxy to the reference server with a fault.
 * Returns Prism's first complaint, or an empty string.
 */
export async function prismComplaint(
  middleware: Middleware,
  reference: RunningServer,
): Promise<string> {
  const backend = await startFaultProxy(reference.origin, middleware, '10.2.0.1');
  const prism = await startPrism(new URL(backend.origin));
  try {
    return await visit(prism.url);
  } finally {
    await prism.close();
    await backend.stop();
  }
}

async function visit(prismUrl: string): Promise<string> {
  const client = new CookieClient(prismUrl);
  const { email, password } = client.credentials;
  const project = { title: 'A <b>title</b> 🚀', description: 'Two\nlines  ' };
  const calls: [Operation, object?][] = [
    ['registerUser', { email, password }],
    ['registerUser', { email, password }],
    ['login', { email, password: `${password}?` }],
    ['login', { email, password }],
    ['listProjects'],
    ['createProject', project],
    ['createProject', project],
    ['listProjects'],
  ];
  for (const [operation, body] of calls) {
    const { method, path } = operationOf(operation);
    try {
      const response = await fetch(prismUrl + path, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(3000),
        headers: { ...client.cookieHeaders(), ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      client.keepCookies(response.headers.getSetCookie());
      const complaint = prismErrorIn(await response.text());
      if (complaint) return `${method} ${path}: ${complaint}`;
    } catch (error) {
      return `${method} ${path}: ${String(error)}`;
    }
  }
  return '';
}

/** Prism sends an error in place of a response that it complains about. */
function prismErrorIn(text: string): string | undefined {
  if (!text.includes('stoplight.io/prism/errors#')) return undefined;
  const error = JSON.parse(text) as { title: string; validation?: { message: string }[] };
  return error.validation?.map(({ message }) => message).join('; ') ?? error.title;
}
