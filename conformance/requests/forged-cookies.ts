import { Cookie } from 'tough-cookie';
import { parseJson } from '../http/response.ts';
import { decode } from '../http/secrets.ts';

/**
 * What is no secret at the end of a cookie: padding of base64, also percent-encoded, a closing
 * quote, and the name of a server, which Tomcat and Jetty append and do not compare.
 */
export const encodedPadding = /(\.[a-z][\w-]{0,14})?(=|%3D|")*$/i;

/** Replaces the last letters and digits, of which a signature or a random token consists. */
export function forgeEnd(value: string): string {
  // A number might be that of another session.
  if (/^\d{1,15}$/.test(value)) return `9${value}00`;
  const [padding = ''] = encodedPadding.exec(value) ?? [];
  const text = value.slice(0, value.length - padding.length);
  const end = text
    .slice(-16)
    .replace(
      /(%[\da-f]{2})|[a-z\d]/gi,
      (character, escape) => escape ?? (character === '5' ? '0' : '5'),
    );
  return text.slice(0, -16) + end + padding;
}

/** Adds one to the first number of JSON in base64. Returns any other value as it is. */
export const nextEncodedNumber = (value: string): string =>
  changeBase64(value, (text) =>
    parseJson(text) === undefined
      ? text
      : text.replace(/\d+/, (number) => String(BigInt(number) + 1n)),
  );

/** Replaces a text in a cookie, where it may be percent-encoded or in base64. */
export const replaceEncoded = (value: string, from: string, to: string): string =>
  changeBase64(value, (text) => text.replaceAll(from, to))
    .replaceAll(from, to)
    .replaceAll(encodeURIComponent(from), encodeURIComponent(to));

/** Changes the text that a cookie has in base64. Returns a value that stays the same as it is. */
function changeBase64(value: string, change: (text: string) => string): string {
  const decoded = Buffer.from(decode(value), 'base64').toString();
  const changed = change(decoded);
  if (changed === decoded) return value;
  const encoded = Buffer.from(changed).toString('base64');
  return value.includes('=') ? encoded : encoded.replaceAll('=', '');
}

export const describePath = ({ path, pathIsDefault }: Cookie) =>
  pathIsDefault ? `no Path, so that of ${path}` : `the path ${path}`;

/** Returns the characters that a backend may read in another way than it wrote them. */
export const specialCharacters = (values: string[], usual: string[] = []): string =>
  [...new Set(values.join('').match(/[^\w.%-]/g))]
    .filter((character) => !usual.some((value) => value.includes(character)))
    .join(' ');

export const changeCookie = (cookie: Cookie, change: Partial<Cookie>): Cookie =>
  Object.assign(cookie.clone()!, change);

/** Parsers fail on an escape, half of one, "=" in a value, no value or name, and other bytes. */
export const otherCookies = {
  settings: '%7B%22theme%22%3A%22dark%22%7D',
  sale: '50%',
  padded: 'eyJhIjoxfQ==',
  empty: '',
  '': 'nameless',
  // Browsers send UTF-8, whose bytes are characters of this text.
  city: Buffer.from('Zürich').toString('latin1'),
};
