import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { bodyFields } from '../../generated/operations.ts';
import { lengthOf } from '../../shared/field-rules.ts';

// OWASP's recommendation for argon2id: 19 MiB (`memory` is in KiB), two passes, one lane.
const recommendedCost = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagBytes = 32;
const rule = bodyFields.registerUser.password;

export type Passwords = ReturnType<typeof createPasswords>;

/** Hashes with argon2id. `createHashingLimit` limits how many run at once. */
export function createPasswords(cost: Cost = recommendedCost) {
  const dummyHash = format(cost, randomBytes(saltBytes), randomBytes(tagBytes));

  return {
    /** Returns true if it has too few characters in the form in which it may be typed elsewhere. */
    isTooShort: (password: string) => lengthOf(rule, password) < rule.minLength,

    /** Returns the text to store instead of the password. */
    async hash(password: string) {
      const salt = randomBytes(saltBytes);
      return format(cost, salt, await derive(normalize(password), salt, cost, tagBytes));
    },

    /**
     * Returns `outdated` for a right password whose hash has another cost than `hash` gives it.
     * Takes equally long without a hash, and then returns `wrong`.
     */
    async verify(password: string, hash = dummyHash): Promise<'right' | 'outdated' | 'wrong'> {
      const stored = parse(hash);
      const tag = await derive(normalize(password), stored.salt, stored.cost, stored.tag.length);
      if (!timingSafeEqual(tag, stored.tag)) return 'wrong';
      return hash.startsWith(formatCost(cost)) ? 'right' : 'outdated';
    },
  };
}

/** Returns the Unicode form that is hashed, because keyboards and systems type é in two forms. */
const normalize = (password: string) => password.normalize('NFC');

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
