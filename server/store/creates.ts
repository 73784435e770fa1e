import { RowsRefused, type Database } from './database.ts';
import type { Project } from './lists.ts';

export interface NewProject extends Project {
  accountId: string;
  idempotencyKey: string | undefined;
}

interface WaitingCreate {
  project: NewProject;
  resolve: (project: Project) => void;
  reject: (reason: unknown) => void;
}

const maxBatchSize = 16;

export function createProjectCreation(database: Database) {
  let waitingCreates: WaitingCreate[] = [];
  const busyAccounts = new Set<string>();

  /**
   * Stores waiting projects in one statement and so with one sync. An account has one such
   * statement at a time: others would wait for its positions and then be refused.
   */
  async function storeWaitingProjects() {
    const isReady = ({ project }: WaitingCreate) => !busyAccounts.has(project.accountId);
    const batch = waitingCreates.filter(isReady).slice(0, maxBatchSize);
    if (batch.length === 0) return;
    waitingCreates = waitingCreates.filter((create) => !batch.includes(create));
    const projects = batch.map(({ project }) => project);
    for (const { accountId } of projects) busyAccounts.add(accountId);
    setImmediate(storeWaitingProjects);
    const results = await storeProjects(projects);
    for (const { accountId } of projects) busyAccounts.delete(accountId);
    setImmediate(storeWaitingProjects);
    for (const [i, result] of results.entries()) {
      if (result.status === 'fulfilled') batch[i]!.resolve(result.value);
      else batch[i]!.reject(result.reason);
    }
  }

  /**
   * Stores all projects or none. If the database refuses them, because of one of them or because
   * another replica took a position, stores each half by itself.
   */
  async function storeProjects(batch: NewProject[]): Promise<PromiseSettledResult<Project>[]> {
    try {
      // Ordered by account, because replicas that lock accounts in different orders deadlock.
      const stored = await database.query<{ id: string }>(
        `insert into projects (id, account_id, position, title, description, idempotency_key, created_at)
         select value ->> 'id', value ->> 'accountId',
           (select coalesce(max(position), 0) from projects where account_id = value ->> 'accountId')
             + row_number() over (partition by value ->> 'accountId' order by cast(key as integer)),
           value ->> 'title', value ->> 'description', value ->> 'idempotencyKey',
           ${database.now}
         from json_each($1) where not exists (
           select 1 from projects where account_id = value ->> 'accountId'
             and idempotency_key = value ->> 'idempotencyKey'
         )
         order by value ->> 'accountId', cast(key as integer)
         ${batch.length === 1 ? 'on conflict do nothing' : ''} returning id`,
        [JSON.stringify(Object.fromEntries(batch.entries()))],
      );
      const storedIds = new Set(stored.map(({ id }) => id));
      return await Promise.allSettled(
        batch.map(async (project) => (storedIds.has(project.id) ? project : findOrStore(project))),
      );
    } catch (reason) {
      if (!(reason instanceof RowsRefused) || batch.length === 1) {
        return batch.map(() => ({ status: 'rejected', reason }));
      }
      const half = Math.ceil(batch.length / 2);
      const first = await storeProjects(batch.slice(0, half));
      return [...first, ...(await storeProjects(batch.slice(half)))];
    }
  }

  /** Returns the project with the same key. Otherwise stores it at the next position. */
  async function findOrStore(project: NewProject): Promise<Project> {
    // A lock, because its commit waits for the synchronous standby, which may lack the project.
    const lock = database.dialect === 'postgresql' ? 'for update' : '';
    const [earlier] = await database.query<Project>(
      `select id, title, description from projects
       where account_id = $1 and idempotency_key = $2 ${lock}`,
      [project.accountId, project.idempotencyKey ?? null],
    );
    if (earlier) return earlier;
    const [result] = await storeProjects([project]);
    if (result?.status === 'fulfilled') return result.value;
    throw result?.reason;
  }

  return {
    /**
     * Returns the project once it is synced to disk, with others that wait at the same time. If the
     * account has used the idempotency key before, returns that project and stores nothing.
     */
    createProject: (project: NewProject) =>
      new Promise<Project>((resolve, reject) => {
        waitingCreates.push({ project, resolve, reject });
        setImmediate(storeWaitingProjects);
      }),
  };
}
