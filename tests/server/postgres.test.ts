import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { StoreUnavailable } from '../../server/store/database.ts';
import { openPostgres } from '../../server/store/postgres.ts';
import { findFreePort } from '../../tools/free-port.ts';
import { signedInClient } from '../support/cookie-client.ts';
import { hangLimitMs } from '../support/hang-limit.ts';
import { startPgBouncer } from '../support/pgbouncer.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import {
  createPostgresDatabase,
  refusal,
  runInPostgres,
  runProcess,
  startServer,
  temporaryFolder,
} from './support.ts';

const unavailable = refusal('unavailable');
const patient = { timeoutMs: hangLimitMs };
// Half of it is the time in which a connection has to open, which a busy machine needs.
const impatient = { timeoutMs: 8_000 };

function open(url: string, options: Parameters<typeof openPostgres>[1] = patient) {
  const database = openPostgres(url, options);
  onTestFinished(() => database.close());
  return database;
}

/** Returns the causes of failed calls. */
const causes = (results: PromiseSettledResult<unknown>[]) =>
  results.map((result) => {
    const error = 'reason' in result && result.reason;
    expect(error).toBeInstanceOf(StoreUnavailable);
    return String((error as Error).cause);
  });

describe('an unreachable PostgreSQL', () => {
  test('is answered with 503 and recovers without a restart', async () => {
    const url = await createPostgresDatabase();
    const client = await signedInClient(await startServer({ database: openPostgres(url) }));
    const name = new URL(url).pathname.slice(1);
    await runInPostgres(`alter database ${name} allow_connections false`);
    await runInPostgres(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    for (const reply of [
      await client.createProject(),
      await client.listProjects(),
      await client.login(),
    ]) {
      expect(reply).toMatchObject(unavailable);
    }
    expect((await client.call('GET', '/healthz')).status).toBe(200);
    const readiness = async () => (await client.call('GET', '/readyz')).status;
    await expect.poll(readiness, { timeout: hangLimitMs }).toBe(503);

    await runInPostgres(`alter database ${name} allow_connections true`);
    await expect.poll(readiness, { timeout: hangLimitMs }).toBe(200);
    expect((await client.createProject()).status).toBe(201);
    expect((await client.listProjects()).body).toHaveLength(1);
  });

  test('times out if it accepts connections and sends nothing', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const database = openPostgres(`postgres://u:p@127.0.0.1:${port}/d`, { timeoutMs: 100 });
    await expect(database.query('select 1')).rejects.toThrow(StoreUnavailable);
  });

  test('fails a statement in time, even if the request to cancel it is refused', async () => {
    const url = new URL(await createPostgresDatabase());
    const proxy = await startTcpProxy(Number(url.port));
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    url.port = String(proxy.port);
    const database = open(url.href, impatient);
    await database.query('select 1');
    proxy.refuse();
    const sleep = database.query('select pg_sleep(1e6)');
    expect(causes(await Promise.allSettled([sleep])).join()).toContain('within 8 seconds');
  });

  test('is waited for at start, until it answers', async () => {
    const url = new URL(await createPostgresDatabase());
    const port = await findFreePort();
    const server = runProcess({ DATABASE_URL: url.href.replace(url.port, String(port)) });
    await vi.waitFor(() => expect(server.errors()).toContain('tries again'), hangLimitMs);
    expect(server.errors()).toMatch(
      /^DATABASE_URL: cannot use the database test_\w+ at 127\.0\.0\.1:\d+: connect ECONNREFUSED/,
    );
    const proxy = await startTcpProxy(Number(url.port), port);
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    expect((await fetch(`${await server.ready()}/readyz`)).status).toBe(200);
  });

  test('does not keep a starting process from stopping', async () => {
    const server = runProcess({ DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/d' });
    await vi.waitFor(() => expect(server.errors()).toContain('tries again'), hangLimitMs);
    const { code, errors } = await server.kill('SIGTERM');
    expect(code).toBe(0);
    expect(errors).not.toContain('secret');
  });

  test.each([
    ['the password', { password: 'secret' }, 'password authentication failed'],
    ['the database', { pathname: 'none' }, 'database "none" does not exist'],
  ])('ends a starting process at once if %s is wrong', async (_name, part, message) => {
    const url = Object.assign(new URL(await createPostgresDatabase()), part);
    const { code, errors } = await runProcess({ DATABASE_URL: url.href }).ended;
    expect(code).toBe(1);
    expect(errors).toMatch(/^DATABASE_URL: .+\.\n$/);
    expect(errors).toContain(message);
    expect(errors).not.toContain('secret');
  });

  test('ends a command at once', async () => {
    const settings = { DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/d' };
    const options = { script: 'commands/sign-out.ts', args: ['ada@example.org'] };
    const { code, errors } = await runProcess(settings, options).ended;
    expect(code).toBe(1);
    expect(errors).toMatch(/^DATABASE_URL: cannot use the database d .+ECONNREFUSED.+\.\n$/);
  });
});

describe('several hosts', () => {
  test('the first one that answers is used', async () => {
    const url = await createPostgresDatabase();
    const database = open(url.replace('@', '@127.0.0.1:1,'));
    expect(await database.query('select 1 as n')).toEqual([{ n: 1 }]);
  });

  test('one that accepts no writes is not used', async () => {
    const url = await createPostgresDatabase();
    const { port } = new URL(url);
    const readOnly = new URL(
      await startPgBouncer(url, {}, "connect_query='set default_transaction_read_only = on'"),
    );
    await expect(open(readOnly.href).query('create table t (n integer)')).rejects.toThrow(
      StoreUnavailable,
    );
    const database = open(url.replace(`:${port}`, `:${readOnly.port},127.0.0.1:${port}`));
    await database.query('create table t (n integer)');
    expect(await database.query('select n from t')).toEqual([]);
  });

  test('one that becomes read-only is left', async () => {
    const url = await createPostgresDatabase();
    const { port } = new URL(url);
    const database = open(url.replace(`:${port}`, `:${port},localhost:${port}`));
    await database.query('set default_transaction_read_only = on');
    const create = () => database.query('create table t (n integer)');
    expect(causes(await Promise.allSettled([create()])).join()).toContain('read-only transaction');
    await create();
  });
});

describe.each(['session', 'transaction'])('PgBouncer in %s mode', (mode) => {
  test('serves all calls with fewer connections than the pool has', async () => {
    const url = await startPgBouncer(await createPostgresDatabase(), {
      pool_mode: mode,
      default_pool_size: 2,
    });
    // A call waits half as long: for the pooler, or for the one connection that then writes.
    const address = await startServer({ database: openPostgres(url, { timeoutMs: 20_000 }) });
    const clients = await Promise.all(Array.from({ length: 12 }, () => signedInClient(address)));
    for (let round = 0; round < 5; round += 1) {
      const replies = await Promise.all(
        clients.flatMap((client) => [client.createProject(), client.listProjects()]),
      );
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201, 200]));
    }
  });

  test('passes on that a statement is canceled', async () => {
    const url = await createPostgresDatabase();
    const pooler = await startPgBouncer(url, { pool_mode: mode });
    const sleep = open(pooler, impatient).query('select pg_sleep(1e6)');
    expect(causes(await Promise.allSettled([sleep]))).toEqual([
      'Error: PostgreSQL did not answer within 8 seconds',
    ]);
    const running = () =>
      open(url).query(
        `select query from pg_stat_activity
         where datname = current_database() and state = 'active' and query like '%1e6%'
           and pid <> pg_backend_pid()`,
      );
    await vi.waitFor(async () => expect(await running()).toEqual([]), hangLimitMs);
  });
});

test('reads are answered while writes hang, which fail in time', async () => {
  const url = await createPostgresDatabase();
  const database = open(url, { poolSize: 4, ...impatient });
  await database.query('create table locked (n integer)');
  const other = new Client(url);
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('begin; lock table locked');
  const writes = Array.from({ length: 20 }, () => database.query('insert into locked values (1)'));
  const results = Promise.allSettled(writes);
  for (let n = 0; n < 20; n += 1) {
    expect(await database.query(`select ${n} as n`)).toEqual([{ n }]);
  }
  const messages = causes(await results);
  expect(messages.filter((message) => message.includes('Earlier writes'))).toHaveLength(18);
  await other.query('rollback');
  await database.query('insert into locked values (2)');
  expect(await database.query('select n from locked')).toEqual([{ n: 2 }]);
});

describe('TLS', () => {
  async function connect(host: string, parameters: string) {
    const { folder, ca } = createCertificates();
    const pooler = await startPgBouncer(await createPostgresDatabase(), {
      client_tls_sslmode: 'require',
      client_tls_cert_file: join(folder, 'server.pem'),
      client_tls_key_file: join(folder, 'server.key'),
    });
    const url = pooler.replace('127.0.0.1', host);
    return open(`${url}?${parameters.replace('CA', ca)}`).query('select 1 as n');
  }

  test.each([
    ['localhost', 'sslmode=verify-full&sslrootcert=CA'],
    ['127.0.0.1', 'sslmode=verify-ca&sslrootcert=CA'],
    ['127.0.0.1', 'sslmode=require&sslrootcert=CA'],
    ['127.0.0.1', 'sslmode=require'],
    ['127.0.0.1', 'sslmode=prefer'],
  ])('is used at %s with %s', async (host, parameters) => {
    expect(await connect(host, parameters)).toEqual([{ n: 1 }]);
  });

  test.each([
    ['127.0.0.1', 'sslmode=verify-full&sslrootcert=CA', '127.0.0.1 is not in the cert'],
    ['localhost', 'sslmode=verify-full', 'unable to verify the first certificate'],
    ['127.0.0.1', 'sslmode=disable', 'SSL required'],
  ])('is refused at %s with %s', async (host, parameters, problem) => {
    const results = await Promise.allSettled([connect(host, parameters)]);
    expect(causes(results).join()).toContain(problem);
  });
});

/** Creates a certificate for localhost, signed by an authority of its own. */
function createCertificates() {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Test CA');
  openssl(
    'req',
    ...newKey,
    '-keyout',
    'server.key',
    '-out',
    'server.csr',
    '-subj',
    '/CN=localhost',
  );
  writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:localhost');
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.pem', ...signed);
  chmodSync(join(folder, 'server.key'), 0o644); // PgBouncer runs as another user
  return { folder, ca: join(folder, 'ca.pem') };
}
