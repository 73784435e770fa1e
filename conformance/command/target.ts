import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { UsageError } from '../../shared/usage-error.ts';
import { portOf } from '../http/transport.ts';
import { command } from './options.ts';

const connectTimeoutMs = 5_000;

/** Thrown when no server accepts connections at the address. */
export class Unreachable extends UsageError {}

/**
 * Parses the address. Accepts a missing scheme, trailing slashes, and the base path of the API.
 * Returns the origin of the backend, such as `http://localhost:8080`.
 */
export function parseTarget(address: string): string {
  let text = address.trim();
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text))
    text = `http://${text.replace(/^:?(?=\d+(\/|$))/, 'localhost:')}`;
  if (!URL.canParse(text))
    throw new UsageError(`"${address}" is not a URL. Example: http://localhost:8080`);
  const { protocol, origin, pathname, username, password } = new URL(text);
  if (!/^https?:$/.test(protocol))
    throw new UsageError(`"${address}" must begin with http:// or https://.`);
  const path = pathname.replace(/\/+$/, '');
  if (!/^(\/api(\/v1)?)?$/.test(path))
    throw new UsageError(
      `The app calls /api/v1 at the root of its origin, so it cannot use a backend below "${path}". ` +
        `Serve the backend at ${origin}/api/v1 with a proxy, and use ${origin} as the address.`,
    );
  if (username || password)
    throw new UsageError(
      'The address must not contain a user name or password: the app sends none.',
    );
  return origin;
}

/** Connects to the target. Returns notes about the connection. Throws if that fails. */
export async function checkReachable(origin: string): Promise<string[]> {
  const { hostname } = new URL(origin);
  const isHttps = origin.startsWith('https:');
  const { errorCode = '', certificateError } = await tryConnect(origin, isHttps);
  if (errorCode === 'ENOTFOUND')
    throw new Unreachable(`The host "${hostname}" does not exist. Check the name.`);
  const port = portOf(origin);
  const advice = `Start the backend, or give its address: ${command} http://localhost:PORT`;
  if (errorCode === 'ECONNREFUSED')
    throw new Unreachable(`Nothing listens on port ${port} of ${hostname}. ${advice}`);
  if (/^(EPROTO|ERR_SSL|ECONNRESET)/.test(errorCode))
    throw new Unreachable(`${hostname}:${port} does not speak https. Try http:// instead.`);
  const failure = `${hostname} does not accept connections on port ${port} (${errorCode}).`;
  if (errorCode !== '') throw new Unreachable(`${failure} ${advice}`);
  if (certificateError === undefined) return [];
  return [
    `Browsers will warn about its certificate (${certificateError}). The kit continues. ` +
      'Before users come, install a certificate that browsers trust (mkcert creates one for this machine).',
  ];
}

export const speaksTls = async (origin: string): Promise<boolean> =>
  (await tryConnect(origin, true)).errorCode === undefined;

type Connection = { errorCode?: string; certificateError?: string };
type ConnectError = NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] };

/** Opens and closes a connection. Returns an error code if that fails. */
async function tryConnect(origin: string, isTls: boolean): Promise<Connection> {
  const host = new URL(origin).hostname.replace(/^\[|\]$/g, '');
  const options = { host, port: portOf(origin), autoSelectFamilyAttemptTimeout: 250 };
  const servername = /[a-z]/i.test(host) ? host : '';
  const socket = isTls
    ? connectTls({ ...options, servername, rejectUnauthorized: false })
    : connect(options);
  const timeout = Object.assign(new Error('no connection'), { code: 'timeout' });
  socket.setTimeout(connectTimeoutMs, () => socket.destroy(timeout));
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect');
    const error: unknown = 'authorizationError' in socket ? socket.authorizationError : undefined;
    const message = error instanceof Error ? error.message : String(error);
    return error ? { certificateError: message } : {};
  } catch (error) {
    const { code, errors, message } = error as ConnectError;
    return { errorCode: code ?? errors?.[0]?.code ?? message };
  } finally {
    socket.destroy();
  }
}
