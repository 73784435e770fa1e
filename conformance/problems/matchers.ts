/**
 * Matchers. Each compares a response with what the contract says, and returns what is wrong as the
 * end of a sentence, or undefined. They send nothing, and know no check and no report.
 */
import { STATUS_CODES } from 'node:http';
import { schemaFields } from '../../generated/operations.ts';
import { nameOf } from '../http/project-texts.ts';
import type { Exchange } from '../http/record.ts';
import {
  isClientError,
  isSuccess,
  messageOf,
  parseJson,
  headerValues,
  statusOf,
} from '../http/response.ts';
import type { ApiCall } from '../http/simulated-browser.ts';
import { describeStatus, describeType, isBeginning, nameCodePoint, truncate } from './describe.ts';

/** Returns what is wrong with an error's `message`; undefined when it is a non-empty string. */
export const messageFault = (exchange: Exchange): string | undefined =>
  findMessageFault(exchange)?.[0];

/** Returns what is wrong with a refusal, and how to say that of several. */
export function findMessageFault(
  exchange: Exchange,
): [fault: string, ofSeveral: string] | undefined {
  if (messageOf(exchange) !== undefined) return undefined;
  const fault = jsonFault(exchange);
  if (fault) return fault;
  const body = parseJson(exchange.response?.text);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return [`the body is ${describeType(body)}, not an object`, 'are JSON, but not an object'];
  if ('message' in body) {
    const type = describeType(body.message);
    return typeof body.message === 'string'
      ? ['its "message" is empty', 'have an empty "message"']
      : [`its "message" is ${type}, not a string`, 'have a "message" that is not a string'];
  }
  const keys = Object.keys(body);
  const actual = keys.slice(0, 6).map((key) => `"${key}"`);
  // The usual names of a message come first: the other keys differ from refusal to refusal.
  const name = keys.find((key) => /^(details?|errors?|msg|reason)$/i.test(key));
  return [
    `the body has no "message"${actual.length > 0 ? `; it has ${actual.join(', ')}` : ''}`,
    `have ${name === undefined ? '' : `"${name}" and `}no "message"`,
  ];
}

/** Returns why a body is not JSON, and how to say that of several; undefined when it is JSON. */
function jsonFault(exchange: Exchange): [fault: string, ofSeveral: string] | undefined {
  const text = exchange.response?.text.trim() ?? '';
  if (text === '') return ['the body is empty', 'have an empty body'];
  if (/^<(!doctype|html|h1|pre)/i.test(text)) return ['the body is an HTML page', 'are HTML pages'];
  if (parseJson(exchange.response?.text) !== undefined) return undefined;
  const reason = explainInvalidJson(exchange);
  return [`the body is not JSON${reason}`, `are not JSON${reason}`];
}

/** Returns the cause of invalid JSON, to append to "not JSON"; an empty string when unknown. */
export function explainInvalidJson(exchange: Exchange): string {
  const { bytes, text } = exchange.response!;
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return ' but gzip without Content-Encoding';
  if (text.includes('\0')) return ' but UTF-16 instead of UTF-8';
  const before = /^\s*[^\s[{][^[{]*(?=[[{])/.exec(text)?.[0] ?? '';
  if (before !== '' && parseJson(text.slice(before.length)) !== undefined)
    return ` but JSON after ${JSON.stringify(truncate(before.trim().replaceAll(/\s+/g, ' '), 12))}`;
  return isBeginning(exchange) ? ' but the beginning of JSON' : '';
}

/** Returns why the app cannot show this list. */
export function listFault(call: ApiCall): string {
  const { place, fault } = findListFault(call);
  return place === undefined ? fault : `${place}: ${fault}`;
}

/** Returns why the app cannot show this list, and the project that is the reason. */
export function findListFault({ exchange }: ApiCall): { fault: string; place?: string } {
  const { response } = exchange;
  if (!response || !isSuccess(exchange)) return { fault: describeStatus(exchange) };
  const noJson = jsonFault(exchange);
  if (noJson) return { fault: noJson[0] };
  const body = parseJson(response.text);
  if (!Array.isArray(body)) {
    const wrapper = Object.entries(Object(body)).find(([, value]) => Array.isArray(value))?.[0];
    const fault = wrapper
      ? `the array is wrapped in an object, as "${wrapper}"`
      : `the body is ${describeType(body)}, not an array`;
    return { fault };
  }
  for (const [index, item] of body.entries()) {
    const fault = projectFault(item);
    if (fault) return { fault, place: `project ${index + 1} of ${body.length}` };
  }
  return { fault: describeStatus(exchange) };
}

/** Returns why the app cannot use the response to a call. */
export function callFault(call: ApiCall): string {
  const { operation, exchange } = call;
  if (!isSuccess(exchange)) return describeStatus(exchange);
  const fault =
    operation === 'listProjects'
      ? listFault(call)
      : projectFault(parseJson(exchange.response!.text));
  return fault ?? 'the body cannot be read';
}

const typeOf = (value: unknown) =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

/** Returns why the app does not accept this value as a project; undefined when it does. */
export function projectFault(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    return `it is ${describeType(item)}, not an object`;
  const fields = item as Record<string, unknown>;
  const wrapper = Object.entries(fields).find(([, value]) => nameOf(value) !== undefined)?.[0];
  if (nameOf(item) === undefined && wrapper) return `it is wrapped in an object, as "${wrapper}"`;
  const keys = Object.keys(fields)
    .slice(0, 4)
    .map((key) => `"${truncate(key, 15)}"`);
  for (const [key, { types, isRequired }] of Object.entries(schemaFields.Project)) {
    const value = fields[key];
    const names = types.map((type) => (type === 'integer' ? 'number' : type));
    if (value === undefined ? !isRequired : names.some((name) => name === typeOf(value))) continue;
    return key in item
      ? `"${key}" is ${describeType(value)}, not a ${names.join(' or a ')}`
      : `"${key}" is missing (it has ${keys.join(', ') || 'no keys'})`;
  }
  return undefined;
}

/** Browsers read them only if they are there once. */
const accessHeaders = ['Access-Control-Allow-Origin', 'Access-Control-Allow-Credentials'];

/** Returns why a page of this origin may not send a request or read its response. */
export function accessFault(exchange: Exchange, origin: string): string | undefined {
  const requested = exchange.request.headers['access-control-request-headers'];
  if (exchange.request.method === 'OPTIONS' && !isSuccess(exchange))
    return `gets ${describeStatus(exchange)}`;
  const valuesOf = (name: string) => headerValues(exchange.response, name);
  const repeated = accessHeaders.find((name) => valuesOf(name.toLowerCase()).length > 1);
  if (repeated) return `has ${repeated} more than once`;
  const [allowed] = valuesOf('access-control-allow-origin');
  if (allowed === undefined)
    return `gets ${describeStatus(exchange)} without Access-Control-Allow-Origin`;
  if (allowed !== origin) return `allows the origin ${truncate(allowed, 40)}, not the app's`;
  if (valuesOf('access-control-allow-credentials')[0] !== 'true')
    return 'has no Access-Control-Allow-Credentials: true';
  const names = valuesOf('access-control-allow-headers').join().toLowerCase();
  const missing = requested?.split(',').filter((name) => !names.split(/\s*,\s*/).includes(name));
  return missing?.length ? `does not allow the header ${missing.join(' and ')}` : undefined;
}

/** Returns what is wrong with the text of a message; undefined when it is a sentence. */
export function sentenceFault(exchange: Exchange): string | undefined {
  if (!isClientError(exchange)) return undefined;
  const message = messageOf(exchange)?.trim() ?? '';
  // A message may repeat what the user typed.
  const sent = String(exchange.request.body ?? '');
  const has = (pattern: RegExp) =>
    pattern.test(message) && !sent.includes(pattern.exec(message)![0]);
  if (has(/\bundefined (local variable or )?method\b|\bis not a function\b/))
    return 'is the text of an exception';
  if (has(/translation[_ ]missing|missing[_ ]translation/i)) return 'is a missing translation';
  if (has(/<\/[a-z][^<>]*>|<(?:[bh]r|img|input|li|p)\b[^<>]*>|&(amp|lt|gt|quot|#\d+);/i))
    return 'contains markup';
  if (has(/(?<!\\\w?)\{\{? ?[\w.]+ ?\}|%(?:\d\$)?[sd]\b|\$\{\w+|(?<!\S):[a-z_]{3}|^undefined /))
    return 'has an empty placeholder';
  // What Python, PHP and Go print of a list or an object: ['No.'], Array, map[title:No.].
  if (has(/^(?:null|undefined|none|nil|true|false|array)$|\[object \w+\]|^(?:map)?[[{].*[\]}]$/is))
    return 'is no text';
  if (has(/^[\w.:\\$]+(?:Exception|Error)\b/)) return 'is the name of an exception';
  if (has(/\bvalidation errors? for |\(type=/)) return 'is the output of a validator';
  if (exchange.isAppRequest && message === STATUS_CODES[statusOf(exchange)])
    return 'only repeats the status';
  // Of the app's requests, a parser may refuse one with an escape.
  const isPlain = exchange.isAppRequest && !sent.includes(String.raw`\u`);
  const parserWords =
    /^(?=.*\bjson\b).*(valid|malformed|pars|unexpected|syntax)|\bmalformed request|\bunexpected end of/i;
  if (isPlain && has(parserWords)) return 'calls valid JSON invalid';
  // Without a space, and with a separator, a digit or a capital inside: error.api.401, ERR_INVALID.
  if (has(/^[\w.:/-]*(?:[a-z][A-Z]|[A-Za-z][._:/-][A-Za-z\d]|\d)[\w.:/-]*$/)) return 'is a code';
  return undefined;
}

/** Removes what replaces a character that cannot be stored. */
const toUnmarked = (text: string) => text.replaceAll(/[?\uFFFD]/g, '');

const withoutMarkup = (text: string) =>
  text.replaceAll(/&?\b(lt|gt|amp|quot|apos);|&?#(0?39|34|x27|x22);|[<>&"']/gi, '');

type Change = (text: string) => string;

/** What backends make of texts, to complete "the text is". */
const changes: Record<string, Change> = {
  'normalized to the Unicode form NFC': (text) => text.normalize('NFC'),
  'normalized to the Unicode form NFKC': (text) => text.normalize('NFKC'),
  'normalized to the Unicode form NFD': (text) => text.normalize('NFD'),
  'without repeated spaces (each run of spaces became one)': (text) => text.replaceAll(/ +/g, ' '),
  'sent back with "\'" before =, +, - or @, as for CSV': (text) => text.replace(/^[=+@-]/, "'$&"),
  'URL-decoded': (text) =>
    text.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCodePoint(parseInt(hex, 16))),
  'with the two characters \\n turned into a line break': (text) => text.replaceAll('\\n', '\n'),
  'with a backslash before quotes': (text) => text.replaceAll(/["'\\]/g, '\\$&'),
  'with each quote twice, as in SQL': (text) => text.replaceAll("'", "''"),
  'decoded as Latin-1, not as UTF-8': (text) => Buffer.from(text).toString('latin1'),
  'without tags': (text) => text.replaceAll(/<[^>]*>/g, ''),
  'without four-byte characters (emoji)': (text) => text.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, ''),
  'without characters outside Latin-1': (text) => text.replaceAll(/[^\0-\u00FF]/gu, ''),
  'without characters outside ASCII': (text) => text.replaceAll(/[^\0-\u007F]/gu, ''),
};

/** What is the same in both texts, when they differ in this way only. */
const forms: Record<string, Change> = {
  'with other line breaks': (text) => text.replaceAll('\r\n', '\n'),
  'with other white space': (text) => text.replaceAll(/\s+/g, ' ').trim(),
  'in another letter case': (text) => text.toLowerCase(),
};

/**
 * Names what was done to a text, and quotes both texts around the first character that differs.
 * Texts that were changed in one way have one `kind`.
 */
export function textFault(sent: string, received: unknown) {
  if (typeof received !== 'string')
    return { kind: 'not a string', words: 'not a string', difference: describeType(received) };
  const [expected, actual] = [Array.from(sent), Array.from(received)];
  let index = 0;
  while (index < expected.length && expected[index] === actual[index]) index += 1;
  const start = Math.max(0, index - 8);
  const excerpt = (text: string[]) => JSON.stringify(text.slice(start, start + 32).join(''));
  const kind = nameChange(sent, received, expected[index] ?? '', actual[index] ?? '');
  return {
    kind,
    words: kind === 'cut' ? `cut at ${actual.length} characters` : kind,
    inBytes: kind === 'cut' ? `cut at ${Buffer.byteLength(received)} bytes` : undefined,
    difference: `${excerpt(actual)} instead of ${excerpt(expected)} (${expected.length} characters sent, ${actual.length} received)`,
  };
}

/** Names a change of which the first character that differs was `from` and is `to`. */
function nameChange(sent: string, received: string, from: string, to: string): string {
  if (/^(number|boolean)$/.test(typeof parseJson(sent))) return 'read as JSON, not as text';
  const isMarkup = /&#?\w+;/.test(received) && withoutMarkup(sent) === withoutMarkup(received);
  if (isMarkup && received.length > sent.length) return 'HTML-escaped';
  // Marks of a direction too, which no user sees.
  if (received === sent.replaceAll(/^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu, '')) return 'trimmed';
  const known =
    Object.entries(changes).find(
      ([, change]) => change(sent) !== sent && toUnmarked(received) === toUnmarked(change(sent)),
    ) ?? Object.entries(forms).find(([, form]) => form(received) === form(sent));
  if (known) return known[0];
  if (sent.startsWith(received.replace(/(\.{3}|…)$/, ''))) return 'cut';
  const lost = new Set(Array.from(sent).filter((one) => !received.includes(one)));
  const isWithout = received === Array.from(sent, (one) => (lost.has(one) ? '' : one)).join('');
  if (isWithout && lost.size <= 3) return `without ${[...lost].map(nameCodePoint).join(' and ')}`;
  if (from === '$') return 'changed at "$", as by String.replace';
  return received === sent.replaceAll(from, to)
    ? `sent back with ${nameCodePoint(to)} in place of ${nameCodePoint(from)}`
    : `changed at ${nameCodePoint(from)}`;
}
