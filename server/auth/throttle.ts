import { createHash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { Refusal } from '../refusal.ts';
import type { Limit, Store } from '../store/store.ts';

const second = 1000; // milliseconds
const day = 24 * 60 * 60 * second;

/** One email from one address: ten wrong passwords, then waits that grow from 6 seconds to 13 minutes. */
const perPlace: Limit = { burst: 10, interval: 6 * second, doublings: 7 };
/** One email from all addresses where nobody signed in to it lately. */
const perAccount: Limit = { burst: 100, interval: 30 * second, doublings: 0 };
/** One address, whatever it signs in to or registers: an office or a test suite, not a botnet. */
const perAddress: Limit = { burst: 1000, interval: second / 10, doublings: 0 };

const knownFor = 30 * day;
const rememberedFor = day;

export interface SignIn {
  email: string;
  address: string;
  /** The browser has a session of this very account. */
  isOwner: boolean;
}

/** Counts attempts in the store, which the replicas share. Refuses with `tooManyAttempts`, and says how long to wait. */
export interface Throttle {
  /** Before a password is looked at. Knows nothing of accounts: an email without one is counted alike. */
  countSignIn(signIn: SignIn): Promise<void>;
  /** After a right password: earlier wrong ones are forgotten, and the address is known for a while. */
  forgive(signIn: SignIn): Promise<void>;
  countRegistration(address: string): Promise<void>;
}

export function createThrottle(store: Store, now: () => number): Throttle {
  /** Gives whether the key is a known one. */
  async function count(key: string, limit: Limit): Promise<boolean> {
    const { wait, isKnown } = await store.countAttempt(key, limit, now());
    if (wait > 0) throw new Refusal('tooManyAttempts', Math.ceil(wait / second));
    return isKnown;
  }

  return {
    async countSignIn(signIn) {
      const isKnown = await count(placeKey(signIn), perPlace);
      // What strangers try elsewhere must not lock out the person.
      if (!isKnown && !signIn.isOwner) await count(accountKey(signIn), perAccount);
      await count(addressKey(signIn.address), perAddress);
      await store.forgetAttempts(now() - rememberedFor, now());
    },

    async forgive(signIn) {
      await store.forgiveAttempts(placeKey(signIn), accountKey(signIn), now(), now() + knownFor);
    },

    async countRegistration(address) {
      await count(addressKey(address), perAddress);
    },
  };
}

function accountKey({ email }: SignIn): string {
  // Hashed: people type all sorts of things into the email field.
  return `account ${createHash('sha256').update(email.toLowerCase()).digest('base64url')}`;
}

function placeKey(signIn: SignIn): string {
  return `${accountKey(signIn)} ${signIn.isOwner ? 'owner' : addressKey(signIn.address)}`;
}

function addressKey(address: string): string {
  return `address ${networkOf(address)}`;
}

/** What one person has of addresses: one of IPv4, or the first 64 bits of IPv6, where they can pick any of the rest. */
export function networkOf(address: string): string {
  const ip = address.replace(/%.*$/, '');
  if (isIPv4(ip)) return ip;
  if (!isIPv6(ip)) return 'unknown';
  // However an IPv4 address in IPv6 is spelt, a URL spells it in two groups.
  const mapped = /^\[::ffff:(\w+):(\w+)\]$/.exec(new URL(`http://[${ip}]`).hostname);
  if (mapped) return mapped.slice(1).flatMap(bytesOf).join('.');
  const [head = [], tail = []] = ip.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  const groups = [...head, ...zeros, ...tail].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** The two bytes of a group of an IPv6 address. */
function bytesOf(group: string): number[] {
  const number = Number.parseInt(group, 16);
  return [number >> 8, number & 0xff];
}
