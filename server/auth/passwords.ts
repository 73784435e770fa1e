import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Refusal } from '../refusal.ts';

// OWASP's recommendation for argon2id: 19 MiB (`memory` is in KiB), two passes, one lane.
const recommendedCost = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagBytes = 32;

// A hash occupies one of the four threads that file access needs too.
const maxConcurrentHashes = 2;
const maxQueuedHashes = 64;

export interface Passwords {
  /** Returns the text to store instead of the password. */
  hash(password: string): Promise<string>;
  /** Takes equally long without a hash, and then resolves to false. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
  /** Returns true if the hash was computed at another cost than today's. */
  isOutdated(hash: string): boolean;
  /** Throws if the queue is full. Called first, so that a request refused for it is not counted. */
  assertNotBusy(): void;
}

/** Hashes with argon2id, a few at a time. Refuses with `unavailable` if too many wait. */
export function createPasswords(cost: Cost = recommendedCost): Passwords {
  const limiter = createLimiter(maxConcurrentHashes, maxQueuedHashes);
  const dummyHash = format(cost, randomBytes(saltBytes), randomBytes(tagBytes));

  return {
    hash: (password) =>
      limiter.run(async () => {
        const salt = randomBytes(saltBytes);
        return format(cost, salt, await derive(password, salt, cost, tagBytes));
      }),

    verify: (password, hash = dummyHash) =>
      limiter.run(async () => {
        const stored = parse(hash);
        const tag = await derive(password, stored.salt, stored.cost, stored.tag.length);
        return timingSafeEqual(tag, stored.tag);
      }),

    isOutdated: (hash) => !hash.startsWith(formatCost(cost)),
    assertNotBusy: limiter.assertNotFull,
  };
}

type Cost = typeof recommendedCost;
const argon2Async = promisify(argon2);

function derive(password: string, nonce: Buffer, cost: Cost, tagLength: number) {
  return argon2Async('argon2id', { message: Buffer.from(password), nonce, ...cost, tagLength });
}

// The PHC string format contains the cost, so older hashes stay valid when the cost is raised.
function formatCost({ memory, passes, parallelism }: Cost): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`;
}

function format(cost: Cost, salt: Buffer, tag: Buffer): string {
  const [saltText, tagText] = [salt, tag].map((bytes) =>
    bytes.toString('base64').replace(/=+$/, ''),
  );
  return `${formatCost(cost)}${saltText}$${tagText}`;
}

function parse(hash: string) {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash);
  if (!match) throw new Error('A stored password hash cannot be read.');
  const [memory, passes, parallelism] = match.slice(1, 4).map(Number) as [number, number, number];
  const [salt, tag] = match.slice(4).map((text) => Buffer.from(text, 'base64')) as [Buffer, Buffer];
  return { cost: { memory, passes, parallelism }, salt, tag };
}

function createLimiter(maxConcurrent: number, maxQueued: number) {
  const queue: (() => void)[] = [];
  let running = 0;

  function assertNotFull() {
    if (running >= maxConcurrent && queue.length >= maxQueued) throw new Refusal('unavailable');
  }

  async function run<T>(task: () => Promise<T>): Promise<T> {
    assertNotFull();
    if (running >= maxConcurrent) {
      await new Promise<void>((resolve) => queue.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await task();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  }

  return { run, assertNotFull };
}
