import { randomUUID } from 'node:crypto';
import { bodyFields, textOfFields } from '../../generated/operations.ts';
import { Refusal } from '../auth/refusal.ts';
import type { Operation } from '../http/contract.ts';
import type { Dependencies } from '../dependencies.ts';

const names = Object.keys(bodyFields.createProject) as (keyof typeof bodyFields.createProject)[];

/** Creates a project, or returns the one that a repeated Idempotency-Key created. */
export function createProject({ store }: Dependencies): Operation<'createProject'> {
  const textOf = (project: object) => textOfFields(bodyFields.createProject, project);
  return async ({ body, headers, session }) => {
    // Without what the contract does not declare: the response has what is stored.
    const declared = Object.fromEntries(names.map((name) => [name, body[name]])) as typeof body;
    const project = await store.createProject({
      ...declared,
      id: randomUUID(),
      accountId: session.accountId,
      idempotencyKey: headers['idempotency-key']?.toString(),
    });
    if (textOf(project) !== textOf(body)) throw new Refusal('keyReused');
    return { status: 201, body: project };
  };
}
