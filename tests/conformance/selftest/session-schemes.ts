import { createHmac, randomBytes } from 'node:crypto';
import type { TestClock } from './test-clock.ts';

/** How a backend makes and recognizes the values of its session cookie. */
export type SessionScheme = {
  /** Returns the cookie of a sign-in. `old` is the cookie that the browser sent, or ''. */
  signIn: (email: string, old: string) => string;
  emailOf: (cookie: string) => string | undefined;
  /** Returns the cookie that any other response to a valid session sets. */
  renew?: (cookie: string) => string;
};

type CreateScheme = (clock: TestClock) => SessionScheme;

/** Creates random tokens, and remembers them. */
const storedTokens =
  (encode: (token: Buffer) => string, renew?: SessionScheme['renew']): CreateScheme =>
  () => {
    const emails = new Map<string, string>();
    return {
      signIn(email) {
        const cookie = encode(randomBytes(18));
        emails.set(cookie, email);
        return cookie;
      },
      emailOf: (cookie) => emails.get(cookie),
      ...(renew && { renew }),
    };
  };

const hex = (token: Buffer) => token.toString('hex');
const sign = (text: string) => createHmac('sha256', 'a secret').update(text).digest('base64url');

export const storedSessions = storedTokens(hex);
export const quotedSessions = storedTokens((token) => `"${hex(token)}"`);
/** Every value has a plus sign, a slash and an equals sign. */
export const base64Sessions = storedTokens((token) => `${token.toString('base64')}+/==`);
export const rollingSessions = storedTokens(hex, (cookie) => cookie);

/** Signs the session id, like express-session, and encodes the value. */
export const signedSessions = storedTokens((token) =>
  encodeURIComponent(`s:${hex(token)}.${sign(hex(token))}=`),
);

/** Two sign-ins within one second create the same token. */
export const jwtSessions: CreateScheme = () => ({
  signIn(email) {
    const claims = { sub: email, iat: Math.floor(Date.now() / 1000) };
    const text = [{ alg: 'HS256' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${text}.${sign(text)}`;
  },
  emailOf(cookie) {
    const [header, claims = '', signature] = cookie.split('.');
    if (signature !== sign(`${header}.${claims}`)) return undefined;
    return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sub: string }).sub;
  },
});

/** A user who signs in again keeps the session. Another user gets a new one. */
export const continuedSessions: CreateScheme = (clock) => {
  const stored = storedSessions(clock);
  return {
    ...stored,
    signIn: (email, old) => (stored.emailOf(old) === email ? old : stored.signIn(email, '')),
  };
};

/** Every response sets a new token. The old one is valid for ten more seconds. */
export const rotatingSessions: CreateScheme = (clock) => {
  const stored = storedSessions(clock);
  const endTimes = new Map<string, number>();
  return {
    ...stored,
    emailOf: (cookie) =>
      clock.now() < (endTimes.get(cookie) ?? Infinity) ? stored.emailOf(cookie) : undefined,
    renew(cookie) {
      if (!endTimes.has(cookie)) endTimes.set(cookie, clock.now() + 10_000);
      return stored.signIn(stored.emailOf(cookie)!, '');
    },
  };
};
