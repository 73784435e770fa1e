import { domainToASCII } from 'node:url';
import { Refusal } from '../refusal.ts';

// The definition of <input type=email> in the HTML standard.
const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const pattern = new RegExp(`^[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]+@${label}(?:\\.${label})*$`);

/** The contract's maximum, which also holds for Punycode. */
const maxLength = 254;

/**
 * Returns true for each address that browsers accept in a field for emails, and for those of
 * internationalized domains.
 */
export function isEmail(text: string): boolean {
  if (text.length > maxLength) return false;
  const email = toPunycode(text);
  return email.length <= maxLength && pattern.test(email);
}

/** Returns the canonical email. Throws a `Refusal` for a text that is not an email. */
export function requireEmail(text: string): string {
  if (!isEmail(text)) throw new Refusal('invalidEmail');
  return canonicalEmail(text);
}

/** Returns the text by which accounts are found: of all spellings of an email the same. */
export const canonicalEmail = (email: string) => toPunycode(email).toLowerCase();

/** Replaces an internationalized domain by its Punycode. Changes no other text. */
function toPunycode(email: string): string {
  const at = email.lastIndexOf('@') + 1;
  const domain = email.slice(at);
  // At some of the other characters, `domainToASCII` would end.
  if (!/[^\0-\x7f]/.test(domain) || /[\0-,/:-@[-`{-\x7f]/.test(domain)) return email;
  // The suffix keeps it from reading numbers as an IPv4 address.
  return email.slice(0, at) + domainToASCII(domain + suffix).slice(0, -suffix.length);
}

const suffix = '.example';
