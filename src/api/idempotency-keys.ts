import { schemaFields, textOfFields } from '../../generated/operations.ts';
import type { NewProject } from '../../machines/types.ts';

/**
 * The backend refused what was sent, and would refuse it at any time. Another failure may follow an
 * attempt that succeeded: a 5xx, a 401 or 403 of the guard, a 404, 408, 425 or 429 of a proxy.
 */
export const decidingStatuses = [400, 409, 413, 415, 422];

/**
 * Chooses the Idempotency-Key of each creation. The same project keeps its key until an answer
 * decides, because the backend may have stored it. See
 * docs/decisions/0004-one-submit.md. Forgets all keys when `currentUser` returns another user than at
 * the creation before.
 */
export function createIdempotencyKeys(currentUser: () => string | undefined) {
  const keys = new Map<string, string>();
  let user: string | undefined;

  const textOf = (project: NewProject) => textOfFields(schemaFields.NewProject, project);

  return {
    keyOf(project: NewProject): string {
      if (user !== undefined && user !== currentUser()) keys.clear();
      user = currentUser();
      const key = keys.get(textOf(project)) ?? createKey();
      keys.set(textOf(project), key);
      return key;
    },

    /** Forgets a key if the answer decides: the project was created, or refused for good. */
    storeAnswer(project: NewProject, key: string, isCreated: boolean, status: number) {
      if (!isCreated && !decidingStatuses.includes(status)) return;
      // Another user may have submitted the same project meanwhile.
      if (keys.get(textOf(project)) === key) keys.delete(textOf(project));
    },
  };
}

/** Returns 128 random bits as hex. `crypto.randomUUID` does not exist on pages without TLS. */
function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
