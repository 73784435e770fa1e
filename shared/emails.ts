// The definition of <input type=email> in the HTML standard.
const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';

/** Matches each address that browsers accept in a field for emails. */
export const emailPattern = new RegExp(
  `^[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]+@${label}(?:\\.${label})*$`,
);

const suffix = '.example';

/**
 * Replaces an internationalized domain by its Punycode. Chromium does so in its field, and other
 * browsers do not. Replaces the wide `＠` of Japanese keyboards, too. Changes no other text.
 */
export function toPunycode(text: string): string {
  const email = text.replace('\uFF20', '@');
  const at = email.lastIndexOf('@') + 1;
  const domain = email.slice(at);
  // Other ASCII characters would end the host of the URL, or be decoded.
  if (!/[^\0-\x7f]/.test(domain) || /[\0-,/:-@[-`{-\x7f]/.test(domain)) return email;
  try {
    // The suffix keeps it from reading numbers as an IPv4 address.
    const { hostname } = new URL(`http://${domain}${suffix}`);
    return email.slice(0, at) + hostname.slice(0, -suffix.length);
  } catch {
    return email;
  }
}
