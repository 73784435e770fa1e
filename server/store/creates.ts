import { RowsRefused, type Database } from './database.ts';
import { columns, fieldNames, selectedColumns, type StoredProject } from './lists.ts';

export type OwnedProject = StoredProject & {
  accountId: string;
  idempotencyKey: string | undefined;
};

/** The columns of a new project other than its position and time, by their names in its JSON. */
const insertedColumns = {
  ...columns,
  accountId: 'account_id',
  idempotencyKey: 'idempotency_key',
} satisfies { [Name in keyof OwnedProject]-?: string };

interface WaitingCreate {
  project: OwnedProject;
  resolve: (project: StoredProject) => void;
  reject: (reason: unknown) => void;
}

const maxBatchSize = 16;

export function projectCreation(database: Database) {
  let waitingCreates: WaitingCreate[] = [];
  const busyAccounts = new Set<string>();

  /**
   * Stores waiting projects in one statement and so with one sync. An account has one such
   * statement at a time: others would wait for its positions and then be refused.
   */
  async function storeNextBatch() {
    const isReady = ({ project }: WaitingCreate) => !busyAccounts.has(project.accountId);
    const batch = waitingCreates.filter(isReady).slice(0, maxBatchSize);
    if (batch.length === 0) return;
    waitingCreates = waitingCreates.filter((create) => !batch.includes(create));
    for (const { project } of batch) busyAccounts.add(project.accountId);
    setImmediate(storeNextBatch); // of other accounts
    await storeBatch(batch);
    for (const { project } of batch) busyAccounts.delete(project.accountId);
    setImmediate(storeNextBatch);
  }

  /**
   * Stores all projects of a batch. If the database refuses the statement, because of one project or
   * because another replica took a position, stores each one by itself.
   */
  async function storeBatch(batch: WaitingCreate[]) {
    let storedIds = new Set<string>();
    try {
      storedIds = await insert(batch.map(({ project }) => project));
    } catch (reason) {
      if (!(reason instanceof RowsRefused)) return batch.forEach(({ reject }) => reject(reason));
    }
    for (const { project, resolve, reject } of batch) {
      if (storedIds.has(project.id)) resolve(project);
      else await findOrStore(project).then(resolve, reject);
    }
  }

  /** Returns the ids of the stored projects: of all but those whose key was used before. */
  async function insert(projects: OwnedProject[]): Promise<Set<string>> {
    // Ordered by account, because replicas that lock accounts in different orders deadlock.
    const stored = await database.query<{ id: string }>(
      `insert into projects (${Object.values(insertedColumns).join(', ')}, position, created_at)
       select ${Object.keys(insertedColumns)
         .map((name) => `value ->> '${name}'`)
         .join(', ')},
         (select coalesce(max(position), 0) from projects where account_id = value ->> 'accountId')
           + row_number() over (partition by value ->> 'accountId' order by cast(key as integer)),
         ${database.now}
       from json_each($1) where not exists (
         select 1 from projects where account_id = value ->> 'accountId'
           and idempotency_key = value ->> 'idempotencyKey'
       )
       order by value ->> 'accountId', cast(key as integer)
       ${projects.length === 1 ? 'on conflict do nothing' : ''} returning id`,
      [JSON.stringify(Object.fromEntries(projects.entries()))],
    );
    return new Set(stored.map(({ id }) => id));
  }

  /** Returns the project with the same key. Otherwise stores it at the next free position. */
  async function findOrStore(project: OwnedProject): Promise<StoredProject> {
    // A lock, because its commit waits for the synchronous standby, which may lack the project.
    const lock = database.dialect === 'postgresql' ? 'for update' : '';
    for (;;) {
      const [found] = await database.query<{ json: string | null }>(
        `select ${database.jsonArray(fieldNames)} as json from (
           select ${selectedColumns} from projects
           where account_id = $1 and idempotency_key = $2 ${lock}
         ) as item`,
        [project.accountId, project.idempotencyKey ?? null],
      );
      const [earlier] = JSON.parse(found?.json ?? '[]') as StoredProject[];
      if (earlier) return earlier;
      // Nothing is stored if another replica took the position.
      if ((await insert([project])).size > 0) return project;
    }
  }

  return {
    /**
     * Returns the project once it is synced to disk, with others that wait at the same time. If the
     * account has used the idempotency key before, returns that project and stores nothing.
     */
    createProject: (project: OwnedProject) =>
      new Promise<StoredProject>((resolve, reject) => {
        waitingCreates.push({ project, resolve, reject });
        setImmediate(storeNextBatch);
      }),
  };
}
