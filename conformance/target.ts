import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

export type Target = {
  /** `http://localhost:8080` */
  origin: string;
  /** What somebody should know of how the address was read. */
  notes: string[];
};

/** Milliseconds in which a target has to take a connection. */
const patience = 900;

/** Reads the address as it was given. Forgives a missing scheme, slashes at its end, and the API's base path. */
export function parseTarget(given: string): Target | { mistake: string } {
  const notes: string[] = [];
  let text = given.trim();
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    text = `http://${text.replace(/^:?(?=\d+(\/|$))/, 'localhost:')}`;
    notes.push(`Read "${given}" as ${text}.`);
  }
  if (!URL.canParse(text)) {
    return { mistake: `"${given}" is no address: give one such as http://localhost:8080` };
  }
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) {
    return { mistake: `"${given}" is no web address: it has to begin with http:// or https://` };
  }
  const path = url.pathname.replace(/\/+$/, '');
  if (/^(\/api(\/v1)?)?$/.test(path)) {
    if (path)
      notes.push(
        `The calls go to ${url.origin}/api/v1: the base path is the app's, so it need not be given.`,
      );
  } else {
    return {
      mistake:
        `The app calls /api/v1 at the root of its origin and knows no other place: a backend below "${path}" cannot be reached by it. ` +
        `Put a proxy in front that serves it at ${url.origin}/api/v1, and give ${url.origin}.`,
    };
  }
  if (url.username || url.password) {
    return { mistake: 'The app sends no user and password in its addresses: leave them out.' };
  }
  return { origin: url.origin, notes };
}

/** Whether somebody listens there. Gives what is to be known about it, or why not and what to do about it. */
export async function checkReachable(
  origin: string,
): Promise<{ notes: string[] } | { unreachable: string }> {
  const { hostname, port, protocol } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, '');
  const at = Number(port) || (protocol === 'https:' ? 443 : 80);
  const began = performance.now();
  try {
    await within(lookup(host));
  } catch {
    return { unreachable: `There is no host called "${host}". Is the name right?` };
  }
  const problem = await connected(host, at);
  if (problem !== undefined) {
    const what =
      problem === 'ECONNREFUSED'
        ? `Nothing listens on port ${at} of ${host}.`
        : `${host} does not take a connection on port ${at} (${problem}).`;
    return {
      unreachable: `${what} Start the backend, or give its address: npm run conformance -- http://localhost:PORT`,
    };
  }
  const notes = [`${origin} takes connections (${Math.round(performance.now() - began)} ms).`];
  if (protocol === 'https:') {
    const fault = await certificateFault(host, at);
    if (fault?.startsWith('no TLS')) {
      return {
        unreachable: `${host}:${at} listens and does not speak https. Try http:// instead.`,
      };
    }
    if (fault)
      notes.push(
        `Browsers will warn of its certificate (${fault}); the kit goes on. Before people come, have it signed by somebody whom their browsers trust (mkcert does so on this machine).`,
      );
  }
  return { notes };
}

/** Whether whoever listens there speaks https. */
export async function speaksTls(origin: string): Promise<boolean> {
  const { hostname, port } = new URL(origin);
  const fault = await certificateFault(hostname.replace(/^\[|\]$/g, ''), Number(port) || 80);
  return !fault?.startsWith('no TLS');
}

function connected(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: patience, autoSelectFamilyAttemptTimeout: 250 });
    const end = (problem?: string) => {
      socket.destroy();
      resolve(problem);
    };
    socket.once('connect', () => end());
    socket.once('timeout', () => end('no answer'));
    socket.once('error', (error: NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] }) =>
      end(error.code ?? error.errors?.[0]?.code ?? error.message),
    );
  });
}

function certificateFault(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connectTls({
      host,
      port,
      servername: /[a-z]/i.test(host) ? host : '',
      rejectUnauthorized: false,
      timeout: patience,
    });
    const end = (fault?: string) => {
      socket.destroy();
      resolve(fault);
    };
    socket.once('secureConnect', () => {
      const error: unknown = socket.authorizationError;
      end(socket.authorized ? undefined : error instanceof Error ? error.message : String(error));
    });
    socket.once('timeout', () => end('no TLS: it does not answer'));
    socket.once('error', (error) => end(`no TLS: ${error.message}`));
  });
}

function within<Value>(promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('took too long')), patience);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
