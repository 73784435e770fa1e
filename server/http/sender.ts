import type { IncomingHttpHeaders } from 'node:http';

/** What browsers say about the page that sent a request, and pages cannot forge. */
type Sender = 'sameOrigin' | 'otherOrigin' | 'unknown';

/** Headers in which a proxy may name the host that the browser shows. */
const hostHeaders = ['host', 'x-forwarded-host', 'x-original-host', 'forwarded'] as const;
const senderHeaders = [
  'sec-fetch-site',
  'origin',
  ...hostHeaders,
  'x-forwarded-port',
  'x-forwarded-proto',
] as const;

// No real value is longer. URLs and names of any length cannot be parsed in linear time.
const maxOriginLength = 300;
const maxNamesPerHeader = 8;

/**
 * Returns which page sent a request. `unknown` are clients that are not a browser, and browsers
 * that send neither `Sec-Fetch-Site` nor `Origin`: old ones, or those behind a proxy that drops
 * both.
 */
export function senderOf(headers: IncomingHttpHeaders): Sender {
  const { origin, 'sec-fetch-site': site = 'none' } = headers;
  if (site === 'same-origin') return 'sameOrigin';
  if (site !== 'none') return 'otherOrigin';
  if (origin === undefined) return 'unknown';
  const url = originOf(headers);
  const port = headers['x-forwarded-port']?.toString();
  return url && namesOf(headers).some((name) => isNameOf(url, name, port))
    ? 'sameOrigin'
    : 'otherOrigin';
}

/** Returns the parsed header `Origin`, or undefined if it names none. */
export function originOf({ origin = '' }: IncomingHttpHeaders): URL | undefined {
  return (origin.length <= maxOriginLength && URL.parse(origin)) || undefined;
}

/** Returns the headers that name sender, host and scheme, short and printable, for the log. */
export const describeSender = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(
    senderHeaders.flatMap((name) =>
      headers[name] === undefined ? [] : [[name, toPrintable(headers[name])]],
    ),
  );

/** Shortens a header's value and replaces what a terminal could take for a command. */
const toPrintable = (value: unknown) =>
  String(value)
    .slice(0, maxOriginLength)
    .replaceAll(/[^ -~]/g, '?');

/** Returns the host names that the browser may have used, as a list because proxies disagree. */
function namesOf(headers: IncomingHttpHeaders): string[] {
  return hostHeaders.flatMap((header) => {
    const values = String(headers[header] ?? '').split(/[,;]/, maxNamesPerHeader);
    const names = values.map((value) => value.trim());
    if (header !== 'forwarded') return names;
    return names.flatMap((pair) => /^host="?([^"]+)"?$/i.exec(pair)?.[1] ?? []);
  });
}

/** Compares as URLs: default ports, capitals, Punycode and spellings of IPv6 do not matter. */
function isNameOf(origin: URL, name: string, forwardedPort: string | undefined): boolean {
  if (name.length > maxOriginLength) return false;
  // Node reads headers as Latin-1.
  const url = URL.parse(`${origin.protocol}//${Buffer.from(name, 'latin1').toString()}`);
  if (!url || withoutDot(url.hostname) !== withoutDot(origin.hostname)) return false;
  if (url.port === origin.port || !forwardedPort) return url.port === origin.port;
  url.port = forwardedPort;
  return url.port === origin.port;
}

const withoutDot = (hostname: string) => hostname.replace(/\.$/, '');
