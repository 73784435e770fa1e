import type { Exchange } from './record.ts';
import type { HttpRequest, HttpResponse } from './transport.ts';

/** Returns the status of the response; 0 when no complete response arrived. */
export const statusOf = ({ response }: Exchange): number => response?.status ?? 0;

export const isSuccess = (exchange: Exchange): boolean =>
  statusOf(exchange) >= 200 && statusOf(exchange) < 300;

export const hasSucceeded = (exchange: Exchange, address: string) =>
  isSuccess(exchange) && exchange.request.path.endsWith(address);

export const isClientError = (exchange: Exchange): boolean =>
  statusOf(exchange) >= 400 && statusOf(exchange) < 500;

export const isRedirect = (exchange: Exchange): boolean =>
  statusOf(exchange) >= 300 && statusOf(exchange) < 400 && statusOf(exchange) !== 304;

/** Returns the `message` that the app would show; undefined when the body has none. */
export function messageOf({ response }: Pick<Exchange, 'response'>): string | undefined {
  const { message } = Object(parseJson(response?.text)) as { message?: unknown };
  return typeof message === 'string' && message.trim() !== '' ? message : undefined;
}

/** Returns whether two responses differ at most in numbers: times, lengths and ids of requests. */
export const areAlike = (one: Exchange, other: Exchange): boolean =>
  responseKey(one) === responseKey(other);

/** Returns what responses have in common that differ only in numbers, which may be hexadecimal. */
export const responseKey = ({ response, failure }: Exchange): string =>
  response
    ? `${response.status} ${response.text.replaceAll(/[\da-f]*\d[\da-f]*/g, '0')}`
    : `no response, ${failure?.isTimeout === true}`;

/** Returns the email in the body of a request, without regard to case. */
export function emailOf({ request }: Exchange): string | undefined {
  const { email } = Object(parseJson(String(request.body))) as { email?: unknown };
  return typeof email === 'string' ? email.trim().toLowerCase() : undefined;
}

/** Parses JSON; undefined when the text is not JSON. */
export function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '') as unknown;
  } catch {
    return undefined;
  }
}

/** Returns a header of the response; undefined when there is no response or no such header. */
export const responseHeader = ({ response }: Exchange, name: string): string | undefined =>
  headerValues(response, name)[0];

/** Returns all values of a header; none without a response. `name` is in lower case. */
export const headerValues = (response: HttpResponse | undefined, name: string): string[] =>
  response?.headers.filter(([key]) => key === name).map(([, value]) => value) ?? [];

/** Returns the method and the path of a request, without the query. */
export const methodAndPath = ({ method, path }: HttpRequest) => `${method} ${path.split('?')[0]}`;
