import { hash } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Refusal } from './refusal.ts';
import type { CanonicalEmail } from '../store/accounts.ts';
import type { Bucket, BucketKey } from '../store/attempt-buckets.ts';
import type { Store } from '../store/store.ts';
import { createTurns } from '../store/turns.ts';
import { createHashingLimit, type HashingLimit } from './hashing-limit.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;

/** A token bucket that drains more slowly after many attempts. */
interface Limit {
  /** Attempts at once. */
  burst: number;
  /** Time to drain one attempt. */
  intervalMs: number;
  /** The interval doubles after each further `burst` attempts, at most this often. */
  maxDoublings: number;
}

// The reasons for these limits: docs/decisions/0008-throttling.md.
/** Sign-ins and registrations together. */
const perNetwork: Limit = { burst: 1000, intervalMs: secondMs / 10, maxDoublings: 0 };
/** For the /48 of an IPv6 address, which one client may own. */
const perSite: Limit = { burst: 2000, intervalMs: secondMs / 20, maxDoublings: 0 };
const perEmailAndNetwork: Limit = { burst: 10, intervalMs: 6 * secondMs, maxDoublings: 7 };
/** Does not apply to networks from which the account signed in lately. */
const perEmail: Limit = { burst: 100, intervalMs: 30 * secondMs, maxDoublings: 0 };

/** A bucket that did not change for longer is empty. */
export const bucketLifetimeMs = 24 * 60 * minuteMs;
/** A bucket that changed this far in the future was written under a wrong clock, and is empty. */
export const maxClockSkewMs = 5 * minuteMs;

/** What a trusted proxy names instead of an IP address. It belongs to no network. */
export const unreadableAddress = 'unreadable';

export interface Attempt {
  /** Or `unreadableAddress`. */
  ip: string;
  /** Returns whether the client has disconnected, and does not wait any more. */
  hasLeft?: () => boolean;
  /** Undefined for registrations. */
  signIn?: {
    email: CanonicalEmail;
    /** The request has a valid session of this account. */
    isOwner: boolean;
    /** The account, if there is one, signed in from this network lately. */
    isKnown: boolean | undefined;
  };
}

export type Throttle = ReturnType<typeof createThrottle>;

/** Counts attempts in the store, shared by all replicas. */
export function createThrottle(store: Store, hashing: HashingLimit = createHashingLimit()) {
  const inTurn = createTurns();

  /** Changes buckets after those of the same site, so that a locked row holds one connection. */
  const changeBuckets = (ip: string, limits: LimitedKey[], change: typeof countAttempt) =>
    inTurn(siteOf(ip), () => store.changeBuckets(limits, change));

  return {
    /**
     * Counts an attempt, and then runs `hashPassword`. Refuses with `tooManyAttempts`, and then
     * stores nothing, or with `unavailable` if too many wait. Emails without an account are counted
     * too.
     */
    async run<T>(attempt: Attempt, hashPassword: () => Promise<T>) {
      const limits = limitsOf(attempt);
      if (limits.length > 0) {
        // First without writing, because most attempts of a flood are refused.
        await store.checkBuckets(limits, countAttempt);
        await changeBuckets(attempt.ip, limits, countAttempt);
      }
      const { isOwner, isKnown } = attempt.signIn ?? {};
      // Strangers in the same network take no places of users whom the account knows.
      const party = `${siteOf(attempt.ip)}${isOwner || isKnown ? ' known' : ''}`;
      return hashing.run(party, hashPassword, attempt.hasLeft);
    },

    /** Called after a successful sign-in: forgets the attempts at the account from this network. */
    async reset(attempt: Attempt) {
      const limits = limitsOf(attempt).filter(({ emailHash }) => emailHash !== '');
      await changeBuckets(attempt.ip, limits, (bucket) => ({ ...bucket, made: 0, debtMs: 0 }));
    },
  };
}

type LimitedKey = BucketKey & { limit: Limit };

function limitsOf({ ip, signIn }: Attempt): LimitedKey[] {
  // Users behind a proxy that hides their addresses must not lock each other out.
  const isHidden = ip === unreadableAddress;
  const [network, site] = networksOf(ip);
  const limits: LimitedKey[] = [];
  if (!isHidden) limits.push({ emailHash: '', network, limit: perNetwork });
  if (site) limits.push({ emailHash: '', network: site, limit: perSite });
  if (!signIn) return limits;
  const emailHash = hashEmail(signIn.email);
  const { isOwner } = signIn;
  const isKnown = signIn.isKnown && !isHidden;
  if (isOwner || !isHidden) {
    const source = isOwner ? 'owner' : network;
    limits.push({ emailHash, network: source, limit: perEmailAndNetwork });
  }
  // Attempts of strangers in other networks must not lock out the user.
  if (!isOwner && !isKnown) limits.push({ emailHash, network: '', limit: perEmail });
  return limits;
}

/** Returns the bucket with one more attempt. Throws `tooManyAttempts` if it is full. */
function countAttempt(bucket: Bucket, now: number, { limit }: LimitedKey): Bucket {
  const { burst, intervalMs, maxDoublings } = limit;
  const { made, debtMs, updatedAt } = drain(bucket, now);
  const excessMs = debtMs - (burst - 1) * intervalMs;
  if (excessMs > 0) {
    const waitMs = excessMs + updatedAt - now;
    throw new Refusal('tooManyAttempts', Math.ceil(waitMs / secondMs));
  }
  const cost = intervalMs * 2 ** Math.min(Math.floor(made / burst), maxDoublings);
  return { ...bucket, made: made + 1, debtMs: debtMs + cost, updatedAt };
}

function drain({ made, debtMs, updatedAt }: Bucket, now: number) {
  const ageMs = now - updatedAt;
  if (ageMs > bucketLifetimeMs || ageMs < -maxClockSkewMs) {
    return { made: 0, debtMs: 0, updatedAt: now };
  }
  const drainedMs = Math.max(0, ageMs);
  return { made, debtMs: Math.max(0, debtMs - drainedMs), updatedAt: updatedAt + drainedMs };
}

/**
 * Hashes a canonical email, because users may type anything into the email field, even a password.
 */
export function hashEmail(email: CanonicalEmail): string {
  return hash('sha256', email, 'base64url');
}

/** Returns the /48 of an IPv6 address, or the IPv4 address. */
const siteOf = (address: string) => networkOf(address, 3);

/** Returns the network of an address, and its site if that is larger: each has a limit. */
export function networksOf(address: string): [string] | [network: string, site: string] {
  const [network, site] = [networkOf(address), siteOf(address)];
  return site === network ? [network] : [network, site];
}

/** Returns whether an address is of the internet, not of a machine or a private network. */
export const isPublic = (address: string) =>
  isIP(address) > 0 && ipaddr.process(address.replace(/%.*/, '')).range() === 'unicast';

/** Returns the network that one client controls: an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(address: string, groupCount = 4): string {
  const ip = address.replace(/%.*/, '');
  if (!isIP(ip)) return 'unknown';
  const parsed = ipaddr.process(ip); // turns an IPv4 address in IPv6 into the IPv4 address
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const groups = parsed.parts.slice(0, groupCount).map((group) => group.toString(16));
  return `${groups.join(':')}::/${16 * groupCount}`;
}
