import type { Clock } from './clock.ts';
import type { Exchange, HttpRecord } from './record.ts';
import { headerValues, messageOf, methodAndPath } from './response.ts';
import type { HttpRequest, HttpResponse, Transport } from './transport.ts';

/** The most that a run waits in total with `--wait`. */
export const maxWaitMinutes = 30;
const maxWaitMs = maxWaitMinutes * 60_000;
const patientLimits = { onceMs: maxWaitMs, totalMs: maxWaitMs, attempts: 7 };
const impatientLimits = { onceMs: 5_000, totalMs: 20_000, attempts: 4 };

/** How long a server may refuse connections, for example while a supervisor starts it again. */
const maxStopMs = 15_000;
const retryMs = 500;

/** Longer until the first timeout, so that a slow backend is called slow. */
const firstTimeoutMs = 10_000;
export const laterTimeoutMs = 5_000;
/** For requests that only the kit sends, where others of their kind hang. */
const hangTimeoutMs = 2_000;
/** Late responses of a kind of request, or failures in a row, after which it counts as hanging. */
const maxLate = 8;
/** Of a 502 or 503 without Retry-After: nginx limits requests so, or a backend starts. */
const maxRetries = 5;

/** Creates what waits for responses: for how long, and which kinds of requests hang. */
export function createTimeouts(clock: Clock, transport: Transport) {
  let timeoutMs = firstTimeoutMs;
  let inFlight = 0;
  const lateOf = new Map<string, number>();
  const failuresOf = new Map<string, number>();

  async function sendOnce(request: HttpRequest, limitMs: number) {
    const result = await transport.send(request, limitMs);
    if (result.failure?.isTimeout) timeoutMs = laterTimeoutMs;
    return result;
  }

  const add = (counts: Map<string, number>, kind: string, weight = 1) =>
    counts.set(kind, (counts.get(kind) ?? 0) + weight);

  return {
    hangs: (kind: string) => [lateOf, failuresOf].some((each) => (each.get(kind) ?? 0) >= maxLate),
    async send(request: HttpRequest, kind: string, isHanging: boolean) {
      const startedAtMs = clock.now();
      inFlight += 1;
      // Longer for requests at once, because a backend may answer one at a time.
      const fairness = 1 + (inFlight - 1) / 2;
      const result = await sendOnce(request, (isHanging ? hangTimeoutMs : timeoutMs) * fairness);
      inFlight -= 1;
      const endedAtMs = clock.now();
      const durationMs = endedAtMs - startedAtMs;
      // A missing response counts twice.
      if (durationMs >= laterTimeoutMs * fairness)
        add(lateOf, kind, result.failure?.isTimeout ? 2 : 1);
      // Some requests of a kind may fail for their text, while others pass.
      if (result.response && result.response.status < 500) failuresOf.delete(kind);
      return { ...result, durationMs, endedAtMs };
    },
    /** Counts a response that will not become better, until the next one of its kind that does. */
    addFailure: (kind: string) => void add(failuresOf, kind),
    /** Asks whether the server accepts connections. */
    probe: () => sendOnce({ method: 'HEAD', path: '/', headers: {} }, timeoutMs),
  };
}

/** Creates what waits for a server that refuses connections. */
export function createRestarts(
  clock: Clock,
  record: HttpRecord,
  probe: ReturnType<typeof createTimeouts>['probe'],
) {
  /** Pending while the server refuses connections. Resolves to whether it accepts them again. */
  let restart: Promise<boolean> | undefined;

  async function awaitRestart(refused: Exchange): Promise<boolean> {
    const firstMs = clock.now();
    const stop = record.addStop(refused);
    while (clock.now() - firstMs < maxStopMs) {
      await clock.sleep(retryMs);
      const { failure } = await probe();
      if (failure?.isRefused) continue;
      stop.durationMs = clock.now() - firstMs;
      return true;
    }
    return false;
  }

  /** Resolves when the server is back. Throws `Blocked` when it stays away. */
  async function untilBack() {
    if ((await restart) === false)
      record.throwUnjudged({ words: 'the backend has stopped', checks: ['REACH-5'] });
  }

  return {
    untilBack,
    /** Like `untilBack`, after a request that the server refused. */
    async untilBackAfter(refused: Exchange) {
      restart ??= awaitRestart(refused);
      await untilBack();
      restart = undefined;
    },
  };
}

/** Creates what obeys Retry-After, within limits. */
export function createThrottle(
  clock: Clock,
  record: HttpRecord,
  isPatient: boolean,
  onWait?: (reason: string, delayMs: number) => void,
) {
  /** For how long Retry-After was obeyed. */
  let totalMs = 0;
  /** What the backend did, and what to do. Set by the first response that was not obeyed. */
  let advice: string | undefined;
  const waitLimit = isPatient ? patientLimits : impatientLimits;
  let resumeAtMs = -Infinity;
  /** Whether a 503 with Retry-After has come again each time. Then no other is waited out. */
  let hasFailed = false;
  return {
    /**
     * Returns whether a request that is refused may pass later. A limit that is waited out lets it
     * pass. A 503 that comes again each time is a failure, for example of a lock that is kept.
     */
    mayPass({ response }: Pick<Exchange, 'response'>, attempt: number): boolean {
      const status = response?.status ?? 0;
      if (retryAfterMsOf(response) === undefined)
        return [502, 503].includes(status) && attempt < maxRetries;
      hasFailed ||= status === 503 && attempt >= waitLimit.attempts;
      return status === 429 || !hasFailed;
    },
    async untilReady() {
      const waitMs = resumeAtMs - clock.now();
      if (waitMs > 0) await clock.sleep(waitMs);
    },
    /** Schedules the next request. Throws when the wait would be too long. */
    schedule(exchange: Exchange, attempt: number) {
      const retryAfterMs = retryAfterMsOf(exchange.response)!;
      // Longer from time to time, in case the backend asks for less than it needs.
      const minDelayMs = attempt === 0 ? 0 : Math.min(2 ** (attempt - 1), 60) * 1000;
      const delayMs = Math.max(retryAfterMs, minDelayMs);
      const startMs = Math.max(clock.now(), resumeAtMs);
      const addedMs = Math.max(0, clock.now() + delayMs - startMs);
      const reason = describeThrottling(exchange);
      if (delayMs > waitLimit.onceMs || totalMs + addedMs > waitLimit.totalMs) {
        const waiting = isPatient
          ? `--wait waits ${maxWaitMinutes} minutes in total`
          : `use --wait, which waits up to ${maxWaitMinutes} minutes`;
        advice ??= `The backend asks to wait: ${reason}. Lift the limit for this run, or ${waiting}.`;
        // Unless it has refused the same request before, and the wait did not help.
        exchange.isThrottled = attempt === 0;
        record.throwUnjudged({ words: advice, limit: 'throttling' });
      }
      totalMs += addedMs;
      resumeAtMs = startMs + addedMs;
      onWait?.(reason, delayMs);
    },
  };
}

/** Returns the delay before a retry. 503 without Retry-After is a failure, not throttling. */
export function retryAfterMsOf(
  response: HttpResponse | undefined,
  now = Date.now(),
): number | undefined {
  if (response?.status !== 429 && response?.status !== 503) return undefined;
  const value = headerValues(response, 'retry-after')[0];
  if (value === undefined) return response.status === 429 ? 1000 : undefined;
  const delayMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(delayMs) ? 1000 : Math.max(0, delayMs);
}

/** Returns what a throttling backend did: `POST /login responds with 429 and "Retry-After: 60"`. */
function describeThrottling({ request, response }: Exchange): string {
  const retryAfter = headerValues(response, 'retry-after')[0];
  const header = retryAfter === undefined ? 'no Retry-After' : `"Retry-After: ${retryAfter}"`;
  const message = messageOf({ response }) === undefined ? ', without a "message"' : '';
  return `${methodAndPath(request)} responds with ${response!.status} and ${header}${message}`;
}
