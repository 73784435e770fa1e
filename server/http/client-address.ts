import { BlockList, isIP, isIPv6 } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isPublic, unreadableAddress } from '../auth/throttle.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** IP address of the client, or `unreadableAddress`. */
    readonly clientAddress: string;
  }
}

const maxLoggedLength = 100;
const proxyHeaders = ['x-forwarded-for', 'x-real-ip', 'forwarded'];
const untrustedProxy =
  'A proxy that TRUST_PROXY does not name: all its users count as one address. Set TRUST_PROXY to its address';
const missingHeader =
  'A trusted proxy sends no X-Forwarded-For: all its users count as one address. Set it to that of the client in the proxy';
const unreadableHeader =
  'X-Forwarded-For of a trusted proxy names no address: set it to that of the client in the proxy';

/** Adds `clientAddress` to requests. Only trusted proxies may name another than their own. */
export function registerClientAddress(app: FastifyInstance, trustedProxies: string[]) {
  const proxies = new BlockList();
  for (const text of trustedProxies) {
    const [address = '', length] = withoutZone(text).split('/');
    const family = familyOf(address);
    if (length === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(length), family);
  }
  const isProxy = (address: string) => proxies.check(withoutZone(address), familyOf(address));

  const warned = new Set<string>();
  function warn({ log }: FastifyRequest, proxy: string, warning: string, header?: string) {
    if (warned.has(warning)) return;
    warned.add(warning);
    const value = header?.slice(-maxLoggedLength).replaceAll(/[^ -~]/g, '?');
    log.warn({ proxy, 'x-forwarded-for': value }, warning);
  }

  // Node keeps the address after this, also of a connection that the client has reset.
  app.server.on('connection', (socket) => void socket.remoteAddress);
  app.decorateRequest('clientAddress', {
    getter(this: FastifyRequest) {
      const connected = this.raw.socket.remoteAddress ?? '';
      const header = this.raw.headers['x-forwarded-for']?.toString();
      if (!isProxy(connected)) {
        // From a public address, a client may have made it up.
        const isForwarded = proxyHeaders.some((name) => this.raw.headers[name] !== undefined);
        if (isForwarded && !isPublic(connected)) warn(this, connected, untrustedProxy);
        return connected;
      }
      if (header === undefined) {
        warn(this, connected, missingHeader);
        return connected;
      }
      // Each proxy adds the address from which it was called at the end.
      const entries = header.split(',').filter((entry) => entry.trim());
      let address: string | undefined;
      do {
        address = readAddress(entries.pop() ?? '');
      } while (address && entries.length > 0 && isProxy(address));
      if (address) return address;
      warn(this, connected, unreadableHeader, header);
      return unreadableAddress;
    },
  });
}

const withoutZone = (address: string) => address.replace(/%[^/]*/, '');
const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** Reads an address as proxies write it: with a port, in brackets, in quotes, or with a zone. */
function readAddress(entry: string): string | undefined {
  const text = entry.trim().replace(/^(?:for=)?"?([^"]*)"?$/i, '$1');
  // First without cutting, because the end of an IPv6 address looks like a port.
  const candidates = [text, text.replace(/:\w*$/, '')];
  return candidates
    .map((candidate) => withoutZone(candidate.replace(/^\[(.*)\]$/, '$1')))
    .find((candidate) => isIP(candidate));
}
