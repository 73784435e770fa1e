/**
 * The work of each statement must not grow with the number of rows. Runs the server on a store that
 * records statements, then asks both databases for their plans. Fails if `server/` has a statement
 * that was not executed: add a line to `runEverything`, which makes each call with the input that
 * `model/calls.ts` has for it.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeLiteral } from 'pg';
import { describe, expect, test } from 'vitest';
import { canonicalEmail } from '../auth/emails.ts';
import { RowsRefused, type Database, type SqlValue } from '../store/database.ts';
import { columns as projectColumns } from '../store/lists.ts';
import { openStore } from '../store/store.ts';
import { callNames, definitionOf, fixtures } from '../../model/calls.ts';
import { CookieClient } from '../../testing/cookie-client.ts';
import { insertProjects, openDatabase } from '../../testing/database.ts';
import { textNames } from '../../testing/projects.ts';
import { emptyStore, startServer, storeNames } from '../../testing/server-fixtures.ts';

const manyRows = 20_000;
/** A statement reads at most a chunk of a list, or a batch of the cleanup. */
const maxRows = 600;
const later = Date.now() + 10 ** 9;

type Recorded = Map<string, SqlValue[]>;

/**
 * Statements on few rows, the database's own tables or none, and that of a backup, which reads the
 * whole copy.
 */
const exempt =
  /^(insert into|select name from) (migrations|health)\b|from (pg_|sqlite_schema)|^select pg_\w+\(|pragma_integrity_check/;

const textColumn = projectColumns[textNames[0]!];

/** Statements that the test must report. `$1` is the account with many projects. */
const planted = [
  'select count(*) from projects where account_id = $1',
  `select id from projects where ${textColumn} = $1`,
  `select id from projects where account_id = $1 order by ${textColumn} limit 1`,
  'select max(created_at) from projects where account_id = $1',
  'select id from projects where account_id = $1 and position > 1',
  `select ${textColumn}, email from accounts, projects where account_id = accounts.id and accounts.id <> $1`,
];

/** Records the statements of a database, each with the values of its last execution. */
function record(database: Database): { database: Database; recorded: Recorded } {
  const recorded: Recorded = new Map();
  const add = (sql: string, values: SqlValue[] = []) => recorded.set(sql, values);
  return {
    recorded,
    database: {
      ...database,
      query(sql, values) {
        add(sql, values);
        return database.query(sql, values);
      },
      transact: (transaction) =>
        database.transact(function* () {
          const steps = transaction();
          let step = steps.next();
          while (!step.done) {
            add(...step.value);
            step = steps.next(yield step.value);
          }
          return step.value;
        }),
    },
  };
}

/** Runs each statement of `server/` at least once, on a store with many rows. */
async function runEverything(storeName: (typeof storeNames)[number]) {
  const settings = await emptyStore(storeName);
  const database = openDatabase(settings);
  const { database: recording, recorded } = record(database);
  const store = await openStore(recording);
  const address = await startServer({ database: recording });
  const client = await new CookieClient(address, fixtures.credentials(1)).signUp();
  await insertManyRows(database, settings, client.credentials.email);

  const key = { headers: { 'idempotency-key': 'key' } };
  for (const options of [{}, key, key]) await client.createProject(undefined, options);
  for (const call of callNames) {
    // The call before may have ended the session.
    await client.login();
    await client.callOperation(call, definitionOf(call).input?.(1));
  }
  await client.call('GET', '/readyz');
  await new CookieClient(address, client.credentials).login();
  const stranger = new CookieClient(address);
  while ((await stranger.login()).status !== 429);
  await client.login();

  const { id } = (await store.findAccount(canonicalEmail(client.credentials.email)))!;
  await store.replacePasswordHash(id, 'hash', 'other');
  for (const table of ['attempt_buckets', 'known_networks', 'sessions'] as const) {
    await store.deleteBefore(table, manyRows);
    await store.deleteAfter(table, later + manyRows / 2);
  }
  await store.shortenSessions(later);
  await store.now();
  await store.deleteBuckets('email-1');
  await store.deleteBuckets('', ['network-1']);
  await store.deleteSessionsOfAccount(id);
  await store.resetPassword(canonicalEmail('many-1'), 'hash');
  await store.deleteAccount(canonicalEmail('many-2'), 'email-2');
  return { database, recorded };
}

/** Adds rows to each table that grows, and statistics of them. */
async function insertManyRows(database: Database, settings: Record<string, string>, email: string) {
  const numbers = `with recursive numbers (n) as (
    select 1 union all select n + 1 from numbers where n < ${manyRows})`;
  await database.query(
    `insert into accounts (id, email, password_hash, role, created_at)
     ${numbers} select 'account-' || n, 'many-' || n, '', 'member', 0 from numbers`,
  );
  await database.query(
    `insert into sessions (token_hash, account_id, expires_at)
     ${numbers} select 'hash-' || n, 'account-' || n, ${later} + n from numbers`,
  );
  await database.query(
    `insert into attempt_buckets (email_hash, network, made, debt_ms, updated_at)
     ${numbers} select case n % 2 when 0 then '' else 'email-' || n end, 'network-' || n, 1, 0, ${later} + n
     from numbers`,
  );
  await database.query(
    `insert into known_networks (account_id, network, seen_at)
     ${numbers} select 'account-' || n, 'network-' || n, ${later} + n from numbers`,
  );
  await insertProjects(settings, 'many-%', 2);
  await insertProjects(settings, email, manyRows);
  // The first chunk of the list has no rows.
  await database.query('delete from projects where position < 300');
  await database.query('analyze');
}

type Finder = (sql: string, values: SqlValue[]) => Promise<string[]>;

/** Returns a function that finds the loops of SQLite's plan that visit any number of rows. */
async function inSqlite(database: Database): Promise<Finder> {
  const indexes = await database.query<{ name: string; columns: number }>(
    `select case when wr and origin = 'pk' then tables.name || ' USING PRIMARY KEY' else list.name end as name,
       count(*) as columns
     from pragma_table_list as tables, pragma_index_list(tables.name) as list, pragma_index_info(list.name)
     where "unique" group by list.name`,
  );
  const uniqueColumns = new Map(indexes.map(({ name, columns }) => [name, columns]));
  return async (sql, values) => {
    const plan = await database.query<{ detail: string }>(`explain query plan ${sql}`, values);
    // Reads one end of an index.
    let ends = sql.match(/select (coalesce\()?(min|max)\(\w+\)/gi)?.length ?? 0;
    const isSorted = plan.every(({ detail }) => !detail.startsWith('USE TEMP B-TREE'));
    let limits = isSorted ? (sql.match(/\blimit\b/gi)?.length ?? 0) : 0;
    // Visits the rows that it changes. PostgreSQL counts them.
    const isChange = /^\s*(delete|update)\b/i.test(sql);
    const isBounded = (detail: string) => {
      // SQLite looks for foreign keys in other tables, but only while a constraint is violated.
      if (!sql.includes(detail.split(' ')[1]!)) return true;
      if (/^SCAN (json_each|CONSTANT ROW|\(subquery|migrations)/.test(detail)) return true;
      // The plan has the loops of a subquery in lines of their own.
      if (plan.some((other) => other.detail === `CO-ROUTINE ${detail.slice(5)}`)) return true;
      const [, index = '', conditions] =
        /^SEARCH (?:.* INDEX )?(\S+|\w+ USING (?:INTEGER )?PRIMARY KEY) \((.*)\)/.exec(detail) ??
        [];
      if (conditions === undefined) return false;
      const equal = conditions.match(/\w+=\?/g)?.length ?? 0;
      if (conditions === 'rowid=?' || equal === uniqueColumns.get(index) || isChange) return true;
      if (/(\w+)>\? AND \1<\?/.test(conditions)) return true;
      const isInOrder = detail.includes('COVERING INDEX') || /m(in|ax)\(position\)/.test(sql);
      if (isInOrder && ends-- > 0) return true;
      return limits-- > 0;
    };
    return plan
      .map(({ detail }) => detail)
      .filter((detail) => /^(SCAN|SEARCH) /.test(detail) && !isBounded(detail));
  };
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** Returns a function that executes a statement, and finds scans that visited many rows. */
async function inPostgres(database: Database): Promise<Finder> {
  let prepared = 0;
  async function explain(sql: string, values: SqlValue[], mode: string): Promise<PlanNode> {
    const name = `planned_${(prepared += 1)}`;
    const literals = values.map((value) => (value === null ? 'null' : escapeLiteral(`${value}`)));
    const execute = literals.length > 0 ? `${name} (${literals.join(', ')})` : name;
    let plan: PlanNode | undefined;
    const rollback = new Error('roll back');
    await database
      .transact(function* () {
        yield [`set local plan_cache_mode = ${mode}`];
        // For a batch of the cleanup, a scan is cheaper than an index that larger tables would use.
        yield ['set local enable_seqscan = off'];
        yield [`prepare ${name} as ${sql}`];
        const [row] = yield [`explain (analyze, format json) execute ${execute}`];
        plan = (row as { 'QUERY PLAN': [{ Plan: PlanNode }] })['QUERY PLAN'][0].Plan;
        throw rollback;
      })
      .catch((error: unknown) => {
        // The recorded statement inserted the same row.
        if (error !== rollback && !(error instanceof RowsRefused)) throw error;
      });
    return (
      plan ?? explain(sql.replace(/( returning.*)?$/, ' on conflict do nothing$1'), values, mode)
    );
  }

  function findLargeScans(node: PlanNode): string[] {
    const removed =
      (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
    const rows = (node['Actual Rows'] + removed) * node['Actual Loops'];
    const isLarge = node['Relation Name'] !== undefined && rows > maxRows;
    const findings = isLarge ? [`${node['Node Type']} ${node['Relation Name']}: ${rows}`] : [];
    return [...findings, ...(node.Plans ?? []).flatMap(findLargeScans)];
  }

  return async (sql, values) => {
    const custom = await explain(sql, values, 'force_custom_plan');
    const generic = await explain(sql, values, 'force_generic_plan');
    return [...findLargeScans(custom), ...findLargeScans(generic)];
  };
}

/** Returns each statement in the source, with `${}` where a part is computed. */
function statementsInSource(): string[] {
  const folder = join(import.meta.dirname, '..');
  const source = globSync('**/*.ts', { cwd: folder, exclude: ['tests/**'] })
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
  const statement =
    /([`'"])\s*((?:select|insert into|update|delete from|with \w+ as) (?:\$\{[^}]*\}|(?!\1)[^])*)\1/g;
  return [...source.matchAll(statement)]
    .map(([, , sql]) => normalize(sql!.replaceAll(/\s*\$\{[^}]*\}/g, '${}')))
    .filter((sql) => !exempt.test(sql));
}

/** Returns whether an executed statement is one of the source. More text may follow. */
function isStatement(executed: string, inSource: string): boolean {
  const parts = inSource.split('${}').map((part) => part.replaceAll(/[^\w\s]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}`).test(executed);
}

const normalize = (sql: string) => sql.replaceAll(/\s+/g, ' ').trim();

describe.each(storeNames)('the statements of the server on %s', (storeName) => {
  test('are all executed by this test, and visit a number of rows that does not grow', async () => {
    const { database, recorded } = await runEverything(storeName);
    const executed = [...recorded.keys()].map(normalize);
    const isExecuted = (inSource: string) => executed.some((sql) => isStatement(sql, inSource));
    expect(statementsInSource().filter((sql) => !isExecuted(sql))).toEqual([]);
    expect(executed.length).toBeGreaterThan(10);

    const findUnbounded = await (storeName === 'SQLite' ? inSqlite : inPostgres)(database);
    const findings: Record<string, string[]> = {};
    for (const [sql, values] of recorded) {
      if (!/^\s*(select|insert|update|delete|with)\b/i.test(sql) || exempt.test(normalize(sql)))
        continue;
      const unbounded = await findUnbounded(sql, values);
      if (unbounded.length > 0) findings[normalize(sql)] = unbounded;
    }
    expect(findings).toEqual({});

    const [account] = await database.query<{ id: string }>(
      `select account_id as id from projects where position = ${manyRows}`,
    );
    const unnoticed: string[] = [];
    for (const sql of planted) {
      if ((await findUnbounded(sql, [account!.id])).length === 0) unnoticed.push(sql);
    }
    expect(unnoticed).toEqual([]);
  });
});
