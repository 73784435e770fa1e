import { placeholders, type Database } from './database.ts';
import { columns, fieldNames, selectedColumns, type StoredProject } from './lists.ts';
import { createTurns } from './turns.ts';

export type OwnedProject = StoredProject & {
  accountId: string;
  idempotencyKey: string | undefined;
};

/** The columns of a new project other than its position and time, by their names in its JSON. */
const insertedColumns = {
  accountId: 'account_id',
  idempotencyKey: 'idempotency_key',
  ...columns,
} satisfies { [Name in keyof OwnedProject]-?: string };
const insertedNames = Object.keys(insertedColumns) as (keyof OwnedProject)[];

export function projectCreation(database: Database) {
  const inTurn = createTurns();

  /** Returns false if the key was used before, or if another server took the position. */
  async function insert(project: OwnedProject): Promise<boolean> {
    const stored = await database.query(
      `insert into projects (${Object.values(insertedColumns).join(', ')}, position, created_at)
       values (${placeholders(insertedNames.length)},
         (select coalesce(max(position), 0) + 1 from projects where account_id = $1),
         ${database.now})
       on conflict do nothing returning id`,
      insertedNames.map((name) => project[name] ?? null),
    );
    return stored.length > 0;
  }

  async function findByKey(project: OwnedProject): Promise<StoredProject | undefined> {
    // A lock, because its commit waits for the synchronous standby, which may lack the project.
    const lock = database.dialect === 'postgresql' ? 'for update' : '';
    const [found] = await database.query<{ json: string | null }>(
      `select ${database.jsonArray(fieldNames)} as json from (
         select ${selectedColumns} from projects
         where account_id = $1 and idempotency_key = $2 ${lock}
       ) as item`,
      [project.accountId, project.idempotencyKey ?? null],
    );
    return (JSON.parse(found?.json ?? '[]') as StoredProject[])[0];
  }

  async function findOrInsert(project: OwnedProject): Promise<StoredProject> {
    while (!(await insert(project))) {
      const earlier = await findByKey(project);
      if (earlier) return earlier;
    }
    return project;
  }

  return {
    /**
     * Returns the project once it is synced to disk, after those of its account that were created
     * before. If the account has used the idempotency key, returns that project and stores nothing.
     */
    createProject: (project: OwnedProject) =>
      inTurn(project.accountId, () => findOrInsert(project)),
  };
}
