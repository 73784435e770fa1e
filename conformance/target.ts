import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Origin of the backend, such as `http://localhost:8080`, and notes for the user. */
export type Target = { origin: string; notes: string[] };

const connectTimeoutMs = 900;

/** Parses the address. Accepts a missing scheme, trailing slashes, and the base path of the API. */
export function parseTarget(address: string): Target | { error: string } {
  const notes: string[] = [];
  let text = address.trim();
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    text = `http://${text.replace(/^:?(?=\d+(\/|$))/, 'localhost:')}`;
    notes.push(`Using ${text} for "${address}".`);
  }
  if (!URL.canParse(text)) {
    return { error: `"${address}" is not a URL. Example: http://localhost:8080` };
  }
  const { protocol, origin, pathname, username, password } = new URL(text);
  if (!/^https?:$/.test(protocol)) {
    return { error: `"${address}" must begin with http:// or https://.` };
  }
  const path = pathname.replace(/\/+$/, '');
  if (!/^(\/api(\/v1)?)?$/.test(path)) {
    return {
      error:
        `The app calls /api/v1 at the root of its origin, so it cannot use a backend below "${path}". ` +
        `Serve the backend at ${origin}/api/v1 with a proxy, and use ${origin} as the address.`,
    };
  }
  if (path) notes.push(`Calling ${origin}/api/v1. The address does not need the base path.`);
  if (username || password) {
    return { error: 'The address must not contain a user name or password: the app sends none.' };
  }
  return { origin, notes };
}

/** Connects to the target. Returns notes about the connection, or the reason why it failed. */
export async function checkReachable(
  origin: string,
): Promise<{ notes: string[] } | { unreachable: string }> {
  const { host, port, isHttps } = hostAndPort(origin);
  const startedAt = performance.now();
  try {
    await withTimeout(lookup(host));
  } catch {
    return { unreachable: `The host "${host}" does not exist. Check the name.` };
  }
  const connectError = await tryConnect(host, port);
  if (connectError !== undefined) {
    const reason =
      connectError === 'ECONNREFUSED'
        ? `Nothing listens on port ${port} of ${host}.`
        : `${host} does not accept connections on port ${port} (${connectError}).`;
    return {
      unreachable: `${reason} Start the backend, or give its address: npm run conformance -- http://localhost:PORT`,
    };
  }
  const durationMs = Math.round(performance.now() - startedAt);
  const notes = [`${origin} accepts connections (${durationMs} ms).`];
  const tls = isHttps ? await tryTls(host, port) : undefined;
  if (tls?.isSupported === false) {
    return {
      unreachable: `${host}:${port} listens but does not speak https. Try http:// instead.`,
    };
  }
  if (tls?.certificateError) {
    notes.push(
      `Browsers will warn about its certificate (${tls.certificateError}). The kit continues. ` +
        'Before users come, install a certificate that browsers trust (mkcert creates one for this machine).',
    );
  }
  return { notes };
}

export async function speaksTls(origin: string): Promise<boolean> {
  const { host, port } = hostAndPort(origin);
  return (await tryTls(host, port)).isSupported;
}

function hostAndPort(origin: string) {
  const { hostname, port, protocol } = new URL(origin);
  const isHttps = protocol === 'https:';
  const host = hostname.replace(/^\[|\]$/g, '');
  return { host, port: Number(port) || (isHttps ? 443 : 80), isHttps };
}

/** Opens a TCP connection. Returns an error code if that fails. */
function tryConnect(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const timeouts = { timeout: connectTimeoutMs, autoSelectFamilyAttemptTimeout: 250 };
    const socket = connect({ host, port, ...timeouts });
    const finish = (error?: string) => {
      socket.destroy();
      resolve(error);
    };
    socket.once('connect', () => finish());
    socket.once('timeout', () => finish('timeout'));
    socket.once('error', (error: NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] }) =>
      finish(error.code ?? error.errors?.[0]?.code ?? error.message),
    );
  });
}

function tryTls(
  host: string,
  port: number,
): Promise<{ isSupported: boolean; certificateError?: string | undefined }> {
  return new Promise((resolve) => {
    const socket = connectTls({
      host,
      port,
      servername: /[a-z]/i.test(host) ? host : '',
      rejectUnauthorized: false,
      timeout: connectTimeoutMs,
    });
    const finish = (isSupported: boolean, certificateError?: string) => {
      socket.destroy();
      resolve({ isSupported, certificateError });
    };
    socket.once('secureConnect', () => {
      const error: unknown = socket.authorizationError;
      const message = error instanceof Error ? error.message : String(error);
      finish(true, socket.authorized ? undefined : message);
    });
    socket.once('timeout', () => finish(false));
    socket.once('error', () => finish(false));
  });
}

function withTimeout<Value>(promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('timeout')), connectTimeoutMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
