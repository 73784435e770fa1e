import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sessionLifetimeSeconds, type Session, type Sessions } from '../auth/sessions.ts';
import { Refusal } from '../auth/refusal.ts';
import type { SetCookies } from './contract.ts';
import { logSessionEnd } from './security-log.ts';
import { describeSender, originOf, senderOf } from './sender.ts';

interface GuardedOperation {
  /** Needs no session. */
  isPublic: boolean;
  /** Changes nothing, so any page may send it. */
  isSafe: boolean;
}

export type Guard = ReturnType<typeof createGuard>;

export function createGuard(sessions: Sessions) {
  /**
   * Authenticates a request and checks that the app sent it: by what the browser says, or else by
   * the XSRF token. Runs before the body is read. Throws a `Refusal`.
   */
  return async function guard(
    request: FastifyRequest,
    reply: FastifyReply,
    { isPublic, isSafe }: GuardedOperation,
  ) {
    const sender = isSafe ? 'sameOrigin' : senderOf(request.headers);
    if (sender === 'otherOrigin') {
      request.log.warn(describeSender(request.headers), 'refused: the sender is another origin');
      throw new Refusal('otherOrigin');
    }

    const cookies = parseCookies(request.headers.cookie);
    const names = isSurelyHttps(request) ? [secureName] : [secureName, plainName];
    const candidates = await findSessions(cookies, names, (token) => sessions.find(token));
    const isConflict = new Set(candidates.map(({ accountId }) => accountId)).size > 1;
    // So that the session of the sign-in that follows is the only valid one.
    for (const candidate of isConflict && isPublic ? candidates : []) {
      await sessions.end(candidate);
      logSessionEnd(request, candidate, 'cookieConflict');
    }
    const session = isConflict ? undefined : candidates[0];
    if (session) {
      const expected = deriveXsrfToken(session.token);
      // Restores a lost cookie, on refusals too, so that trying again works.
      if (!cookies.get('XSRF-TOKEN')?.includes(expected)) {
        setXsrfCookie(request, reply, session.token);
      }
      if (sender === 'unknown' && !isEqual(request.headers['x-xsrf-token'], expected)) {
        request.log.warn('refused: no Sec-Fetch-Site, no Origin and not the XSRF token');
        throw new Refusal('xsrfTokenMismatch');
      }
    } else if (!isPublic) {
      throw new Refusal('notSignedIn');
    }
    return session;
  };
}

// Browsers accept the name with the prefix from this host over https only. Other hosts of the
// domain may set the plain name, which http needs, and https ignores. Two names, because a browser
// on http cannot replace a cookie of https. Own names, because other apps have a "session".
const secureName = '__Host-tracker-session';
const plainName = 'tracker-session';
const tokenPattern = /^[\w-]{43}$/;
/** Each is a query of the store. */
const maxTokensPerName = 16;

/** Returns the valid sessions of all cookies with the first of the names that has one. */
async function findSessions(
  cookies: Map<string, string[]>,
  names: string[],
  find: (token: string) => Promise<Session | undefined>,
): Promise<Session[]> {
  for (const name of names) {
    const tokens = cookies.get(name)?.filter((value) => tokenPattern.test(value));
    const distinct = [...new Set(tokens)].slice(0, maxTokensPerName);
    const found = await Promise.all(distinct.map(find));
    const valid = found.filter((session) => session !== undefined);
    if (valid.length > 0) return valid;
  }
  return [];
}

/** Returns all values of each name, because other apps may have set cookies with our names. */
function parseCookies(header = ''): Map<string, string[]> {
  const cookies = new Map<string, string[]>();
  for (const pair of header.split(';')) {
    const end = pair.indexOf('=');
    if (end < 0) continue;
    const [name, value] = [pair.slice(0, end).trim(), pair.slice(end + 1).trim()];
    const values = cookies.get(name);
    if (values) values.push(value);
    else cookies.set(name, [value]);
  }
  return cookies;
}

/** Sets the session cookie, and the XSRF cookie that the app repeats as a header. */
export const sessionCookies =
  (token: string): SetCookies =>
  (request, reply) => {
    const options = { ...cookieOptions(request), httpOnly: true };
    reply.setCookie(options.secure ? secureName : plainName, token, options);
    setXsrfCookie(request, reply, token);
  };

function setXsrfCookie(request: FastifyRequest, reply: FastifyReply, token: string) {
  reply.setCookie('XSRF-TOKEN', deriveXsrfToken(token), cookieOptions(request));
}

function cookieOptions(request: FastifyRequest): CookieSerializeOptions {
  return { path: '/', sameSite: 'lax', maxAge: sessionLifetimeSeconds, secure: isHttps(request) };
}

/**
 * Returns false also for a proxy that says https by mistake: browsers name the sender of a request
 * to https and to this machine only.
 */
const isSurelyHttps = (request: FastifyRequest): boolean =>
  isHttps(request) &&
  (originOf(request.headers) !== undefined || request.headers['sec-fetch-site'] !== undefined);

const warned = new WeakSet<FastifyInstance>();

/**
 * Returns whether the browser's address is https: by `Origin`, which all browsers send with a
 * sign-in, or else by `X-Forwarded-Proto`. Browsers drop cookies of the wrong scheme silently.
 */
function isHttps({ headers, log, server }: FastifyRequest): boolean {
  // With several proxies, the first value is the scheme that the browser uses.
  const [proto = ''] = String(headers['x-forwarded-proto']).split(',', 1);
  const isForwarded = proto.trim().toLowerCase() === 'https';
  const origin = originOf(headers);
  const isSecure = origin ? origin.protocol === 'https:' : isForwarded;
  if (isSecure !== isForwarded && !warned.has(server)) {
    warned.add(server);
    log.warn(
      describeSender(headers),
      "X-Forwarded-Proto is not the scheme of the browser's Origin: set it in the proxy",
    );
  }
  return isSecure;
}

/** Returns an HMAC keyed by the session token: no secret to configure, and replicas agree. */
const deriveXsrfToken = (token: string) =>
  createHmac('sha256', token).update('XSRF-TOKEN').digest('base64url');

/** Compares in constant time. */
function isEqual(actual: unknown, expected: string): boolean {
  if (typeof actual !== 'string') return false;
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
