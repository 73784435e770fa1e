import { Cookie } from 'tough-cookie';
import { setCookieOf } from '../http/requirements.ts';
import { hasSucceeded, parseJson } from '../http/response.ts';
import { decode } from '../http/secrets.ts';
import type { RunContext } from '../people/run-context.ts';

/** Returns a session cookie without the last characters of its secret. */
export const cutEnd = (context: RunContext, cookie: Cookie): string =>
  splitEnd(context, cookie)[0].slice(0, -6);

/** Replaces the last letters and digits, of which a signature or a random token consists. */
export function forgeEnd(context: RunContext, cookie: Cookie): string {
  // A number might be that of another session.
  if (/^\d{1,15}$/.test(cookie.value)) return `9${cookie.value}00`;
  const [text, end] = splitEnd(context, cookie);
  const forged = text
    .slice(-16)
    .replace(
      /(%[\da-f]{2})|[a-z\d]/gi,
      (character, escape) => escape ?? (character === '5' ? '0' : '5'),
    );
  return text.slice(0, -16) + forged + end;
}

/**
 * Splits a session cookie before the end that is no secret: what another session ends with, such
 * as the name of a server, which Tomcat and Jetty append and do not compare, and padding of base64.
 */
function splitEnd({ http }: RunContext, { key, value }: Cookie): [text: string, end: string] {
  const logins = http.exchanges.filter((each) => hasSucceeded(each, '/login'));
  const others = new Set(logins.map((each) => setCookieOf(each, key) ?? ''));
  others.delete(`${key}=${value}`);
  const isShared = (_: string, start: number) =>
    [...others].some((other) => other.endsWith(value.slice(start)));
  const start = Array.from(value).findIndex(isShared);
  const text = value.slice(0, start === -1 ? undefined : start).replace(/(=|%3D|")*$/i, '');
  return [text, value.slice(text.length)];
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
