import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createListSender } from '../http/list-responses.ts';
import { operationTable } from '../../generated/operations.ts';
import type { Database, SqlValue } from '../store/database.ts';
import { columns, type StoredProject } from '../store/lists.ts';
import { openStore } from '../store/store.ts';
import { signedInClient, type CookieClient } from '../../testing/cookie-client.ts';
import { insertProjectSql } from '../../testing/database.ts';
import { newProject, projectOf, textNames } from '../../testing/projects.ts';
import {
  copyClient,
  freshDatabase,
  refusal,
  startServer,
  storeNames,
  type StoreName,
} from '../../testing/server-fixtures.ts';

const { path } = operationTable.listProjects;
const textName = textNames[0]!;
const fastestLevelFlag = 4; // header byte of gzip data compressed at level 1 (RFC 1952, XFL)

describe.each(storeNames)('a list of projects on %s', (name) => {
  test.each([0, 1, 40, 1_234])(
    'of %i projects has all texts in order, also compressed, and no body for HEAD',
    async (count) => {
      const { client, addProjects } = await start(name);
      const texts = projectOf((field) => `${field} "\\\u0001\u007f\u2028\n</script> 😀`);
      const ids = await addProjects(count, texts);
      const plain = await receive(client, { 'accept-encoding': 'identity' });
      const gzipped = await receive(client, { 'accept-encoding': 'br, gzip' });
      const isShort = count < 40;
      expect(plain.headers['content-type']).toBe('application/json');
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(gzipped.headers['content-encoding']).toBe(isShort ? undefined : 'gzip');
      expect(isShort ? fastestLevelFlag : gzipped.body[8]).toBe(fastestLevelFlag);
      expect(gzipped.headers.vary).toBe('accept-encoding');
      const content = isShort ? gzipped.body : gunzipSync(gzipped.body);
      expect(content.equals(plain.body)).toBe(true);
      expect(JSON.parse(content.toString())).toEqual(ids.map((id) => ({ id, ...texts })));
      const { etag } = plain.headers;
      const head = await client.call('HEAD', path);
      expect(head).toMatchObject({ status: 200, headers: { etag }, body: '' });
    },
  );

  test.each([
    ['gzip', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip;q=0, *', undefined],
    ['*', undefined],
    ['', undefined],
  ])('for "%s" is compressed with %s', async (accepted, encoding) => {
    const { client, addProjects } = await start(name);
    await addProjects(40);
    const { headers } = await receive(client, { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding);
  });

  test.each([0, 3, 1_234])('of %i projects gets 304 until it changes', async (count) => {
    const { client, addProjects } = await start(name);
    await addProjects(count);
    const etag = (await client.listProjects()).headers['etag'] ?? '';
    for (const cached of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
      const again = await client.call('GET', path, { headers: { 'if-none-match': cached } });
      expect(again).toMatchObject({ status: 304, headers: { etag }, body: '' });
    }
    await client.createProject();
    const changed = await client.call('GET', path, { headers: { 'if-none-match': etag } });
    expect(changed).toMatchObject({ status: 200, body: { length: count + 1 } });
    expect(changed.headers['etag']).not.toBe(etag);
  });

  test('has a new ETag after each change by SQL', async () => {
    const { client, address, addProjects, database } = await start(name);
    const ids = await addProjects(5);
    const other = await signedInClient(address);
    const changes = [
      `delete from projects where id = '${ids[1]}'`,
      insertProjectSql(
        { id: "'restored'", account_id: 'account_id', position: '2' },
        `projects where id = '${ids[0]}'`,
      ),
      `update projects set ${columns[textName]} = 'Changed' where id = '${ids[2]}'`,
      `delete from projects where id = '${ids[4]}'`,
      `update projects set account_id = (select id from accounts where id <> account_id)
       where id = '${ids[3]}'`,
    ];
    const etags = new Set<string | undefined>();
    const read = async () => {
      const { headers, body } = await client.listProjects();
      etags.add(headers['etag']);
      return body as StoredProject[];
    };
    await read();
    for (const change of changes) {
      await database.query(change);
      await read();
    }
    expect(idsOf((await other.listProjects()).body)).toEqual([ids[3]]);
    // Takes the position of a deleted one.
    const { body } = (await client.createProject()) as { body: { id: string } };
    const projects = await read();
    expect(etags.size).toBe(changes.length + 2);
    expect(idsOf(projects)).toEqual([ids[0], 'restored', ids[2], body.id]);
    expect(projects[2]![textName]).toBe('Changed');
  });

  test('has one ETag on every replica', async () => {
    const open = await freshDatabase(name);
    const ada = await signedInClient(await startServer({ database: open() }));
    await ada.createProject();
    const onReplica = copyClient(ada, await startServer({ database: open() }));
    const etag = (await ada.listProjects()).headers['etag'];
    expect(etag).toMatch(/^(W\/)?".+"$/);
    expect((await onReplica.listProjects()).headers['etag']).toBe(etag);
  });

  test('has a new ETag, and no edit, after SQL added a project at its end', async () => {
    const { client, database } = await start(name);
    const etags = new Set<string | undefined>();
    for (const id of ['first', 'second']) {
      const position = 'coalesce(max(position), 0) + 1';
      await database.query(
        insertProjectSql(
          { id: `'${id}'`, account_id: 'accounts.id', position },
          'accounts left join projects on account_id = accounts.id group by accounts.id',
        ),
      );
      etags.add((await client.listProjects()).headers['etag']);
    }
    expect(etags.size).toBe(2);
    const edits = await database.query('select list_edits from accounts');
    expect(edits).toEqual([{ list_edits: 0 }]);
  });

  test('is refused or cut if rows are deleted while it is read', async () => {
    const { client, addProjects, database, queries } = await start(name);
    const ids = await addProjects(1_234);
    const deleteOneAfter = (count: number) => {
      queries.before = async () => {
        if (count-- === 0) await database.query(`delete from projects where id = '${ids.pop()}'`);
      };
    };
    deleteOneAfter(1);
    expect(await client.listProjects()).toMatchObject(refusal('unavailable'));
    deleteOneAfter(3);
    // Refused if the deletion comes before the first byte is sent.
    const outcome = await client.listProjects().then(
      ({ status }) => status,
      (error: Error) => error.message,
    );
    expect([503, 'terminated']).toContain(outcome);
    expect((await client.listProjects()).body).toHaveLength(ids.length);
    expect(ids).toHaveLength(1_232);
  });

  test('skips any number of deleted positions in one query', async () => {
    const { client, addProjects, database, queries } = await start(name);
    const [first] = await addProjects(2);
    await database.query('update projects set position = 1000000 where position = 2');
    queries.count = 0;
    const { body } = await client.listProjects();
    expect(body).toHaveLength(2);
    expect(idsOf(body)[0]).toBe(first);
    expect(queries.count).toBeLessThan(6);
    await database.query('delete from accounts');
    expect(await database.query('select id from projects')).toEqual([]);
  });

  test('contains only the projects of its account, also for concurrent requests', async () => {
    const { client, address } = await start(name);
    const clients = [client, await signedInClient(address), await signedInClient(address)];
    const created = await Promise.all(clients.map((owner) => owner.createProject()));
    const requests = Array.from({ length: 30 }, (_, i) => clients[i % 3]!.listProjects());
    for (const [i, { body }] of (await Promise.all(requests)).entries()) {
      expect(body).toEqual([created[i % 3]!.body]);
    }
  });

  test.each(['identity', 'gzip'])(
    'in %s breaks off if the store fails half-way, and is refused if nothing was sent',
    async (coding) => {
      const { client, addProjects, queries } = await start(name);
      await addProjects(1_234);
      const { message } = refusal('internalServerError').body as { message: string };
      const outcome = async (untilFailure: number) => {
        queries.before = async () => {
          if (untilFailure-- <= 0) throw new Error('The test broke the store.');
        };
        const { response, read } = await request(client, { 'accept-encoding': coding });
        return read().then(
          (chunks) => {
            expect(response.headers['content-encoding']).toBeUndefined();
            return JSON.parse(Buffer.concat(chunks).toString()).message as string;
          },
          (error: Error) => error.message,
        );
      };
      expect(await outcome(1)).toBe(message); // after the session
      // After a chunk or two. A compressed list can fail before its first byte is sent.
      expect(['aborted', ...(coding === 'gzip' ? [message] : [])]).toContain(await outcome(5));
      queries.before = async () => {};
      expect((await client.listProjects()).body).toHaveLength(1_234);
    },
  );
});

describe('a list of projects', () => {
  test('is not read further if the client stops reading or disconnects', async () => {
    const { client, addProjects, queries } = await start();
    await addProjects(
      200,
      projectOf(() => 'x'.repeat(100_000)),
    );
    queries.count = 0;
    const { response } = await request(client, {});
    // Each row is a chunk of its own. The buffers between server and client hold many.
    expect(await settled(() => queries.count)).toBeLessThan(200);
    response.destroy();
    expect(await settled(() => queries.count)).toBeLessThan(200);
  });

  test('is refused while its account has 32 open streams, but not to other accounts', async () => {
    const { address, client, addProjects, queries } = await start();
    await addProjects(300);
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    // All chunks but the first one wait.
    queries.before = async (sql, [, , from] = []) => {
      if (sql.includes('position between') && from !== 1) await isReleased;
    };
    const open = await Promise.all(Array.from({ length: 32 }, () => request(client, {})));
    const refused = await client.listProjects();
    expect(refused).toMatchObject({
      ...refusal('tooManyAttempts'),
      headers: { 'retry-after': '10' },
    });
    expect(refused.headers).not.toHaveProperty('etag');
    expect((await (await signedInClient(address)).listProjects()).status).toBe(200);
    open[0]!.response.destroy();
    const status = async () => (await client.call('HEAD', path)).status;
    await expect.poll(status).toBe(200);
    release();
    expect((await client.listProjects()).body).toHaveLength(300);
  });

  test('is read in few chunks per turn of the event loop if many clients read', async () => {
    const { client, addProjects, queries } = await start();
    await addProjects(1_300);
    const opened = await Promise.all(Array.from({ length: 30 }, () => request(client, {})));
    const finished = new AbortController();
    const reading = Promise.all(opened.map(({ read }) => read()));
    void reading.finally(() => finished.abort());
    let [most, total] = [0, 0];
    while (!finished.signal.aborted) {
      queries.count = 0;
      await yieldToEventLoop();
      most = Math.max(most, queries.count);
      total += queries.count;
    }
    await reading;
    expect(total).toBeGreaterThan(30);
    // Four chunks, of two queries each at most.
    expect(most).toBeLessThanOrEqual(8);
  });
});

describe('the cache', () => {
  const megabyte = 1024 * 1024;

  test('keeps the most recently used lists, up to 32 MB', async () => {
    const { app, reads } = sendListsOf(() => [megabyte]);
    const owners = Array.from({ length: 40 }, (_, i) => `${i}`);
    for (const owner of owners) await app.inject(`/${owner}`);
    expect(reads.splice(0)).toEqual(owners);
    // With quotes and brackets, each list is a little larger than 1 MB.
    for (const owner of owners.slice(-31)) await app.inject(`/${owner}`);
    expect(reads).toEqual([]);
    await app.inject('/8');
    expect(reads).toEqual(['8']);
  });

  test.each([
    ['one part', [20_000], false],
    ['three parts', [20_000, 10_000, 20_000], true],
  ])('has a list of %s after its first response: %s', async (_case, lengths, isReadAgain) => {
    const { app, reads, change } = sendListsOf(() => lengths);
    const texts = JSON.stringify(lengths.map((length) => 'x'.repeat(length)));
    const plain = async () => (await app.inject('/ada')).body;
    const gzipped = async () => {
      const headers = { 'accept-encoding': 'gzip' };
      return gunzipSync((await app.inject({ url: '/ada', headers })).rawPayload).toString();
    };
    for (const receiveBody of [plain, gzipped]) {
      expect(await receiveBody()).toBe(texts);
      expect(reads.splice(0)).toEqual(['ada']);
      expect(await receiveBody()).toBe(texts);
      expect(reads.splice(0)).toEqual(isReadAgain ? ['ada'] : []);
    }
    change();
    expect(await plain()).toBe(texts);
    expect(reads).toEqual(['ada']);
  });
});

/** Returns a server of lists with texts of these lengths, each in a part of its own. */
function sendListsOf(lengthsOf: () => number[]) {
  const reads: string[] = [];
  let version = 1;
  const app = Fastify();
  onTestFinished(() => app.close());
  const sendList = createListSender('hash');
  app.get<{ Params: { ownerId: string } }>('/:ownerId', (incoming, reply) => {
    const { ownerId } = incoming.params;
    async function* parts() {
      reads.push(ownerId);
      const lengths = lengthsOf();
      for (const [i, length] of lengths.entries()) {
        yield { json: JSON.stringify(['x'.repeat(length)]), isLast: i === lengths.length - 1 };
      }
    }
    return sendList(incoming, reply, { ownerId, version: `${version}`, parts });
  });
  return { app, reads, change: () => (version += 1) };
}

/** Starts a server with a signed-in client. `queries.before` runs before each of its queries. */
async function start(name: StoreName = 'SQLite') {
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
  const [{ id: accountId }] = (await database.query('select id from accounts')) as [{ id: string }];
  const store = await openStore(database);
  async function addProjects(count: number, texts = newProject()) {
    const ids = Array.from({ length: count }, () => randomUUID());
    const common = { accountId, ...texts, idempotencyKey: undefined };
    // They are stored in this order.
    await Promise.all(ids.map((id) => store.createProject({ ...common, id })));
    return ids;
  }
  return { address, client, addProjects, database, queries };
}

const idsOf = (list: unknown) => (list as { id: string }[]).map(({ id }) => id);

async function request(client: CookieClient, headers: Record<string, string>) {
  const sent = get(client.address + path, { headers: { ...client.cookieHeaders(), ...headers } });
  onTestFinished(() => void sent.destroy());
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { response, read: () => response.toArray() as Promise<Buffer[]> };
}

async function receive(client: CookieClient, headers: Record<string, string>) {
  const { response, read } = await request(client, headers);
  return { headers: response.headers, body: Buffer.concat(await read()) };
}

/** Returns a number once it has stayed the same for many turns of the event loop. */
async function settled(read: () => number): Promise<number> {
  let [last, unchangedTurns] = [-1, 0];
  while (unchangedTurns < 200) {
    unchangedTurns = read() === last ? unchangedTurns + 1 : 0;
    last = read();
    await yieldToEventLoop();
  }
  return last;
}
