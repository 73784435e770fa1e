import { operationTable } from '../../generated/operations.ts';
import { definitionOf } from '../../model/calls.ts';
import { findCall } from '../../model/requests.ts';
import type { Exchange, Reason } from '../http/record.ts';
import { isSuccess, messageOf, parseJson, responseHeader } from '../http/response.ts';
import type { ApiCall } from '../http/simulated-browser.ts';

const segmenter = new Intl.Segmenter();

/** Splits a text into characters as users see them, of which an emoji is one. */
export const charactersOf = (text: string): string[] =>
  Array.from(segmenter.segment(text), ({ segment }) => segment);

/** Characters of a text that are not visible, except a space and a tab. */
export const invisible = /(?![ \t])[\p{Cc}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/** Quotes one code point, or returns its number if it is invisible. */
export const nameCodePoint = (one: string): string =>
  one.search(invisible) === -1
    ? JSON.stringify(one)
    : `U+${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** Returns the values that meet a predicate, and words for how many of all they are. */
export function countIn<Value>(all: readonly Value[], isMeant: (value: Value) => unknown) {
  const found = all.filter(isMeant);
  return { found, words: `${found.length} of ${all.length}` };
}

/** `1.5 s` */
export const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** Groups values by a key. `Map.groupBy` does not exist in Node 20, on which the kit runs. */
export function groupBy<Value>(
  values: Value[],
  keyOf: (value: Value) => string,
): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values)
    groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return groups;
}

export const listSome = (all: string[]): string =>
  all.length > 6 ? `${all.slice(0, 5).join(', ')} and ${all.length - 5} more` : all.join(', ');

export const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

export function truncate(text: string, length = 80): string {
  if (text.length <= length) return text;
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

/** Returns the status, or what arrived in its place. The report shows the rest apart. */
export const describeStatus = ({ response, failure }: Exchange): string =>
  response ? `status ${response.status}` : (failure?.message ?? 'no response');

/** Returns the status, content type and beginning of the body. `time` follows the status. */
export function describeResponse(exchange: Exchange, time = ''): string {
  const { response } = exchange;
  if (!response) return describeStatus(exchange) + time;
  const location = responseHeader(exchange, 'location');
  if (location !== undefined && response.status >= 300 && response.status < 400)
    return `${response.status}, a redirect to ${location}`;
  const type = responseHeader(exchange, 'content-type');
  const text = response.text
    .trim()
    .slice(0, 2000)
    .replaceAll(/\s*\n\s*/g, ' ');
  const unprintable = text.match(/[^\P{Cc}\t\u0080-\u009F]|\uFFFD/gu)?.length ?? 0;
  const isText = unprintable <= text.length / 5;
  const shown = isText ? truncate(text, 120) : `${response.bytes.length} bytes that are not text`;
  // Of a page, the proxy that wrote it.
  const server = text.startsWith('<') ? responseHeader(exchange, 'server') : undefined;
  const lengths = isBeginning(exchange) && describeLengths(exchange);
  const kind = [type, server && `from ${server}`, lengths].filter(Boolean).join(', ');
  return `${response.status}${time} ${kind && `(${kind}) `}${text === '' ? 'with an empty body' : shown}`;
}

/** Returns whether a body begins like JSON and does not end so. */
export const isBeginning = ({ response }: Exchange): boolean =>
  /^\s*[[{]/.test(response!.text) && !/[\]}]\s*$/.test(response!.text);

const describeLengths = (exchange: Exchange) =>
  `${exchange.response!.bytes.length} bytes, Content-Length: ${responseHeader(exchange, 'content-length') ?? 'none'}`;

/** Returns which failed checks tell why a check could not run, and the response that shows it. */
export function describeReason(
  { checks = [], words, exchange }: Reason,
  failed: Set<string>,
): string {
  const telling = checks.filter((id) => failed.has(id));
  const ids = telling.length > 0 ? `${telling.join(' or ')}: ` : '';
  const response = exchange?.response ? describeResponse(exchange) : 'no complete response';
  return `${ids}${words}${exchange ? `: ${response}` : ''}`;
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
  const call = findCall(method, path)?.call ?? similar;
  const { success, fault, pending, refusal } = definitionOf(call).words;
  const body = parseJson(exchange.response?.text);
  const isRead = operationTable[call].isBody(body);
  if (isSuccess(exchange)) return isRead || !/Projects?$/.test(call) ? success() : fault;
  return exchange.failure?.isTimeout ? pending : refusal(messageOf(exchange));
}

/** Returns a text as it continues a sentence. Keeps the capitals of "JSON". */
export const lowerFirst = (text: string) =>
  text.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());

export const secondsBetween = (
  { exchange: first }: ApiCall,
  { exchange: second }: ApiCall,
): number => Math.round((second.endedAtMs - first.endedAtMs) / 1000);
