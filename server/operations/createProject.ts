import { randomUUID } from 'node:crypto';
import { Refusal } from '../refusal.ts';
import type { Operation } from '../http/contract.ts';
import type { Dependencies } from '../dependencies.ts';

/** Creates a project, or returns the one that a repeated Idempotency-Key created. */
export function createProject({ store }: Dependencies): Operation<'createProject'> {
  return async ({ body: { title, description }, headers, session }) => {
    const project = await store.createProject({
      id: randomUUID(),
      accountId: session.accountId,
      title,
      description,
      idempotencyKey: headers['idempotency-key']?.toString(),
    });
    if (project.title !== title || project.description !== description) {
      throw new Refusal('keyReused');
    }
    return { status: 201, body: project };
  };
}
