import { StoreUnavailable, type Database } from './database.ts';

/** Version of an account's list. Equal versions mean equal lists. */
export interface ListVersion {
  /** Number of changes other than a project added at the end. Triggers count them. */
  edits: number;
  /** Id of the newest project; null for an empty list. */
  lastId: string | null;
  lastPosition: number;
}

export interface Project {
  id: string;
  title: string;
  description: string;
}

// Bounded in bytes too, because titles and descriptions decide how much memory a chunk takes.
const maxChunkBytes = 128 * 1024;
const maxProjectBytes = 2 ** 30;
const maxChunkRows = 256;

export function createProjectLists(database: Database) {
  return {
    /**
     * Yields the projects of a version of an account's list, oldest first. Each chunk is a query of
     * its own, so a slow client holds neither a connection nor a snapshot. Throws
     * `StoreUnavailable` if the list was edited since that version.
     */
    async *listProjects(accountId: string, { edits, lastPosition }: ListVersion) {
      let [from, rows] = [1, maxChunkRows];
      while (from <= lastPosition) {
        // Ranges, because without statistics PostgreSQL would sort the list for each `limit`.
        const to = Math.min(from + rows - 1, lastPosition);
        const chunk = await database.query<Project>(
          `select id, title, description from projects
           where account_id = $1 and position between $2 and $3
             and $4 = (select list_edits from accounts where id = $1)
             and $5 >= (select sum(octet_length(title) + octet_length(description)) from projects
                        where account_id = $1 and position between $2 and $3)
           order by position`,
          [accountId, from, to, edits, from === to ? maxProjectBytes : maxChunkBytes],
        );
        if (chunk.length > 0) {
          yield chunk;
          [from, rows] = [to + 1, Math.min(rows * 2, maxChunkRows)];
          continue;
        }
        const [list] = await database.query<{ edits: number; next: number | null }>(
          `select list_edits as edits, (select min(position) from projects
                                        where account_id = $1 and position >= $2) as next
           from accounts where id = $1`,
          [accountId, from],
        );
        if (list?.edits !== edits || list.next === null) {
          throw new StoreUnavailable(new Error('The list was edited while it was read.'));
        }
        // Skips deleted positions. Otherwise the chunk has too many bytes.
        if (list.next > to) from = list.next;
        else rows = Math.ceil(rows / 2);
      }
    },
  };
}
