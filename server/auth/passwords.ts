import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

// OWASP's recommendation for argon2id: 19 MiB (`memory` is in KiB), two passes, one lane.
const recommendedCost = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagBytes = 32;

export interface Passwords {
  /** Returns the text to store instead of the password. */
  hash(password: string): Promise<string>;
  /** Takes equally long without a hash, and then resolves to false. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
  /** Returns true if the hash was computed at another cost than today's. */
  isOutdated(hash: string): boolean;
}

/** Hashes with argon2id. `createHashingQueue` limits how many run at once. */
export function createPasswords(cost: Cost = recommendedCost): Passwords {
  const dummyHash = format(cost, randomBytes(saltBytes), randomBytes(tagBytes));

  return {
    async hash(password) {
      const salt = randomBytes(saltBytes);
      return format(cost, salt, await derive(password, salt, cost, tagBytes));
    },

    async verify(password, hash = dummyHash) {
      const stored = parse(hash);
      const tag = await derive(password, stored.salt, stored.cost, stored.tag.length);
      return timingSafeEqual(tag, stored.tag);
    },

    isOutdated: (hash) => !hash.startsWith(formatCost(cost)),
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
