import { createSingleProcessPrism } from '@stoplight/prism-cli/dist/util/createServer.js';
import { contractFile } from '../../../tools/dev-backend.ts';
import { findFreePort } from '../../../tools/free-port.ts';
import type { Fault } from './fault-builders.ts';
import { startFaultProxy, type Running } from './fault-proxy.ts';

/**
 * What Prism's validation proxy (`prism proxy openapi.yaml ADDRESS --errors`) objects to, when an ordinary visit is made through
 * it. Empty where it lets everything pass. A backend without a fault is let pass.
 */
export async function objectionsTo(
  { layer }: Pick<Fault, 'layer'>,
  reference: Running,
): Promise<string> {
  const backend = await startFaultProxy(reference.address, layer(), '10.2.0.1');
  const port = await findFreePort();
  const prism = await createSingleProcessPrism({
    document: contractFile,
    host: '127.0.0.1',
    port,
    cors: false,
    multiprocess: false,
    errors: true,
    upstream: new URL(backend.address),
    validateRequest: true,
    upstreamProxy: '',
    ignoreExamples: false,
    seed: '',
    jsonSchemaFakerFillProperties: true,
    verboseLevel: 'silent',
  } as never);
  try {
    return await visit(`http://127.0.0.1:${port}`);
  } finally {
    await prism?.close();
    await backend.stop();
  }
}

let visits = 0;

/** The same ordinary calls each time. Gives the first thing that Prism says of an answer. */
async function visit(proxy: string): Promise<string> {
  const email = `prism-${process.pid}-${++visits}@example.org`;
  const password = 'Correct horse 1!';
  let cookies = '';
  let token = '';
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(proxy + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(3000),
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(cookies && { cookie: cookies }),
        ...(token && { 'x-xsrf-token': token }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const set = response.headers.getSetCookie().join(', ');
    const session = /session=[^;,]*/.exec(set)?.[0];
    if (session) {
      token = /XSRF-TOKEN=([^;,]*)/.exec(set)?.[1] ?? '';
      cookies = `${session}; XSRF-TOKEN=${token}`;
    }
    return objection(await response.text());
  };
  const project = { title: 'A <b>title</b> 🚀', description: 'Two\nlines  ' };
  const calls: [string, string, object?][] = [
    ['POST', '/api/v1/users/register', { email, password }],
    ['POST', '/api/v1/users/register', { email, password }],
    ['POST', '/api/v1/auth/login', { email, password: `${password}?` }],
    ['POST', '/api/v1/auth/login', { email, password }],
    ['GET', '/api/v1/projects'],
    ['POST', '/api/v1/projects', project],
    ['POST', '/api/v1/projects', project],
    ['GET', '/api/v1/projects'],
  ];
  for (const [method, path, body] of calls) {
    try {
      const said = await call(method, path, body);
      if (said) return `${method} ${path}: ${said}`;
    } catch (error) {
      return `${method} ${path}: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  return '';
}

/** Prism answers in place of the backend when it objects. */
function objection(text: string): string | undefined {
  try {
    const body = JSON.parse(text) as {
      type?: string;
      validation?: { message: string }[];
      title?: string;
    };
    if (!body.type?.includes('stoplight.io/prism/errors#')) return undefined;
    return body.validation?.map(({ message }) => message).join('; ') ?? body.title;
  } catch {
    return undefined;
  }
}
