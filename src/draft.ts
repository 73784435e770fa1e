/**
 * The text of the form for a project, kept for one tab, so that it is there after a reload, a crash
 * or a discarded tab. It belongs to the user who typed it. The text of an unknown user is not kept,
 * because it is not known who comes back.
 */
import { emptyValues, schemaFields } from '../generated/operations.ts';
import type { NewProject } from '../machines/types.ts';

const itemName = 'tracker-draft';
const noDraft: NewProject = emptyValues(schemaFields.NewProject);
const names = Object.keys(noDraft) as (keyof NewProject)[];

/**
 * The text may have changed. Programs set it without an event. A field that is removed because
 * another user has signed in would cause a `change` and a `focusout`, with the earlier user's text.
 */
export const draftEvents = ['input', 'pagehide'];

export type Drafts = ReturnType<typeof createDrafts>;

export function createDrafts(
  storage: () => Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> = () => sessionStorage,
) {
  return {
    /** Returns all texts of the user, or empty ones. Removes those of another user. */
    read(user: string | undefined): NewProject {
      try {
        const stored = JSON.parse(storage().getItem(itemName) ?? '{}') as Record<string, unknown>;
        const draft = stored['draft'] as NewProject;
        if (stored['user'] === user && names.every((name) => typeof draft[name] === 'string'))
          return draft;
        storage().removeItem(itemName);
      } catch {
        // Blocked, or not ours.
      }
      return noDraft;
    },
    store(user: string | undefined, draft: NewProject): void {
      try {
        // First, so that no earlier text stays if this one does not fit.
        storage().removeItem(itemName);
        if (user === undefined || names.every((name) => !draft[name])) return;
        storage().setItem(itemName, JSON.stringify({ user, draft }));
      } catch {
        // Blocked or full.
      }
    },
  };
}
