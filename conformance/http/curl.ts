import type { Exchange } from './client.ts';

/** What a person sets once before pasting the commands. */
export const preamble =
  "PASSWORD='choose-One-2468!'   # the commands below use it; cookies stay in cookies-*.txt";

/** One call as a command that can be pasted. Secrets are left to the shell: the password, the cookies, the token. */
export function curlOf(origin: string, { request, browserName }: Exchange): string {
  const jar = `cookies-${browserName.replaceAll(/\W+/g, '-')}.txt`;
  const parts = ['curl -i'];
  if (request.method !== 'GET') parts.push(`-X ${request.method}`);
  parts.push(`-b ${jar} -c ${jar}`);
  for (const [name, value] of Object.entries(request.headers)) {
    if (name === 'content-type' || name === 'idempotency-key' || name === 'if-none-match') {
      parts.push(`-H ${quoted(`${name}: ${value}`)}`);
    }
    if (name === 'origin' && value !== origin) parts.push(`-H ${quoted(`origin: ${value}`)}`);
    if (name.startsWith('access-control-')) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
    if (name === 'x-xsrf-token') {
      parts.push(`-H "x-xsrf-token: $(awk '$6 == "XSRF-TOKEN" { print $7 }' ${jar})"`);
    }
  }
  const body = request.body === undefined ? undefined : String(request.body);
  const isLong = body !== undefined && body.length > longest;
  if (body !== undefined) parts.push(`--data-binary ${isLong ? '@-' : bodyOf(body)}`);
  parts.push(quoted(origin + request.path));
  return isLong ? `${longBody(body)} | ${parts.join(' ')}` : parts.join(' ');
}

const longest = 2000;

function bodyOf(body: string): string {
  const secret = /"password":"(?:[^"\\]|\\.)*"/;
  if (!secret.test(body)) return quoted(body);
  const [before = '', after = ''] = body.split(secret);
  return `${quoted(`${before}"password":"`)}"$PASSWORD"${quoted(`"${after}`)}`;
}

/** A project with a description of as many characters: no command line holds the real one. */
function longBody(body: string): string {
  const [before, after] = ['{"title":"Very long","description":"', '"}'].map(quoted);
  return `{ printf ${before}; head -c ${body.length} /dev/zero | tr '\\0' x; printf ${after}; }`;
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
