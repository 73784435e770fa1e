import { Client } from 'pg';

/** Runs a statement on a connection of its own and returns its rows. */
export async function runSql(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
