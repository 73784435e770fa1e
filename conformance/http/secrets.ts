/**
 * What must not be read in a report: passwords, cookies and tokens. They are named as they come up, and taken out of every text
 * that leaves the kit.
 */
export type Secrets = {
  add: (secret: string | undefined) => void;
  /** The text with each secret in it, in whatever form, as `***`. */
  mask: (text: string) => string;
};

/** Shorter ones would be found in words that mean nothing. */
const shortest = 6;
const mask = '***';

export function createSecrets(): Secrets {
  const known = new Set<string>();
  return {
    add(secret) {
      if (secret === undefined || secret.length < shortest) return;
      for (const form of formsOf(secret)) {
        known.add(form);
        if (form.trim().length >= shortest) known.add(form.trim());
      }
    },
    mask(text) {
      let left = text;
      for (const secret of [...known].toSorted((one, other) => other.length - one.length)) {
        left = left.replaceAll(secret, mask);
      }
      return maskedKeys(maskedCookies(left));
    },
  };
}

/** `session=abc; Path=/` keeps its name and its attributes. */
export function maskedCookie(line: string): string {
  return line
    .replace(/^\s*([^=;,\s]+)=[^;]*/, `$1=${mask}`)
    .replaceAll(/,\s*([^=;,\s]+)=[^;]*/g, `, $1=${mask}`);
}

/** The values of the cookies that a Set-Cookie line sets, two joined ones included. */
export const cookieValuesIn = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)\s*[^=;,\s]+=([^;]*)/g)].map((match) => match[1] ?? '');

function maskedCookies(text: string): string {
  return text
    .replace(
      /^(set-cookie: )(.*)$/gim,
      (_, name: string, line: string) => name + maskedCookie(line),
    )
    .replace(
      /^(cookie: )(.*)$/gim,
      (_, name: string, pairs: string) =>
        name + pairs.replaceAll(/([^=;\s]+)=[^;]*/g, `$1=${mask}`),
    )
    .replace(/^((?:x-xsrf-token|authorization): ).*$/gim, `$1${mask}`);
}

/** In JSON, the values of keys that speak of secrets; not where a command leaves the password to the shell. */
function maskedKeys(text: string): string {
  return text.replaceAll(
    /("[\w-]*(?:password|passwd|secret|token|jwt|session|hash)[\w-]*"\s*:\s*)"(?!'"\$PASSWORD"')(?:[^"\\]|\\.)*"/gi,
    `$1"${mask}"`,
  );
}

/** A text as it may stand in a body or a header. */
export const formsOf = (text: string): string[] => [
  ...new Set([text, inJson(text), encodeURIComponent(text), decoded(text)]),
];

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
