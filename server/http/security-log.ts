import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { Session } from '../auth/sessions.ts';
import { networkOf } from '../auth/throttle.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    operationId?: string;
  }
  interface FastifyRequest {
    /** Set by operations without a session. */
    accountId?: string;
  }
}

/** Documented in docs/operations.md. Never an email, password, cookie or token. */
type Fields = { event: string; accountId?: string | undefined; reason?: string | undefined };

const events: Record<string, { success: string; refusal: string }> = {
  login: { success: 'signedIn', refusal: 'signInRefused' },
  registerUser: { success: 'registered', refusal: 'registrationRefused' },
};

/** By log, because each server counts its own lines. */
const minutes = new WeakMap<FastifyBaseLogger, { end: number; lines: number }>();
const maxBrokenPerMinute = 60;

function logEvent({ log, clientAddress }: FastifyRequest, fields: Fields) {
  log.info({ ...fields, network: networkOf(clientAddress) }, 'security');
}

export function logSessionEnd(request: FastifyRequest, { accountId }: Session, reason: string) {
  logEvent(request, { event: 'sessionEnded', accountId, reason });
}

/** Logs that an operation succeeded, or was refused for a reason, if it is a security event. */
export function logOutcome(request: FastifyRequest, reason?: string) {
  const names = events[request.routeOptions.config?.operationId ?? ''];
  if (!names) return;
  const event = reason === 'tooManyAttempts' ? 'locked' : names[reason ? 'refusal' : 'success'];
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
