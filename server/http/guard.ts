import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../refusal.ts';
import { sessionLifetimeSeconds, type Session, type Sessions } from '../auth/sessions.ts';

export interface GuardedOperation {
  /** Works for people who are not signed in too. */
  isPublic: boolean;
  /** Changes nothing, so it needs no proof that the app sent it. */
  isSafe: boolean;
}

/** Decides, before the body is read, who sends a request and whether our app sent it. Throws a `Refusal` otherwise. */
export type Guard = (
  request: FastifyRequest,
  reply: FastifyReply,
  operation: GuardedOperation,
) => Promise<Session | undefined>;

export function createGuard(sessions: Sessions): Guard {
  return async function guard(request, reply, { isPublic: open, isSafe: safe }) {
    if (!safe && !isFromOurPages(request)) throw new Refusal('xsrfTokenMismatch');

    const token = request.cookies['session'];
    const session = token
      ? await (safe ? sessions.findWithListVersion(token) : sessions.find(token))
      : undefined;
    if (session) {
      const expected = xsrfToken(session);
      // Given again when it got lost, on refusals too, so that "try again" is true.
      if (request.cookies['XSRF-TOKEN'] !== expected) setXsrfCookie(request, reply, session);
      if (!safe && !isSame(request.headers['x-xsrf-token'], expected)) {
        throw new Refusal('xsrfTokenMismatch');
      }
    } else if (!open) {
      throw new Refusal('notSignedIn');
    }
    return session;
  };
}

/** Gives the browser the two cookies of a session: one that only we can read, and one that the app repeats. */
export function setSessionCookies(request: FastifyRequest, reply: FastifyReply, session: Session) {
  reply.setCookie('session', session.token, { ...cookieOptions(request), httpOnly: true });
  setXsrfCookie(request, reply, session);
}

function setXsrfCookie(request: FastifyRequest, reply: FastifyReply, session: Session) {
  reply.setCookie('XSRF-TOKEN', xsrfToken(session), cookieOptions(request));
}

function cookieOptions(request: FastifyRequest): CookieSerializeOptions {
  // Anybody may claim to have come through https; all it gets them is a cookie that http does not send back.
  // Of several proxies, the first one is the one that the browser speaks to.
  const secure = /^https\s*(,|$)/i.test(String(request.headers['x-forwarded-proto']));
  return { path: '/', sameSite: 'lax', maxAge: sessionLifetimeSeconds, secure };
}

const xsrfTokens = new Map<string, string>(); // by session; every call needs one, and making it costs as much as finding the session
const xsrfTokensKept = 10_000;

// Keyed by the session itself: no secret to set up, and all replicas agree.
function xsrfToken({ token }: Session): string {
  let made = xsrfTokens.get(token);
  if (!made) {
    made = createHmac('sha256', token).update('XSRF-TOKEN').digest('base64url');
    if (xsrfTokens.size >= xsrfTokensKept) xsrfTokens.clear();
    xsrfTokens.set(token, made);
  }
  return made;
}

/**
 * Browsers say where a POST comes from, and no page can make them lie. A client that says nothing is no browser, so it
 * carries nobody's cookies without knowing.
 */
function isFromOurPages({ headers }: FastifyRequest): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (origin === 'null') return false;
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (origin === undefined) return true;
  return [host, headers['x-forwarded-host']].includes(URL.parse(origin)?.host ?? 'unreadable');
}

function isSame(given: unknown, expected: string): boolean {
  if (typeof given !== 'string') return false;
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
