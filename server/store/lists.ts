import type { components } from '../../generated/api.d.ts';
import { schemaFields } from '../../generated/operations.ts';
import { StoreUnavailable, type Database } from './database.ts';

/** Version of an account's list. Equal versions mean equal lists. */
export interface ListVersion {
  /** Number of changes other than a project added at the end. Triggers count them. */
  edits: number;
  /** Id of the newest project; null for an empty list. */
  lastId: string | null;
  lastPosition: number;
}

/** A project as the contract has it. */
export type StoredProject = components['schemas']['Project'] & { id: string };

export const columns: { [Name in keyof StoredProject]-?: string } = {
  id: 'id',
  title: 'title',
  description: 'description',
};
export const fieldNames = Object.keys(columns) as (keyof StoredProject)[];

/** The columns of a project, as a query names them in its result. */
export const selectedColumns = fieldNames.map((name) => `${columns[name]} as "${name}"`).join(', ');

/** The fields that decide how long a project is. */
const textNames = Object.entries<{ types: readonly string[] }>(schemaFields.Project)
  .filter(([name, { types }]) => name !== 'id' && types.includes('string'))
  .map(([name]) => name);

/** A part of a list: a JSON array of projects. */
export interface ListPart {
  json: string;
  isLast: boolean;
}

/** Positions of one version of an account's list, and how many bytes of text they may have. */
interface Chunk {
  accountId: string;
  edits: number;
  from: number;
  to: number;
  maxBytes: number;
}

// Bounded in bytes too, because texts decide how much memory a chunk takes.
const maxChunkBytes = 128 * 1024;
const maxProjectBytes = 2 ** 30;
const maxChunkRows = 256;

export function projectListQueries(database: Database) {
  /** Returns undefined or null if the list was edited, or the chunk has too many bytes. */
  async function readChunk({ accountId, edits, from, to, maxBytes }: Chunk) {
    // The database writes the JSON: rows as objects cost more than the rest of the response.
    const [chunk] = await database.query<{ json: string | null }>(
      `select (
         select ${database.jsonArray(fieldNames)} from (
           select ${selectedColumns} from projects
           where account_id = $1 and position between $3 and $4
           order by position
         ) as item
         having sum(${textNames.map((name) => `coalesce(octet_length("${name}"), 0)`).join(' + ')}) <= $5
       ) as json
       from accounts where id = $1 and list_edits = $2`,
      [accountId, edits, from, to, maxBytes],
    );
    return chunk?.json;
  }

  return {
    /**
     * Yields the projects of a version of an account's list, oldest first. Each part is read by
     * itself, so a slow client holds neither a connection nor a snapshot. Throws
     * `StoreUnavailable` if the list was edited since that version.
     */
    async *listProjects(
      accountId: string,
      { edits, lastPosition }: ListVersion,
    ): AsyncGenerator<ListPart> {
      let [from, rows] = [1, maxChunkRows];
      while (from <= lastPosition) {
        // Ranges, because without statistics PostgreSQL would sort the list for each `limit`.
        const to = Math.min(from + rows - 1, lastPosition);
        const maxBytes = from === to ? maxProjectBytes : maxChunkBytes;
        const json = await readChunk({ accountId, edits, from, to, maxBytes });
        if (json) {
          yield { json, isLast: to === lastPosition };
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
