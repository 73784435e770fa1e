import { randomUUID } from 'node:crypto';
import type { Operation } from '../http/contract.ts';
import { Refusal } from '../refusal.ts';
import type { Services } from '../services.ts';

/**
 * Keeps a project. A repeated Idempotency-Key gives the project that the key made; with another title or description it is
 * refused.
 */
export function createProject({ store, now }: Services): Operation<'createProject'> {
  return async ({ body: { title, description }, headers, session }) => {
    const project = await store.createProject({
      id: randomUUID(),
      accountId: session.accountId,
      title,
      description,
      idempotencyKey: headers['idempotency-key']?.toString(),
      createdAt: now(),
    });
    if (project.title !== title || project.description !== description) {
      throw new Refusal('keyReused');
    }
    return { status: 201, body: project };
  };
}
