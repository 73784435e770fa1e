import { realClock, type Clock } from './clock.ts';
import { createRestarts, createThrottle, createTimeouts, retryAfterMsOf } from './patience.ts';
import { createRecord, outOfTime, type Exchange, type SentBy } from './record.ts';
import { methodAndPath, statusOf } from './response.ts';
import { createTransport, type HttpRequest } from './transport.ts';

export type HttpClient = ReturnType<typeof createHttpClient>;

export type HttpClientOptions = {
  onExchange?: (exchange: Exchange) => void;
  clock?: Clock;
  /** Origin of the app, when it differs from the backend's origin (`--origin`). */
  appOrigin?: string | undefined;
  /** Whether to obey every Retry-After, up to `maxWaitMinutes` in total (`--wait`). */
  isPatient?: boolean;
  /** After it, no request is sent or waited for. No SHOULD check begins in its second half. */
  limitMs?: number;
  /** After it, no request is sent. */
  stop?: AbortSignal | undefined;
  /** Called before the client waits for a response, or for a time because of a response. */
  onWait?: (reason: string, delayMs?: number) => void;
};

/** The MUST checks fit, also on a backend that takes 1 s for each request in turn. */
export const maxRunMs = 15 * 60_000;

/** Creates a client that sends requests to one origin and records every exchange. */
// oxlint-disable-next-line max-lines-per-function -- its functions share the time and the exchanges of a run
export function createHttpClient(origin: string, settings: HttpClientOptions = {}) {
  const {
    onExchange,
    clock = realClock,
    appOrigin = origin,
    isPatient = false,
    limitMs = Infinity,
    stop,
    onWait,
  } = settings;
  const endsAtMs = clock.now() + limitMs;
  const record = createRecord(onExchange);
  const { exchanges, stops, unjudged, throwUnjudged } = record;
  const transport = createTransport(origin, clock, endsAtMs);
  stop?.addEventListener('abort', transport.close);
  const timeouts = createTimeouts(clock, transport);
  const restarts = createRestarts(clock, record, timeouts.probe);
  const throttle = createThrottle(clock, record, isPatient, onWait);
  /** What the callers of `send` wait for. */
  const pending = new Set<Promise<Exchange>>();

  async function sendPatiently(request: HttpRequest, sentBy: SentBy): Promise<Exchange> {
    const operation = methodAndPath(request);
    // What the app never sends may hang: the requests of the app are sent all the same.
    const kind = `${operation} ${sentBy.isAppRequest}`;
    const waited: Exchange[] = [];
    for (let attempt = 0; ; attempt++) {
      const isHanging = timeouts.hangs(kind);
      if (isHanging && sentBy.isAppRequest)
        throwUnjudged({
          words: `${operation} responds late, with 503 or never, so it is not sent again`,
          checks: ['REACH-5', 'ERR-20', 'REACH-10'],
        });
      await restarts.untilBack();
      await throttle.untilReady();
      if (stop?.aborted) throwUnjudged({ words: 'the run was stopped' });
      if (clock.now() >= endsAtMs) throwUnjudged(outOfTime);
      const startedAfter = exchanges.length;
      onWait?.(operation);
      const result = await timeouts.send(request, kind, isHanging);
      if (result.failure?.isLate) throwUnjudged(outOfTime);
      const exchange: Exchange = {
        request,
        ...sentBy,
        ...result,
        receivedAt: Date.now(),
        startedAfter,
        rejectedCookies: [],
      };
      record.add(exchange);
      if (result.failure?.isRefused) {
        await restarts.untilBackAfter(exchange);
        continue;
      }
      const isLimit = retryAfterMsOf(result.response) !== undefined;
      const status = statusOf(exchange);
      const isLock = request.mayBeLocked && status === 429;
      if (isLock || !throttle.mayPass(exchange, attempt)) {
        if ([502, 503].includes(status)) timeouts.addFailure(kind);
        const hasPassed = status > 0 && status < 500;
        if (hasPassed) for (const each of waited) each.isThrottled = true;
        return exchange;
      }
      if (isLimit) {
        waited.push(exchange);
        throttle.schedule(exchange, attempt);
      } else {
        // ERR-20 reports these responses all the same.
        await clock.sleep(1000);
      }
    }
  }

  async function send(request: HttpRequest, sentBy: SentBy): Promise<Exchange> {
    const sent = sendPatiently(request, sentBy);
    pending.add(sent);
    try {
      return await sent;
    } finally {
      pending.delete(sent);
    }
  }

  return {
    origin,
    appOrigin,
    clock,
    endsAtMs,
    exchanges,
    stops,
    unjudged,
    /**
     * Throws `Blocked` when the backend throttles for longer than the kit may wait, or hangs, and
     * when the time of the run is over.
     */
    send,
    /**
     * Sends a request again on new connections, because each thread may have its own state. Leaves
     * out those whose responses cannot be judged.
     */
    async resend(exchange: Exchange, times = 4): Promise<Exchange[]> {
      const request = { ...exchange.request, onNewConnection: true };
      const again = Array.from({ length: times }, () => send(request, exchange));
      const results = await Promise.allSettled(again);
      return results.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    },
    /** Returns whether the app's requests of an operation are not sent any more. */
    hangs: (operation: string) => timeouts.hangs(`${operation} true`),
    /** Waits until no request is in flight, so that each exchange belongs to one check. */
    async settle() {
      while (pending.size > 0) await Promise.allSettled(pending);
    },
    /** Sends a request again, without waiting for its response. No exchange records it. */
    leave: transport.leave,
    /** No exchange records it. */
    sendBesideUnused: transport.sendBesideUnused,
    resentCount: transport.resentCount,
    close: transport.close,
  };
}
