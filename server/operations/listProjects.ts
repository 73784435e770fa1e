import type { Operation } from '../http/contract.ts';
import type { Services } from '../services.ts';

/** Lists the user's own projects, oldest first, as they were when the guard ran. */
export function listProjects({ store }: Services): Operation<'listProjects'> {
  return async ({ session: { accountId, listVersion } }) => {
    if (!listVersion) throw new Error('The guard did not load the list version.');
    const { count, lastId, lastPosition } = listVersion;
    return {
      status: 200,
      body: {
        ownerId: accountId,
        // The count changes if rows are deleted by hand, the id if others take their positions.
        version: `${count}-${lastId}`,
        length: count,
        chunks: () => store.listProjects(accountId, lastPosition),
      },
    };
  };
}
