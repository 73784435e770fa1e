import { Refusal, type RefusalName, type RefusalResponse } from '../refusal.ts';
import { StoreUnavailable } from '../store/database.ts';

const defaultRetryAfterSeconds = 5;

export const notFound: RefusalResponse = {
  status: 404,
  message: 'There is nothing at this address.',
};

/** Returns the response for anything thrown. Unexpected errors become 500 without details. */
export function toErrorResponse(
  error: unknown,
  refusals: Record<RefusalName, RefusalResponse>,
): RefusalResponse {
  const reason = reasonOf(error);
  if (typeof reason !== 'string') return reason;
  const seconds = error instanceof Refusal ? error.retryAfterSeconds : undefined;
  if (reason !== 'unavailable' && seconds === undefined) return refusals[reason];
  const retryAfter = String(seconds ?? defaultRetryAfterSeconds);
  return { ...refusals[reason], headers: { 'retry-after': retryAfter } };
}

function reasonOf(error: unknown): Refusal['reason'] {
  if (error instanceof Refusal) return error.reason;
  if (error instanceof StoreUnavailable) return 'unavailable';
  // The rest are Fastify's own errors and bugs.
  const { code, statusCode: status = 500 } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return 'bodyTooLarge';
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return 'notJson';
  if (status === 403 || status === 404) return notFound;
  if (status < 500) return { status, message: 'The request could not be understood.' };
  return 'internalServerError';
}
