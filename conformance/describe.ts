import contract from '../generated/contract.json' with { type: 'json' };
import { definitionOf, findCall } from '../model/calls.ts';
import type { ApiCall } from './http/simulated-browser.ts';
import { isClientError, isSuccess, messageOf, parseJson, responseHeader } from './http/response.ts';
import type { Exchange } from './http/client.ts';

const segmenter = new Intl.Segmenter();

/** Splits a text into characters as users see them, of which an emoji is one. */
export const charactersOf = (text: string): string[] =>
  Array.from(segmenter.segment(text), ({ segment }) => segment);

export const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Returns the first `length` characters. */
export function truncate(text: string, length = 80): string {
  // Few characters have more code units: this bounds the time for a long text.
  const start = charactersOf(text.slice(0, length * 20))
    .slice(0, length)
    .join('');
  return start.length < text.length ? `${start}…` : text;
}

export function describeType(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return `the string ${JSON.stringify(truncate(value, 40))}`;
  return `the ${typeof value} ${JSON.stringify(value)}`;
}

/** Returns the status, or why there is none. The report shows the rest of a response apart. */
export const describeStatus = ({ response, failure }: Exchange): string =>
  response ? `status ${response.status}` : (failure?.message ?? 'no response');

/** Returns the status, the content type and the beginning of the body. */
export function describeResponse(exchange: Exchange): string {
  const { response, failure } = exchange;
  if (!response) return `no complete response: ${failure?.message ?? 'nothing arrived'}`;
  const location = responseHeader(exchange, 'location');
  if (location !== undefined && response.status >= 300 && response.status < 400)
    return `${response.status}, a redirect to ${location}`;
  const type = responseHeader(exchange, 'content-type');
  const text = response.text.trim().replaceAll(/\s*\n\s*/g, ' ');
  const unprintable = text.match(/[^\P{Cc}\t]|\uFFFD/gu)?.length ?? 0;
  const isText = unprintable <= text.length / 5;
  const shown = isText ? truncate(text, 120) : `${response.bytes.length} bytes that are not text`;
  return `${response.status} ${type ? `(${type}) ` : ''}${text === '' ? 'with an empty body' : shown}`;
}

/** Returns what the app shows after one of its calls. */
export function describeScreen(call: Pick<ApiCall, 'operation' | 'outcome'> & Partial<ApiCall>) {
  const { operation, outcome, exchange } = call;
  if (exchange?.failure?.isTimeout) return describeExchangeScreen(exchange);
  const { success, refusal, fault } = definitionOf(operation).words;
  if (outcome.ok === undefined) return fault;
  return outcome.ok ? truncate(success(outcome.value), 100) : refusal(outcome.message);
}

/**
 * Returns what the app shows after a response that the app's client did not read itself. Of an
 * unknown address, it is what the app shows after a similar call.
 */
export function describeExchangeScreen(exchange: Exchange): string {
  const { method, path } = exchange.request;
  const similar = method === 'GET' ? 'listProjects' : 'createProject';
  const { success, pending, refusal } = definitionOf(findCall(method, path)?.call ?? similar).words;
  if (isSuccess(exchange)) return success();
  return exchange.failure?.isTimeout ? pending : refusal(messageOf(exchange));
}

/** Returns what is wrong with an error's `message`; undefined when it is a non-empty string. */
export const describeMessageFault = (exchange: Exchange): string | undefined =>
  findMessageFault(exchange)?.[0];

/** Returns what refusals with this fault have in common; undefined when there is none. */
export function refusalCause(exchange: Exchange, subject: string) {
  const words = isClientError(exchange) ? findMessageFault(exchange)?.[1] : undefined;
  return words === undefined ? undefined : { words: `refusals ${words}`, subject };
}

/** Returns what is wrong with a refusal, and how to say that of several. */
function findMessageFault(exchange: Exchange): [fault: string, ofSeveral: string] | undefined {
  if (messageOf(exchange) !== undefined) return undefined;
  const fault = findJsonFault(exchange);
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
  const name = keys.find((key) => /^(details?|errors?|title|msg|reason)$/i.test(key)) ?? keys[0];
  return [
    `the body has no "message"${actual.length > 0 ? `; it has ${actual.join(', ')}` : ''}`,
    `have ${name === undefined ? '' : `"${name}" and `}no "message"`,
  ];
}

/** Returns why a body is not JSON, and how to say that of several; undefined when it is JSON. */
function findJsonFault(exchange: Exchange): [fault: string, ofSeveral: string] | undefined {
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
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    return ' but compressed without "Content-Encoding: gzip"';
  if (text.includes('\0')) return ' but UTF-16 instead of UTF-8';
  const length = responseHeader(exchange, 'content-length');
  const isCutOff = /^\s*[[{]/.test(text) && !/[\]}]\s*$/.test(text);
  return isCutOff && Number(length) === bytes.length
    ? `: its Content-Length of ${length} bytes cuts it`
    : '';
}

/** Returns why the app cannot show this list. */
export function describeListFault({ exchange }: ApiCall): string {
  const { response } = exchange;
  if (!response || !isSuccess(exchange)) return describeStatus(exchange);
  const jsonFault = findJsonFault(exchange);
  if (jsonFault) return jsonFault[0];
  const body = parseJson(response.text);
  if (!Array.isArray(body)) {
    const wrapper = Object.entries(Object(body)).find(([, value]) => Array.isArray(value))?.[0];
    return wrapper
      ? `the array is wrapped in an object, as "${wrapper}"`
      : `the body is ${describeType(body)}, not an array`;
  }
  for (const [index, item] of body.entries()) {
    const fault = describeProjectFault(item);
    if (fault) return `project ${index + 1} of ${body.length}: ${fault}`;
  }
  return describeStatus(exchange);
}

const { properties } =
  contract.paths['/api/v1/projects'].post.responses['201'].content['application/json'].schema;

/** The types of a project's fields in JavaScript, by their names. */
const typesOfFields = Object.entries(properties).map(([key, { type }]) => {
  const types = [type].flat().map((each) => (each === 'integer' ? 'number' : each));
  return [key, types] as const;
});

/** Returns why the app does not accept this value as a project; undefined when it does. */
export function describeProjectFault(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    return `it is ${describeType(item)}, not an object`;
  const fields = item as Record<string, unknown>;
  const wrapper = Object.entries(fields).find(([, value]) => 'title' in Object(value))?.[0];
  if (fields['title'] === undefined && wrapper)
    return `it is wrapped in an object, as "${wrapper}"`;
  const keys = Object.keys(fields)
    .slice(0, 4)
    .map((key) => `"${truncate(key, 15)}"`);
  for (const [key, types] of typesOfFields) {
    const value = fields[key];
    if (types.some((type) => typeof value === type)) continue;
    return key in item
      ? `"${key}" is ${describeType(value)}, not a ${types.join(' or a ')}`
      : `"${key}" is missing (it has ${keys.join(', ') || 'no keys'})`;
  }
  return undefined;
}

/** Returns a text as it continues a sentence. Keeps the capitals of "JSON". */
export const lowerFirst = (text: string) =>
  text.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());

export const secondsBetween = (
  { exchange: first }: ApiCall,
  { exchange: second }: ApiCall,
): number => Math.round((second.endedAtMs - first.endedAtMs) / 1000);
