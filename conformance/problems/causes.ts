/** What several problems of a run have in common. The report makes them one finding. */
import type { Exchange } from '../http/record.ts';
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

/** Returns what a failure shows of any request; undefined for other failures. */
export function generalCause(exchange: Exchange): Cause | undefined {
  const { response, failure } = exchange;
  const subject = methodAndPath(exchange.request);
  if (!response) {
    const isMissing = failure?.isTimeout && !failure.hasBegun;
    return { words: `kinds of requests get no ${isMissing ? '' : 'usable '}response`, subject };
  }
  const body = Object(parseJson(response.text)) as object;
  const isRefused = ['message', 'error', 'errors', 'detail'].some((name) => name in body);
  return isSuccess(exchange) && isRefused && responseHeader(exchange, 'set-cookie') === undefined
    ? { words: 'kinds of refusals have the status of a success', subject }
    : undefined;
}
