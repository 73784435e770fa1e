import type { Operation } from '../http/contract.ts';
import type { Dependencies } from '../dependencies.ts';

/** Lists the user's own projects, oldest first, as they were when the guard ran. */
export function listProjects({ store }: Dependencies): Operation<'listProjects'> {
  return async ({ session: { accountId, listVersion } }) => {
    const { edits, lastId } = listVersion;
    return {
      status: 200,
      body: {
        ownerId: accountId,
        version: `${edits}-${lastId}`,
        parts: () => store.listProjects(accountId, listVersion),
      },
    };
  };
}
