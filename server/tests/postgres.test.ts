import { once } from 'node:events';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { getCACertificates, rootCertificates, setDefaultCACertificates, TLSSocket } from 'node:tls';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RowsRefused, StoreUnavailable } from '../store/database.ts';
import { openPostgres } from '../store/postgres.ts';
import { findFreePort } from '../../tools/free-port.ts';
import { signedInClient } from '../../testing/cookie-client.ts';
import { startTcpProxy } from '../../testing/tcp-proxy.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import {
  alterPostgresDatabase,
  beginTransaction,
  causes,
  createPostgresDatabase,
  impatient,
  openForTest,
  refusal,
  readiness,
  runProcess,
  startServer,
} from '../../testing/server-fixtures.ts';

const unavailable = refusal('unavailable');
const certificateFile = 'testing/self-signed.pem';
/** The second integer of the packet with which a client asks for TLS. */
const tlsRequestCode = 80_877_103;
describe('an unreachable PostgreSQL', () => {
  test('is answered with 503 and recovers without a restart', async () => {
    const url = await createPostgresDatabase();
    const client = await signedInClient(await startServer({ database: openPostgres(url) }));
    await alterPostgresDatabase(url, 'allow_connections false');
    for (const reply of [
      await client.createProject(),
      await client.listProjects(),
      await client.login(),
    ]) {
      expect(reply).toMatchObject(unavailable);
    }
    expect((await client.call('GET', '/healthz')).status).toBe(200);
    await expect.poll(readiness(client)).toBe(503);

    await alterPostgresDatabase(url, 'allow_connections true');
    await expect.poll(readiness(client)).toBe(200);
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
    const database = openForTest(url.href, impatient);
    await database.query('select 1');
    proxy.refuse();
    const sleep = database.query('select pg_sleep(1e6)');
    expect(causes(await Promise.allSettled([sleep])).join()).toContain('within 8 seconds');
  });

  test('is waited for at start, until it answers', async () => {
    const url = new URL(await createPostgresDatabase());
    const port = await findFreePort();
    const server = runProcess({ DATABASE_URL: url.href.replace(url.port, String(port)) });
    await expect.poll(() => server.errors()).toContain('tries again');
    expect(server.errors()).toMatch(
      /^DATABASE_URL: cannot use the database test_\w+ at 127\.0\.0\.1:\d+: connect ECONNREFUSED/,
    );
    const proxy = await startTcpProxy(Number(url.port), port);
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    expect((await fetch(`${await server.ready()}/readyz`)).status).toBe(200);
  });

  test('ends a starting process at once if the password is wrong', async () => {
    const url = Object.assign(new URL(await createPostgresDatabase()), { password: 'secret' });
    const { code, errors } = await runProcess({ DATABASE_URL: url.href }).ended;
    expect(`${code} ${errors}`).toMatch(/^1 DATABASE_URL: .+password authentication failed.+\.\n$/);
    expect(errors).not.toContain('secret');
  });

  test('ends a command at once, and does not keep a starting server from stopping', async () => {
    const settings = { DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/d' };
    const options = { script: 'commands/sign-out.ts', args: ['ada@example.org'] };
    const command = await runProcess(settings, options).ended;
    expect(`${command.code} ${command.errors}`).toMatch(
      /^1 DATABASE_URL: cannot use the database d .+ECONNREFUSED.+\.\n$/,
    );
    const server = runProcess(settings);
    await expect.poll(() => server.errors()).toContain('tries again');
    const stopped = await server.kill('SIGTERM');
    expect(stopped.code).toBe(0);
    expect(command.errors + stopped.errors).not.toContain('secret');
  });
});

describe('several hosts', () => {
  test('the first one that answers is used', async () => {
    const url = await createPostgresDatabase();
    const database = openForTest(url.replace('@', '@127.0.0.1:1,'));
    expect(await database.query('select 1 as n')).toEqual([{ n: 1 }]);
  });

  test('one that accepts no writes is not used', async () => {
    const url = await createPostgresDatabase();
    const { port } = new URL(url);
    const readOnly = await startReadOnlyProxy(Number(port));
    await expect(
      openForTest(url.replace(`:${port}`, `:${readOnly}`)).query('create table t (n integer)'),
    ).rejects.toThrow(StoreUnavailable);
    const database = openForTest(url.replace(`:${port}`, `:${readOnly},127.0.0.1:${port}`));
    await database.query('create table t (n integer)');
    expect(await database.query('select n from t')).toEqual([]);
  });

  test('one that becomes read-only is left', async () => {
    const url = await createPostgresDatabase();
    const { port } = new URL(url);
    const database = openForTest(url.replace(`:${port}`, `:${port},localhost:${port}`));
    await database.query('set default_transaction_read_only = on');
    const create = () => database.query('create table t (n integer)');
    expect(causes(await Promise.allSettled([create()])).join()).toContain('read-only transaction');
    await create();
  });
});

test('a refused row leaves its connection open', async () => {
  const database = openForTest(await createPostgresDatabase());
  const connection = () => database.query('select pg_backend_pid()');
  const before = await connection();
  await expect(database.query('select 1 / 0')).rejects.toThrow(RowsRefused);
  expect(await connection()).toEqual(before);
});

test('reads are answered while writes hang, which fail in time', async () => {
  const url = await createPostgresDatabase();
  const database = openForTest(url, { poolSize: 4, ...impatient });
  await database.query('create table locked (n integer)');
  const other = await beginTransaction({ DATABASE_URL: url });
  await other.run('lock table locked');
  const writes = Array.from({ length: 20 }, () => database.query('insert into locked values (1)'));
  const results = Promise.allSettled(writes);
  for (let n = 0; n < 20; n += 1) {
    expect(await database.query(`select ${n} as n`)).toEqual([{ n }]);
  }
  const messages = causes(await results);
  expect(messages.filter((message) => message.includes('Earlier writes'))).toHaveLength(18);
  await other.run('rollback');
  await database.query('insert into locked values (2)');
  expect(await database.query('select n from locked')).toEqual([{ n: 2 }]);
});

test.each([
  ['localhost', 'sslmode=verify-full&sslrootcert=CA', 'a row'],
  ['127.0.0.2', 'sslmode=verify-ca&sslrootcert=CA', 'a row'],
  ['127.0.0.2', 'sslmode=require&sslrootcert=CA', 'a row'],
  ['127.0.0.1', 'sslmode=require', 'a row'],
  ['127.0.0.1', 'sslmode=prefer', 'a row'],
  ['127.0.0.2', 'sslmode=verify-full&sslrootcert=CA', '127.0.0.2 is not in the cert'],
  ['localhost', 'sslmode=verify-full', 'self-signed certificate'],
  ['127.0.0.1', 'sslmode=disable', 'TLS required'],
])('a query over TLS at %s with %s gets: %s', async (host, parameters, expected) => {
  // The tests of the proxies make this process trust the same certificate.
  setDefaultCACertificates(getCACertificates('bundled'));
  const url = new URL(await createPostgresDatabase());
  url.port = String(await startTlsProxy(Number(url.port)));
  url.hostname = host;
  url.search = parameters.replace('CA', certificateFile);
  const outcome = await openForTest(url.href)
    .query<{ text: string }>("select 'a row' as text")
    .then(
      ([row]) => row?.text,
      (error: StoreUnavailable) => String(error.cause),
    );
  expect(outcome).toContain(expected);
});

test.each([
  ['sslrootcert', rootCertificates[0]!],
  ['sslcert', rootCertificates[0]!],
  ['sslkey', 'half a key'],
])('the next connection reads a renewed %s', async (name, former) => {
  const file = join(temporaryFolder(), 'renewed.pem');
  writeFileSync(file, former);
  const url = new URL(await createPostgresDatabase());
  url.port = String(await startTlsProxy(Number(url.port)));
  url.hostname = 'localhost';
  const files = { sslrootcert: certificateFile, sslcert: certificateFile, sslkey: certificateFile };
  url.search = new URLSearchParams({ sslmode: 'verify-full', ...files, [name]: file }).toString();
  const database = openForTest(url.href);
  const query = () => database.query('select pg_backend_pid() as connection');
  await expect(query()).rejects.toThrow(StoreUnavailable);
  copyFileSync(certificateFile, file);
  await query();
  rmSync(file); // for a moment, while it is renewed
  const [first, second] = await Promise.all([query(), query()]);
  expect(second).not.toEqual(first);
});

/** Starts a proxy that makes each connection read-only. Returns its port. */
async function startReadOnlyProxy(targetPort: number): Promise<number> {
  const proxy = await startTcpProxy(targetPort, 0, (startup) => {
    // Ends with a zero, like each name and each value in it.
    const setting = Buffer.from('default_transaction_read_only\0on\0\0');
    const packet = Buffer.concat([startup.subarray(0, -1), setting]);
    packet.writeInt32BE(packet.length);
    return packet;
  });
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return proxy.port;
}

/** Starts a proxy that accepts TLS as PostgreSQL does, and nothing else. Returns its port. */
async function startTlsProxy(targetPort: number): Promise<number> {
  const pem = readFileSync(certificateFile);
  const server = createServer(async (socket) => {
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    const [packet] = (await once(socket, 'data')) as [Buffer];
    if (packet.readInt32BE(4) !== tlsRequestCode) {
      const fields = 'SFATAL\0C28000\0MTLS required\0\0';
      const length = Buffer.alloc(4);
      length.writeInt32BE(length.length + fields.length);
      socket.end(Buffer.concat([Buffer.from('E'), length, Buffer.from(fields)]));
      return;
    }
    socket.write('S');
    const client = new TLSSocket(socket, { isServer: true, key: pem, cert: pem });
    const upstream = connect(targetPort, '127.0.0.1');
    for (const end of [client, upstream]) end.on('error', () => client.destroy());
    client.pipe(upstream).pipe(client);
  }).listen(0);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
