import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Refusal } from '../refusal.ts';

// OWASP's advice for argon2id: 19 MiB (`memory` is in KiB), two passes, one lane.
const advisedCost = { memory: 19_456, passes: 2, parallelism: 1 };
const saltLength = 16; // bytes
const tagLength = 32; // bytes

// A hash occupies one of four threads that files need too, so a flood of logins must not get them all.
const maxConcurrentHashes = 2;
const maxQueuedHashes = 64;

export interface Passwords {
  /** Gives the text to keep instead of the password. */
  hash(password: string): Promise<string>;
  /** Whether the password belongs to the hash. Takes as long for no hash at all, and is then false. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
  /** Whether the hash was made at another cost than today's. */
  isOutdated(hash: string): boolean;
  /** Throws what `hash` and `verify` would throw now, so that nothing is counted against somebody we cannot serve. */
  refuseWhenBusy(): void;
}

/** Hashes with argon2id, a few at a time; refuses with `unavailable` when too many wait. */
export function createPasswords(cost: Cost = advisedCost): Passwords {
  const turns = createLimiter(maxConcurrentHashes, maxQueuedHashes);
  const { inTurn } = turns;
  const dummyHash = format(cost, randomBytes(saltLength), randomBytes(tagLength));

  return {
    hash: (password) =>
      inTurn(async () => {
        const salt = randomBytes(saltLength);
        return format(cost, salt, await derive(password, salt, cost, tagLength));
      }),

    verify: (password, hash = dummyHash) =>
      inTurn(async () => {
        const kept = parse(hash);
        const derived = await derive(password, kept.salt, kept.cost, kept.tag.length);
        return timingSafeEqual(derived, kept.tag);
      }),

    isOutdated: (hash) => !hash.startsWith(costText(cost)),
    refuseWhenBusy: turns.refuseWhenFull,
  };
}

type Cost = typeof advisedCost;
const argon2Async = promisify(argon2);

function derive(
  password: string,
  nonce: Buffer,
  { memory, passes, parallelism }: Cost,
  tag: number,
) {
  return argon2Async('argon2id', {
    message: Buffer.from(password),
    nonce,
    memory,
    passes,
    parallelism,
    tagLength: tag,
  });
}

// The usual text form, which carries its own cost: raising the cost above leaves older accounts working.
function costText({ memory, passes, parallelism }: Cost): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`;
}

function format(cost: Cost, salt: Buffer, tag: Buffer): string {
  const [saltText, tagText] = [salt, tag].map((bytes) =>
    bytes.toString('base64').replace(/=+$/, ''),
  );
  return `${costText(cost)}${saltText}$${tagText}`;
}

function parse(hash: string) {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash);
  if (!parts) throw new Error('A kept password hash cannot be read.');
  const [memory, passes, parallelism] = parts.slice(1, 4).map(Number) as [number, number, number];
  const [salt, tag] = parts.slice(4).map((text) => Buffer.from(text, 'base64')) as [Buffer, Buffer];
  return { cost: { memory, passes, parallelism }, salt, tag };
}

function createLimiter(atOnce: number, waiting: number) {
  const queue: (() => void)[] = [];
  let running = 0;

  function refuseWhenFull() {
    if (running >= atOnce && queue.length >= waiting) throw new Refusal('unavailable');
  }

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    refuseWhenFull();
    if (running >= atOnce) {
      await new Promise<void>((resolve) => queue.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  }

  return { inTurn, refuseWhenFull };
}
