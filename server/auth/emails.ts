import { emailPattern, toPunycode } from '../../shared/emails.ts';
import type { CanonicalEmail } from '../store/accounts.ts';
import { Refusal } from './refusal.ts';

/** The contract's maximum, which also holds for Punycode. */
const maxLength = 254;

/**
 * Returns true for each address that browsers accept in a field for emails, and for those of
 * internationalized domains.
 */
export function isEmail(text: string): boolean {
  if (text.length > maxLength) return false;
  const email = toPunycode(text);
  return email.length <= maxLength && emailPattern.test(email);
}

/** Returns the canonical email. Throws a `Refusal` for a text that is not an email. */
export function requireEmail(text: string): CanonicalEmail {
  if (!isEmail(text)) throw new Refusal('invalidEmail');
  return canonicalEmail(text);
}

/** Returns the text by which accounts are found: of all spellings of an email the same. */
export const canonicalEmail = (email: string) => toPunycode(email).toLowerCase() as CanonicalEmail;
