/** What several problems of a run have in common. The report makes them one finding. */
import type { Exchange } from '../http/record.ts';
import type { FailureKind } from '../http/transport.ts';
import {
  isClientError,
  isSuccess,
  methodAndPath,
  parseJson,
  responseHeader,
} from '../http/response.ts';
import { findMessageFault } from './matchers.ts';

export type Cause = {
  /** Follows the number of problems: `refusals have "detail" and no "message"`. */
  words: string;
  /** Is true of it too, in another unit. Problems that share neither are counted by their key. */
  otherWords?: string | undefined;
  /** What this problem adds to the list: `a wrong password`. */
  subject: string;
  /** Equal for problems with this cause. Default: the words. */
  key?: string;
  /** What it is about. The checks about the same come first in the finding. */
  about?: Topic;
  requirement?: string;
};

/** What a cause and a check can both be about. */
export type Topic = 'refusals';

/** What a backend has to do with a wrong request. */
export const refusalRequirement =
  'Respond with a status 4xx and a JSON body whose "message" is a sentence for the user.';

/** Returns what refusals with this fault have in common; undefined when there is none. */
export function refusalCause(exchange: Exchange, subject: string): Cause | undefined {
  const fault = isClientError(exchange) ? findMessageFault(exchange) : undefined;
  if (!fault) return undefined;
  const words = `kinds of refusals ${fault[1]}`;
  return { words, subject, about: 'refusals', requirement: refusalRequirement };
}

/** What requests get in place of a response, and what a backend has to do. */
const incomplete: Record<FailureKind, [words: string, requirement: string]> = {
  silence: [
    'no response',
    'Respond to each request. Look for what it waits for: a lock, a connection of a pool, or a proxy.',
  ],
  'open end': [
    'a response without an end',
    'End each response, and send as many bytes as Content-Length says.',
  ],
  'short body': [
    'fewer bytes than Content-Length says',
    'Count the bytes of the body in Content-Length, or leave that header to the server.',
  ],
  'cut body': [
    'the beginning of a body',
    'Send each body to its end, and count bytes, not characters, in Content-Length. Look for a write timeout, a limit of a proxy, or an error while the body is sent.',
  ],
  close: [
    'a closed connection and no response',
    'Respond to each request. Look for an error in your log that ends its handler or the process.',
  ],
  garbage: [
    'a response that browsers cannot read',
    'Respond with HTTP. Send Content-Encoding only with a body that is encoded so.',
  ],
};

/** Returns what a failure shows of any request; undefined for other failures. */
export function generalCause(exchange: Exchange): Cause | undefined {
  const { response, failure } = exchange;
  const subject = methodAndPath(exchange.request);
  if (!response) {
    const [words, requirement] = incomplete[failure?.kind ?? 'silence'];
    return { words: `kinds of requests get ${words}`, subject, requirement };
  }
  const body = Object(parseJson(response.text)) as object;
  const isRefused = ['message', 'error', 'errors', 'detail'].some((name) => name in body);
  return isSuccess(exchange) && isRefused && responseHeader(exchange, 'set-cookie') === undefined
    ? { words: 'kinds of refusals have the status of a success', subject }
    : undefined;
}
