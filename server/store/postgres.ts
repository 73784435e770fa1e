import { hash } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { Pool, type PoolClient, type QueryResult } from 'pg';
import { parseDatabaseUrl } from './database-url.ts';
import {
  causeOf,
  claimMigration,
  createMigrationsTable,
  RowsRefused,
  StoreUnavailable,
  writeRow,
  type Database,
  type SqlValue,
  type Transaction,
} from './database.ts';
import { isPermanent } from './postgres-errors.ts';
import {
  assertUsable,
  assertWritable,
  describeRole,
  prepareSession,
  type Session,
} from './postgres-session.ts';

// One round trip and one transaction. On a full disk, a row can still be updated in its place, but
// the temporary file of the sort cannot be written.
const writeCheck = `
  set local lock_timeout = '1s';
  lock table accounts, sessions, projects, attempt_buckets, known_networks in row exclusive mode;
  set local work_mem = '64kB';
  select count(*) from generate_series(1, 10000);
  ${writeRow}`;

interface PostgresOptions {
  /** Connections at most. Writes use half of them. */
  poolSize?: number;
  /** For a statement. A call waits half as long for a connection. */
  timeoutMs?: number;
}

type Connection = PoolClient & { processID: number; secretKey: number };

const cancelTimeoutMs = 2_000;
const smallPoolMs = 60_000;

/** SQLSTATE of invalid data, a violated constraint, a deadlock or an exceeded limit. */
const rowErrorCode = /^(22|23|40|54)/;
const readOnlyCode = '25006';
const canceledCode = '57014';
/** Without a free connection, PostgreSQL refuses a further one and a pooler does not answer. */
const fullCodes = ['53300', canceledCode];
const missingTableCode = '42P01';

/** Opens a connection pool. Connects on the first query. */
export function openPostgres(
  url: string,
  { poolSize = 10, timeoutMs = 10_000 }: PostgresOptions = {},
): Database {
  const hosts = parseDatabaseUrl(url);
  const waitMs = timeoutMs / 2;
  const pool = new Pool({
    ...hosts[0],
    max: poolSize,
    connectionTimeoutMillis: waitMs,
    verify: (client, done) => void prepareConnection(client as Connection).then(() => done(), done),
  });
  // An idle connection broke. The pool opens another, but an unhandled event ends the process.
  pool.on('error', () => {});
  // The same for a connection in use that breaks between two statements.
  pool.on('connect', (client) => client.on('error', () => {}));
  /** Open connections. */
  const connections = new Map<PoolClient, Session>();
  pool.on('remove', (client) => connections.delete(client));

  async function prepareConnection(client: Connection) {
    // A pooler reports process ids of its own. It may run each transaction on another connection,
    // so statements must not be named, and a setting would reach other clients.
    const sql = prepareSession(client.processID, timeoutMs);
    const [row] = await run(client, sql, undefined, waitMs);
    const session = row as Session;
    if (hosts.length > 1 && session.isReadOnly) {
      throw new Error(`${addressOf(client)} is read-only`);
    }
    assertUsable(session);
    connections.set(client, session);
  }

  /** Runs a statement. Cancels it after `limitMs`. Throws `StoreUnavailable`. */
  function run(client: PoolClient, text: string, values?: SqlValue[], limitMs = timeoutMs) {
    return new Promise<unknown[]>((resolve, reject) => {
      const timer = setTimeout(() => {
        const message = `PostgreSQL did not answer within ${limitMs / 1000} seconds`;
        const error = new StoreUnavailable(
          Object.assign(new Error(message), { code: canceledCode }),
        );
        // Even if PostgreSQL then reports success, as it does for a commit without its standby.
        resolve(
          cancel(client as Connection).then((isCanceled) => {
            if (!isCanceled) leaveHost(addressOf(client));
            throw error;
          }),
        );
      }, limitMs);
      // A named statement is parsed and planned once per connection.
      const name = values && connections.get(client)?.isDirect ? hash('sha1', text) : undefined;
      client.query({ name, text, values: values ?? [] }, (error: Error | null, result) => {
        clearTimeout(timer);
        if (error) reject(unavailable(error));
        else resolve(lastOf(result).rows);
      });
    });
  }

  /** Makes the pool connect to the next host, unless it already uses another one. */
  function leaveHost(address: string) {
    const next = hosts.findIndex((host) => addressOf(host) === address) + 1;
    if (addressOf(pool.options) === address)
      Object.assign(pool.options, hosts[next % hosts.length]);
  }

  /** Returns a connection to the first host that accepts it. Throws `StoreUnavailable`. */
  async function connect(): Promise<PoolClient> {
    for (let failures = 0; ;) {
      const address = addressOf(pool.options);
      try {
        const client = await pool.connect();
        if (addressOf(client) === addressOf(pool.options)) return client;
        client.release(true); // to a host that was left
      } catch (error) {
        failures += 1;
        const { code = '' } = causeOf(error);
        const isFull = fullCodes.includes(code) && connections.size > 0 && hosts.length === 1;
        if (failures > (isFull ? 1 : hosts.length - 1)) throw unavailable(error);
        leaveHost(address);
        if (isFull) {
          // A pooler in session mode has fewer connections: share those that are open.
          pool.options.max = connections.size;
          setTimeout(() => (pool.options.max = poolSize), smallPoolMs).unref();
        }
      }
    }
  }

  async function useConnection<T>(task: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await connect();
    try {
      const result = await task(client);
      client.release();
      return result;
    } catch (error) {
      const isBroken = error instanceof StoreUnavailable && !(error instanceof RowsRefused);
      client.release(isBroken || client.getTransactionStatus() !== 'I');
      if (causeOf(error).code === readOnlyCode) leaveHost(addressOf(client));
      throw error;
    }
  }

  const localSettings = (client: PoolClient) => connections.get(client)?.localSettings ?? '';

  async function runTransaction<T>(client: PoolClient, transaction: Transaction<T>): Promise<T> {
    await run(client, `begin${localSettings(client)}`);
    try {
      const steps = transaction();
      let step = steps.next();
      while (!step.done) step = steps.next(await run(client, ...step.value));
      await run(client, 'commit');
      return step.value;
    } catch (error) {
      // A connection that the database failed is closed, which is a rollback too.
      if (!(error instanceof StoreUnavailable)) await run(client, 'rollback');
      throw error;
    }
  }

  /** Runs a single statement. */
  async function runAlone(client: PoolClient, sql: string, values?: SqlValue[]) {
    if (!localSettings(client)) return run(client, sql, values);
    const transaction: Transaction<unknown[]> = function* () {
      return yield values ? [sql, values] : [sql];
    };
    return runTransaction(client, transaction);
  }

  async function isRecorded(migration: string): Promise<boolean> {
    const sql = 'select name from migrations where name = $1';
    try {
      return (await useConnection((client) => runAlone(client, sql, [migration]))).length > 0;
    } catch (error) {
      if (causeOf(error).code === missingTableCode) return false;
      throw error;
    }
  }

  let writes = 0;
  const waitingWrites = new Set<() => void>();
  /** Runs a write. Half of the connections remain for reads, in case that all writes hang. */
  async function write<T>(task: (client: PoolClient) => Promise<T>): Promise<T> {
    if (writes < Math.max(1, Math.floor(pool.options.max / 2))) writes += 1;
    else {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const timer = setTimeout(() => {
        waitingWrites.delete(resolve);
        reject(new StoreUnavailable(new Error('Earlier writes take too long.')));
      }, waitMs);
      waitingWrites.add(resolve);
      await promise;
      clearTimeout(timer);
    }
    try {
      return await useConnection(task);
    } finally {
      const [next] = waitingWrites;
      if (next) waitingWrites.delete(next);
      else writes -= 1;
      next?.();
    }
  }

  return {
    dialect: 'postgresql',
    // Not the start of the transaction, which may have waited for a lock since.
    now: 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)',
    jsonArray: () => `'[' || string_agg(cast(row_to_json(item) as text), ',') || ']'`,

    async query<Row>(sql: string, values?: SqlValue[]) {
      const isRead = /^\s*select\b/.test(sql) && !sql.includes('for update');
      return (await (isRead ? useConnection : write)((client) =>
        runAlone(client, sql, values),
      )) as Row[];
    },

    transact: (transaction) => write((client) => runTransaction(client, transaction)),

    assertWritable: () =>
      atStart(async () => {
        const [role] = await useConnection((client) => runAlone(client, describeRole));
        assertWritable(role);
      }),

    migrate: (name, sql) =>
      atStart(async () => {
        // First, because a role that may not create tables can use those of an earlier start.
        if (await isRecorded(name)) return false;
        // Two processes that create the table at once can collide despite `if not exists`.
        const createTable = () =>
          useConnection((client) => runAlone(client, createMigrationsTable));
        await createTable().catch(createTable);
        return await useConnection(async (client) => {
          await client.query(`begin${localSettings(client)}; set local statement_timeout = 0`);
          const claimed = await client.query(claimMigration, [name]);
          if (claimed.rows.length > 0) await client.query(sql);
          await client.query('commit');
          return claimed.rows.length > 0;
        });
      }),

    async checkWrite() {
      await write((client) => run(client, `begin${localSettings(client)}; ${writeCheck}; commit`));
    },

    async size() {
      const sql = 'select pg_database_size(current_database()) as size';
      const [row] = await useConnection((client) => run(client, sql));
      return Number((row as { size: string }).size);
    },

    countConnections: () => ({
      total: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount + waitingWrites.size,
    }),

    async close() {
      await pool.end();
    },
  };
}

/** Returns true if PostgreSQL or its pooler received the request to cancel the statement. */
async function cancel({ host, port, processID, secretKey }: Connection): Promise<boolean> {
  const path = host.startsWith('/') && `${host}/.s.PGSQL.${port}`;
  const socket = connectSocket(path ? { path } : { host, port });
  socket.on('error', () => {}).setTimeout(cancelTimeoutMs, () => socket.destroy());
  socket.write(Buffer.from(Int32Array.of(16, 80_877_102, processID, secretKey).buffer).swap32());
  let isReceived = false;
  socket.resume().once('end', () => (isReceived = true));
  await once(socket, 'close').catch(() => {});
  return isReceived;
}

/** Returns the result of the last statement: `pg` returns an array for several. */
const lastOf = (result: QueryResult | QueryResult[]) => [result].flat().at(-1)!;

const addressOf = ({ host, port }: { host?: string | undefined; port?: number | undefined }) =>
  `${host}:${port}`;

/** Runs a step of a start. Throws `StoreUnavailable` if it is worth trying again. */
async function atStart<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const cause = causeOf(error);
    throw isPermanent(cause) ? cause : unavailable(cause);
  }
}

function unavailable(error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  return new (rowErrorCode.test(code) ? RowsRefused : StoreUnavailable)(error);
}
