import { Cookie } from 'tough-cookie';
import type { Exchange } from '../http/record.ts';
import { headerValues, isSuccess, responseHeader } from '../http/response.ts';

export const setCookieLines = ({ response }: Exchange) => headerValues(response, 'set-cookie');

/** Returns what else is known if a response sets one cookie only, to be the detail of a problem. */
export const noteOnlyCookie = (exchange: Exchange): string | undefined =>
  setCookieLines(exchange).length === 1
    ? 'The response to the sign-in has one Set-Cookie line. If you set two cookies, one replaces the other: append each.'
    : undefined;

const joinedLine = /,\s*([^=;,\s]+)=[^;]*;\s*(path|httponly|samesite|max-age)/i;
const findJoined = (line: string) => joinedLine.exec(line.replace(/expires=[^;]*/i, ''))?.[1];
const knownAttribute =
  /^\s*(expires|max-age|domain|path|secure|httponly|samesite|partitioned|priority|version|comment)?\s*(=|$)/i;

/** Returns why a browser loses a cookie or a part of it; undefined when it does not. */
export function reasonOfLoss(exchange: Exchange, line: string, isBroken: boolean) {
  const { method, path, headers } = exchange.request;
  if (findJoined(line)) return 'it is joined with another cookie in one header';
  if (!isBroken) return undefined;
  const attributes = line.split(';').slice(1);
  if (!attributes.every((attribute) => knownAttribute.test(attribute)))
    return 'its value contains a semicolon, where browsers cut it';
  const setCookies = setCookieLines(exchange).filter((other) => !isEmptyCookie(other));
  const isDeleted = [headers['cookie'], ...setCookies].some((text) =>
    text?.includes(`${cookieName(line)}=`),
  );
  return isDeleted && isSuccess(exchange) && isEmptyCookie(line)
    ? `${method} ${path} deletes it`
    : undefined;
}

/** Of a session, as the contract says: a user reads and types between two calls. */
const minSessionSeconds = 300;

/** Returns the seconds after which a cookie expires; Infinity when it does not. */
function lifetimeOf(exchange: Exchange, line: string): number {
  // `Expires` counts from the response, which may be some seconds old.
  const sentAt = Date.parse(responseHeader(exchange, 'date') ?? '') || exchange.receivedAt;
  return (Cookie.parse(line)?.TTL(sentAt) ?? Infinity) / 1000;
}

/** Returns whether browsers remove a cookie at this line. */
export const isDeletion = (exchange: Exchange, line: string): boolean =>
  isEmptyCookie(line) || lifetimeOf(exchange, line) <= 0;

/** Returns when a cookie of a successful sign-in expires, if that is soon. */
export function reasonOfShortLife(exchange: Exchange, line: string): string | undefined {
  const seconds = lifetimeOf(exchange, line);
  const isSignIn = isSuccess(exchange) && exchange.request.path.endsWith('login');
  if (!isSignIn || isEmptyCookie(line) || seconds >= minSessionSeconds) return undefined;
  const lifetime = seconds > 0 ? `after ${Math.round(seconds)} s` : 'immediately';
  return `it expires ${lifetime}`;
}

/** Returns the name of the cookie that browsers lose: of two in one line, that of the second. */
export const lostName = (line: string) => findJoined(line) ?? cookieName(line);

export const cookieName = (line: string) => line.split('=')[0]!.trim();

/** Returns the names of the cookies that a response sets. */
export const setCookieNames = (exchange: Exchange) => setCookieLines(exchange).map(cookieName);

export const isEmptyCookie = (line: string) => /^[^=]+="?"?\s*(;|$)/.test(line);
