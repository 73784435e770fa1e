import type { FastifyReply } from 'fastify';
import { Refusal } from '../auth/refusal.ts';

const retryAfterSeconds = 10;

/**
 * Bounds the requests of an account that hold memory while its client sends or reads slowly.
 * Returns a function that counts a request until its response is closed. It throws a `Refusal` if
 * there are too many.
 */
export function createConcurrencyLimit(max: number) {
  const counts = new Map<string, number>();
  return function enter(reply: FastifyReply, accountId: string) {
    const count = counts.get(accountId) ?? 0;
    if (count >= max) throw new Refusal('tooManyAttempts', retryAfterSeconds);
    counts.set(accountId, count + 1);
    reply.raw.once('close', () => {
      const left = counts.get(accountId)! - 1;
      if (left > 0) counts.set(accountId, left);
      else counts.delete(accountId);
    });
  };
}
