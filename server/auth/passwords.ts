import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

// OWASP's recommendation for argon2id: 19 MiB (`memory` is in KiB), two passes, one lane.
const recommendedCost = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagBytes = 32;

export type Passwords = ReturnType<typeof createPasswords>;

/** Hashes with argon2id. `createHashingQueue` limits how many run at once. */
export function createPasswords(cost: Cost = recommendedCost) {
  const dummyHash = format(cost, randomBytes(saltBytes), randomBytes(tagBytes));

  return {
    /** Returns the text to store instead of the password. */
    async hash(password: string) {
      const salt = randomBytes(saltBytes);
      return format(cost, salt, await derive(password, salt, cost, tagBytes));
    },

    /** Takes equally long without a hash, and then resolves to false. */
    async verify(password: string, hash = dummyHash) {
      const stored = parse(hash);
      const tag = await derive(password, stored.salt, stored.cost, stored.tag.length);
      return timingSafeEqual(tag, stored.tag);
    },

    /** Returns true if the hash was computed at another cost than today's. */
    isOutdated: (hash: string) => !hash.startsWith(formatCost(cost)),
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
    bytes.toString('base64').replaceAll('=', ''),
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
