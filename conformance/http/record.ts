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
  /** How long its browser had sent nothing, where that is the cause. */
  idleMs?: number;
  /** The cookies of the request. */
  cookies: SentCookie[];
  /** Name of the simulated browser that sent the request. */
  browserName: string;
  /** False for requests that the app never sends; the kit makes those to see the refusal. */
  isAppRequest: boolean;
};

export type SentCookie = { name: string; value: string } & CookieSource;

/** Where the value of a cookie comes from. Empty if the kit made it up. */
export type CookieSource = {
  /** The exchange whose response set it, maybe that of another browser. */
  setBy?: Exchange;
  /** How the kit changed it since, as a command. */
  filter?: string | undefined;
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
export type SentBy = Pick<Exchange, 'browserName' | 'isAppRequest' | 'cookies'>;

/** Thrown in place of a response that cannot be judged: the backend throttles, or hangs. */
export class Unjudged extends Error {}

/** Checks send so many requests at once. Those may have begun before a server stopped. */
const maxAtOnce = 12;

export type HttpRecord = ReturnType<typeof createRecord>;

/** Creates the record of a run: what was sent, what could not be judged, and when it stopped. */
export function createRecord(onExchange?: (exchange: Exchange) => void) {
  /** All exchanges so far, in order. */
  const exchanges: Exchange[] = [];
  /** The message of each `Unjudged` so far, in order. */
  const unjudged: string[] = [];
  const stops: Stop[] = [];
  return {
    exchanges,
    unjudged,
    stops,
    add(exchange: Exchange) {
      exchanges.push(exchange);
      onExchange?.(exchange);
    },
    throwUnjudged: (message: string): never => {
      unjudged.push(message);
      throw new Unjudged(message);
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
