/** Shorter secrets would also match parts of ordinary words. */
const minSecretLength = 6;
const placeholder = '***';

/** Collects values that no report may contain: passwords, cookies and tokens. */
export function createSecrets() {
  const secrets = new Set<string>();
  /** All secrets, longest first, because one may contain another. Empty after a change. */
  let sorted: string[] = [];
  return {
    add: (secret: string) => {
      for (const form of encodedVariants(secret).flatMap((text) => [text, text.trim()]))
        if (form.length >= minSecretLength) secrets.add(form);
      sorted = [];
    },
    /** Replaces every secret in `text` with `***`, in all its encodings. */
    mask: (text: string) => {
      if (sorted.length === 0) sorted = [...secrets].toSorted((a, b) => b.length - a.length);
      let masked = text;
      for (const secret of sorted) masked = masked.replaceAll(secret, placeholder);
      const hide = (_: string, key: string, end: string) => `${key}"${placeholder}${end || '…'}`;
      return maskCut(masked.replaceAll(jsonSecrets, hide), sorted);
    },
  };
}

/** Masks the beginning of a secret at the end of an excerpt. */
const maskCut = (text: string, secrets: string[]) =>
  text.replaceAll(/[^…]+(?=…)/g, (excerpt) => {
    const starts = secrets.map((secret) => {
      const start = excerpt.lastIndexOf(secret.slice(0, minSecretLength));
      return start !== -1 && secret.startsWith(excerpt.slice(start)) ? start : Infinity;
    });
    const start = Math.min(...starts);
    return start === Infinity ? excerpt : excerpt.slice(0, start) + placeholder;
  });

/** Masks the values of a Set-Cookie line and keeps its attributes: `session=***; Path=/`. */
export const maskCookie = (line: string): string =>
  line.replaceAll(/(^|,)(\s*[^=;,\s]+)=[^;]*/g, `$1$2=${placeholder}`);

/** Returns the values in a Set-Cookie line, including two cookies that are joined by a comma. */
export const cookieValues = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)\s*[^=;,\s]+=([^;]*)/g)].map((match) => match[1] ?? '');

/** JSON values whose key names a secret, also a value at the end of an excerpt. */
const jsonSecrets =
  /("[\w-]*(?:password|passwd|secret|token|jwt|session|hash)[\w-]*"\s*:\s*)"(?:[^"\\]|\\.)*("?)/gi;

/** Returns a text as it can occur in a body, a URL or a header. */
export const encodedVariants = (text: string): string[] => [
  ...new Set([
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text),
    String(new URLSearchParams({ text })).slice('text='.length),
    decode(text),
  ]),
];

/** Percent-decodes a text. Returns one that is not encoded as it is. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
