import type { HttpFailure, HttpRequest, HttpResponse } from './transport.ts';

/** One request and its result. */
export type Exchange = {
  request: HttpRequest;
  response: HttpResponse | undefined;
  /** Why there is no complete response. */
  failure: HttpFailure | undefined;
  durationMs: number;
  /** How many exchanges of the run had ended when this one started. */
  startedAfter: number;
  /** By the clock of the run. */
  endedAtMs: number;
  /** By the clock of the machine, as dates are. */
  receivedAt: number;
  /** Set-Cookie lines that a browser would not store. */
  rejectedCookies: { line: string; reason: string }[];
  /** What the browser sent because this response redirects it. */
  next?: Exchange;
  /** Whether a limit of requests refused it, which is no failure. What never passes is one. */
  isThrottled?: boolean;
  cookies: SentCookie[];
  /** Name of the simulated browser that sent the request. */
  browserName: string;
  person: string;
  /** False for requests that the app never sends; the kit makes those to see the refusal. */
  isAppRequest: boolean;
};

export type SentCookie = { name: string; value: string } & CookieSource;

/** Where the value of a cookie comes from. Empty if the kit made it up. */
export type CookieSource = {
  /** The exchange whose response set it, maybe that of another browser. */
  setBy?: Exchange;
  /** Whether the kit changed the value. */
  isChanged?: boolean;
};

/** A time in which the server refused connections. */
export type Stop = {
  /** The last request that got a response before it, and those that got none. */
  last: Exchange | undefined;
  broken: Exchange[];
  refused: Exchange;
  /** Undefined if the run saw no end of it. */
  durationMs: number | undefined;
};

/** Who sent a request, and with which cookies. */
export type SentBy = Pick<Exchange, 'browserName' | 'person' | 'isAppRequest' | 'cookies'>;

/** Why a check could not run. */
export type Reason = {
  /** Continues a sentence that ends in "because". */
  words: string;
  /** The response that shows it. */
  exchange?: Exchange;
  /** The ids of the checks of which one reports it. */
  checks?: string[];
  /** What no finding tells. */
  limit?: 'time' | 'throttling';
};

/**
 * Thrown when a precondition of a check fails, or in place of a response that cannot be judged,
 * because the backend throttles or hangs.
 */
export class Blocked extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reason.words);
    this.reason = reason;
  }
}

/** After the end of the run. */
export const outOfTime: Reason = {
  words: 'lack of time; --wait judges them',
  limit: 'time',
};

/** What was stored or signed in before a stop may be lost. */
export const stoppedMeanwhile: Reason = {
  words: 'the backend has stopped meanwhile',
  checks: ['REACH-5'],
};

/** Returns the requests of a record in flight when this one started, with it. */
export const listAtOnce = (record: Exchange[], { startedAfter }: Exchange) =>
  record.slice(startedAfter).filter((other) => other.startedAfter <= startedAfter);

export const isAlone = (record: Exchange[], exchange: Exchange) =>
  listAtOnce(record, exchange).length === 1;

/** Checks send so many requests at once. Those may have begun before a server stopped. */
const maxAtOnce = 12;

export type HttpRecord = ReturnType<typeof createRecord>;

/** Creates the record of a run: what was sent, what could not be judged, and when it stopped. */
export function createRecord(onExchange?: (exchange: Exchange) => void) {
  /** All exchanges so far, in order. */
  const exchanges: Exchange[] = [];
  /** Why responses could not be judged so far, in order. */
  const unjudged: Reason[] = [];
  const stops: Stop[] = [];
  return {
    exchanges,
    unjudged,
    stops,
    add(exchange: Exchange) {
      exchanges.push(exchange);
      onExchange?.(exchange);
    },
    throwUnjudged: (reason: Reason): never => {
      unjudged.push(reason);
      throw new Blocked(reason);
    },
    /** Adds a stop of the server, which begins with this refused request. */
    addStop(refused: Exchange): Stop {
      const before = exchanges.slice(0, exchanges.indexOf(refused));
      const isBroken = ({ failure }: Exchange) =>
        failure && !failure.isTimeout && !failure.isRefused;
      const broken = before.slice(-maxAtOnce).filter(isBroken);
      // A kept connection of the server that has ended may break later.
      const firstEnd = before.indexOf(broken[0]!);
      const stop: Stop = {
        last: before.findLast(({ response }) => response),
        broken: broken.filter(({ startedAfter }) => startedAfter <= firstEnd),
        refused,
        durationMs: undefined,
      };
      stops.push(stop);
      return stop;
    },
  };
}
