import type { Operation } from '../contract.ts';
import type { Services } from '../services.ts';

/** A person's own projects, oldest first. */
export function listProjects({ store }: Services): Operation<'listProjects'> {
  return async ({ session }) => ({
    status: 200,
    body: await store.listProjects(session.accountId),
  });
}
