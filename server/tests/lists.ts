import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';
import { operationTable } from '../../generated/operations.ts';
import type { Database, SqlValue } from '../store/database.ts';
import { signedInClient, type CookieClient } from '../../testing/cookie-client.ts';
import { insertProjectSql } from '../../testing/database.ts';
import { newProject, projectOf, textNames } from '../../testing/projects.ts';
import { freshDatabase, startServer, type StoreName } from '../../testing/server-fixtures.ts';

export const { path } = operationTable.listProjects;

/** Starts a server with a signed-in client. `queries.before` runs before each of its queries. */
export async function startWithProjects(name: StoreName) {
  const database = (await freshDatabase(name))();
  const queries = {
    count: 0,
    before: async (_sql: string, _values?: SqlValue[]) => {},
  };
  const instrumented: Database = {
    ...database,
    async query(sql, values) {
      queries.count += 1;
      await queries.before(sql, values);
      return database.query(sql, values);
    },
  };
  const address = await startServer({ database: instrumented });
  const client = await signedInClient(address);
  /** Adds the first projects of the account. */
  async function addProjects(count: number, texts = newProject()) {
    const ids = Array.from({ length: count }, () => randomUUID());
    const sql = insertProjectSql(
      { id: 'column1', account_id: 'accounts.id', position: 'column2' },
      `accounts, (values ${ids.map((id, i) => `('${id}', ${i + 1})`).join()}) as added`,
      projectOf((text) => `$${textNames.indexOf(text) + 1}`),
    );
    const values = textNames.map((text) => texts[text]);
    if (count > 0) await database.query(sql, values);
    return ids;
  }
  return { address, client, addProjects, database, queries };
}

/** Requests the list of a client. `read` resolves with the chunks of its body. */
export async function request(client: CookieClient, headers: Record<string, string>) {
  const sent = get(client.address + path, { headers: { ...client.cookieHeaders(), ...headers } });
  onTestFinished(() => void sent.destroy());
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { response, read: () => response.toArray() as Promise<Buffer[]> };
}
