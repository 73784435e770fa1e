import { hash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { Refusal } from '../refusal.ts';
import type { AttemptLimit, Store } from '../store/store.ts';

const secondMs = 1000;
const dayMs = 24 * 60 * 60 * secondMs;

// The reasons for these limits: docs/decisions/0008-throttling.md.
const perEmailAndIp: AttemptLimit = { burst: 10, intervalMs: 6 * secondMs, maxDoublings: 7 };
/** Does not apply to IPs from which the account signed in lately. */
const perEmail: AttemptLimit = { burst: 100, intervalMs: 30 * secondMs, maxDoublings: 0 };
/** Sign-ins and registrations together. */
const perIp: AttemptLimit = { burst: 1000, intervalMs: secondMs / 10, maxDoublings: 0 };

const knownIpMs = 30 * dayMs;
const attemptLifetimeMs = dayMs;

export interface SignIn {
  email: string;
  ip: string;
  /** The request has a valid session of this account. */
  isOwner: boolean;
}

/** Counts attempts in the store, shared by all replicas. Refuses with `tooManyAttempts`. */
export interface Throttle {
  /** Called before the password is checked. Emails without an account are counted too. */
  countSignIn(signIn: SignIn): Promise<void>;
  /** Called after a successful sign-in: forgets failed attempts and remembers the IP. */
  reset(signIn: SignIn): Promise<void>;
  countRegistration(ip: string): Promise<void>;
}

export function createThrottle(store: Store, now: () => number): Throttle {
  async function count(key: string, limit: AttemptLimit): Promise<{ isKnown: boolean }> {
    const { waitMs, isKnown } = await store.countAttempt(key, limit, now());
    if (waitMs > 0) throw new Refusal('tooManyAttempts', Math.ceil(waitMs / secondMs));
    return { isKnown };
  }

  return {
    async countSignIn(signIn) {
      const { isKnown } = await count(emailAndIpKey(signIn), perEmailAndIp);
      // Attempts of strangers at other IPs must not lock out the user.
      if (!isKnown && !signIn.isOwner) await count(emailKey(signIn), perEmail);
      await count(ipKey(signIn.ip), perIp);
      await store.deleteOldAttempts(now() - attemptLifetimeMs, now());
    },

    async reset(signIn) {
      const knownUntil = now() + knownIpMs;
      await store.resetAttempts(emailAndIpKey(signIn), emailKey(signIn), now(), knownUntil);
    },

    async countRegistration(ip) {
      await count(ipKey(ip), perIp);
    },
  };
}

/** Hashed, because users may type anything into the email field, even a password. */
function emailKey({ email }: SignIn): string {
  return `account ${hash('sha256', email.toLowerCase(), 'base64url')}`;
}

function emailAndIpKey(signIn: SignIn): string {
  return `${emailKey(signIn)} ${signIn.isOwner ? 'owner' : ipKey(signIn.ip)}`;
}

function ipKey(ip: string): string {
  return `address ${networkOf(ip)}`;
}

/** Returns the network that one client controls: an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(address: string): string {
  const ip = address.replace(/%.*$/, '');
  if (isIPv4(ip)) return ip;
  if (!isIPv6(ip)) return 'unknown';
  // A URL normalizes every spelling of an IPv4 address in IPv6 to two hexadecimal groups.
  const mapped = /^\[::ffff:(\w+):(\w+)\]$/.exec(new URL(`http://[${ip}]`).hostname);
  if (mapped) return mapped.slice(1).flatMap(groupBytes).join('.');
  const [head = [], tail = []] = ip.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  const groups = [...head, ...zeros, ...tail].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

function groupBytes(group: string): number[] {
  const number = Number.parseInt(group, 16);
  return [number >> 8, number & 0xff];
}
