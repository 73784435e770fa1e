import type { Operation } from '../http/contract.ts';
import type { Services } from '../services.ts';

/** A person's own projects, oldest first, as they were when the request was let in. */
export function listProjects({ store }: Services): Operation<'listProjects'> {
  return async ({ session: { accountId, projects } }) => {
    if (!projects) throw new Error('The guard did not ask how the list stands.');
    const { count, lastId, lastPosition } = projects;
    return {
      status: 200,
      body: {
        owner: accountId,
        // The count tells of projects that somebody took away, the id of others that came in their place.
        version: `${count}-${lastId}`,
        length: count,
        slices: () => store.listProjects(accountId, lastPosition),
      },
    };
  };
}
