import { hash } from 'node:crypto';
import { Client, Pool, type ClientConfig, type PoolClient, type QueryResult } from 'pg';
import { parseDatabaseUrl } from './database-url.ts';
import { causeOf, RowsRefused, StoreUnavailable, type SqlValue } from './database.ts';
import { cancel, type Connection } from './postgres-cancel.ts';
import { assertUsable, prepareSession, type PostgresSession } from './postgres-session.ts';

export interface PostgresOptions {
  /** Connections at most. Writes use half of them. */
  poolSize?: number;
  /** For a statement. A call waits half as long for a connection. */
  timeoutMs?: number;
}

const smallPoolMs = 60_000;

/** SQLSTATE of invalid data, a violated constraint, a deadlock or an exceeded limit. */
const rowErrorCode = /^(22|23|40|54)/;
const readOnlyCode = '25006';
const canceledCode = '57014';
/** Without a free connection, PostgreSQL refuses a further one and a pooler does not answer. */
const fullCodes = ['53300', canceledCode];

/** Opens a connection pool to the first host that accepts it. Connects on the first query. */
// oxlint-disable-next-line max-lines-per-function -- its functions share one pool
export function openPool(url: string, { poolSize = 10, timeoutMs = 10_000 }: PostgresOptions) {
  const hosts = parseDatabaseUrl(url);
  const waitMs = timeoutMs / 2;

  /** Reads certificates again, because they are renewed in place. */
  class RenewedClient extends Client {
    constructor(config: ClientConfig = {}) {
      try {
        config.ssl = parseDatabaseUrl(url)[0]?.ssl;
      } catch {
        // One is missing while it is renewed. The former one may still be valid.
      }
      super(config);
    }
  }
  const pool = new Pool({
    ...hosts[0],
    Client: RenewedClient,
    max: poolSize,
    connectionTimeoutMillis: waitMs,
    verify: (client, done) => void prepareConnection(client as Connection).then(() => done(), done),
  });
  // An idle connection broke. The pool opens another, but an unhandled event ends the process.
  pool.on('error', () => {});
  // The same for a connection in use that breaks between two statements.
  pool.on('connect', (client) => client.on('error', () => {}));
  const connections = new Map<PoolClient, PostgresSession>();
  pool.on('remove', (client) => connections.delete(client));

  async function prepareConnection(client: Connection) {
    // A pooler reports process ids of its own. It may run each transaction on another connection,
    // so statements must not be named, and a setting would reach other clients.
    const sql = prepareSession(client.processID, timeoutMs);
    const [row] = await run(client, sql, undefined, waitMs);
    const session = row as PostgresSession;
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

  return {
    waitMs,
    run,
    useConnection,
    /** Returns the settings to put after `begin`, for a connection through a pooler. */
    localSettings: (client: PoolClient) => connections.get(client)?.localSettings ?? '',
    /** Of the pool now: through a pooler in session mode it is smaller at times. */
    maxConnections: () => pool.options.max,
    countWaiting: () => pool.waitingCount,
    close: () => pool.end(),
  };
}

/** Returns the result of the last statement: `pg` returns an array for several. */
const lastOf = (result: QueryResult | QueryResult[]) => [result].flat().at(-1)!;

const addressOf = ({ host, port }: { host?: string | undefined; port?: number | undefined }) =>
  `${host}:${port}`;

export function unavailable(error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  return new (rowErrorCode.test(code) ? RowsRefused : StoreUnavailable)(error);
}
