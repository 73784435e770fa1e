import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { Session } from '../auth/sessions.ts';
import { networkOf } from '../auth/throttle.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    operationId?: string;
    securityEvents?: SecurityEvents | undefined;
  }
  interface FastifyRequest {
    /** Set by operations without a session. */
    accountId?: string;
  }
}

/** Documented in docs/operations.md. Never an email, password, cookie or token. */
type Fields = { event: string; accountId?: string | undefined; reason?: string | undefined };

/** The names of the lines about an operation that is a security event. */
export interface SecurityEvents {
  success: string;
  refusal: string;
}

/** By log, because each server counts its own lines. */
const minutes = new WeakMap<FastifyBaseLogger, { end: number; lines: number }>();
const maxBrokenPerMinute = 60;

function logEvent({ log, clientAddress }: FastifyRequest, fields: Fields) {
  log.info({ ...fields, network: networkOf(clientAddress) }, 'security');
}

export function logSessionEnd(request: FastifyRequest, { accountId }: Session, reason: string) {
  logEvent(request, { event: 'sessionEnded', accountId, reason });
}

/** Logs the success of an operation that is a security event, and the session that it has ended. */
export function logSuccess(request: FastifyRequest, endedSession?: Session) {
  const event = request.routeOptions.config?.securityEvents?.success;
  if (!event) return;
  logEvent(request, { event, accountId: request.accountId });
  if (endedSession) logSessionEnd(request, endedSession, event);
}

/** Logs the refusal of an operation that is a security event. */
export function logRefusal(request: FastifyRequest, reason: string) {
  const events = request.routeOptions.config?.securityEvents;
  if (!events) return;
  const event = reason === 'tooManyAttempts' ? 'locked' : events.refusal;
  logEvent(request, { event, accountId: request.accountId, reason });
}

/** Logs bytes that are no HTTP, a bounded number of lines: many must not fill the disk. */
export function logBrokenRequest(log: FastifyBaseLogger, address: string, reason = 'unknown') {
  const now = performance.now();
  let minute = minutes.get(log);
  if (!minute || now > minute.end) minutes.set(log, (minute = { end: now + 60_000, lines: 0 }));
  minute.lines += 1;
  if (minute.lines > maxBrokenPerMinute) return;
  const isLast = minute.lines === maxBrokenPerMinute;
  const fields = { event: 'brokenRequest', network: networkOf(address), reason };
  log.info({ ...fields, ...(isLast && { restOfMinute: 'not logged' }) }, 'security');
}
