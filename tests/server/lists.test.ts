import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createListSender } from '../../server/http/list-responses.ts';
import type { Database } from '../../server/store/database.ts';
import { openStore } from '../../server/store/store.ts';
import { CookieClient, signedInClient } from '../support/cookie-client.ts';
import { freshDatabase, refusal, startServer, storeNames } from './support.ts';

const path = '/api/v1/projects';
const cheapest = 4; // what a gzip file says of itself that was made at level 1 (RFC 1952, XFL)

describe.each(storeNames)('a list of projects on %s', (name) => {
  test('of many slices is whole, in order, and valid JSON', async () => {
    const { visitor, add } = await start();
    const ids = await add(1_234);
    const { status, headers, body } = await visitor.listProjects();
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect((body as { id: string }[]).map(({ id }) => id)).toEqual(ids);
  });

  test.each([0, 1, 40, 1_234])(
    'with %i projects reads the same when it is compressed',
    async (count) => {
      const { visitor, add } = await start();
      await add(count);
      const plain = await receive(visitor, { 'accept-encoding': 'identity' });
      const zipped = await receive(visitor, { 'accept-encoding': 'br, gzip' });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(zipped.headers['content-encoding']).toBe(count < 40 ? undefined : 'gzip');
      expect(count < 40 ? cheapest : zipped.body[8]).toBe(cheapest);
      expect(zipped.headers.vary).toBe('accept-encoding');
      const text = count < 40 ? zipped.body : gunzipSync(zipped.body);
      expect(text.equals(plain.body)).toBe(true);
      expect(JSON.parse(text.toString())).toHaveLength(count);
    },
  );

  test.each([0, 3, 1_234])(
    'of %i projects is not sent again while it is the same',
    async (count) => {
      const { visitor, add } = await start();
      await add(count);
      const etag = (await visitor.listProjects()).headers.get('etag') ?? '';
      for (const known of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
        const again = await visitor.call('GET', path, { headers: { 'if-none-match': known } });
        expect(again).toMatchObject({ status: 304, body: '' });
        expect(again.headers.get('etag')).toBe(etag);
      }
      await visitor.createProject();
      const changed = await visitor.call('GET', path, { headers: { 'if-none-match': etag } });
      expect(changed.status).toBe(200);
      expect(changed.body).toHaveLength(count + 1);
      expect(changed.headers.get('etag')).not.toBe(etag);
    },
  );

  test('is another one after projects were taken away in the database', async () => {
    const { visitor, add, database } = await start();
    const ids = await add(5);
    const seen = new Set<string | null>();
    for (const gone of [ids[2], ids[4]]) {
      seen.add((await visitor.listProjects()).headers.get('etag'));
      await database.query('delete from projects where id = $1', [gone ?? null]);
    }
    // In the place of the last one.
    const { body } = (await visitor.createProject()) as { body: { id: string } };
    const { headers, body: list } = await visitor.listProjects();
    expect(seen.add(headers.get('etag')).size).toBe(3);
    expect((list as { id: string }[]).map(({ id }) => id)).toEqual([
      ids[0],
      ids[1],
      ids[3],
      body.id,
    ]);
  });

  test('is the same on every replica, and new on all of them once it changed', async () => {
    const open = await freshDatabase(name);
    const ada = await signedInClient(await startServer({ database: open() }));
    const elsewhere = new CookieClient(await startServer({ database: open() }));
    for (const [cookie, value] of ada.cookies) elsewhere.cookies.set(cookie, value);
    for (const creator of [ada, elsewhere, ada]) {
      await creator.createProject();
      const [here, there] = [await ada.listProjects(), await elsewhere.listProjects()];
      expect(there.body).toEqual(here.body);
      expect(there.headers.get('etag')).toBe(here.headers.get('etag'));
    }
  });

  test('is each person’s own, however alike they are', async () => {
    const { visitor, address } = await start();
    const ben = await signedInClient(address);
    const [mine, his] = [await visitor.createProject(), await ben.createProject()];
    expect((await visitor.listProjects()).body).toEqual([mine.body]);
    expect((await ben.listProjects()).body).toEqual([his.body]);
  });

  test('that fails half-way breaks off, compressed or not', async () => {
    const failing = { after: Infinity };
    const { visitor, add } = await start(failing);
    await add(1_234);
    for (const accepted of ['identity', 'gzip']) {
      failing.after = 5; // the session, and a slice or two
      const { read } = await request(visitor, { 'accept-encoding': accepted });
      const outcome = await read().then(
        (chunks) => (JSON.parse(Buffer.concat(chunks).toString()) as { message: string }).message,
        (error: Error) => error.message,
      );
      // Compressed, it can fail while nothing has left yet; then it is refused as usual.
      const refused = refusal('internalServerError').body as { message: string };
      expect(['aborted', ...(accepted === 'gzip' ? [refused.message] : [])]).toContain(outcome);
      failing.after = Infinity;
    }
    expect((await visitor.listProjects()).body).toHaveLength(1_234);
  });

  test('that fails before anything was sent is refused as usual', async () => {
    const failing = { after: Infinity };
    const { visitor, add } = await start(failing);
    await add(3);
    failing.after = 1;
    const { status, headers } = await visitor.listProjects();
    expect(status).toBe(500);
    expect(headers.get('content-encoding')).toBeNull();
  });

  test('is read no further for somebody who does not read on, or who went away', async () => {
    const failing = { after: Infinity, count: 0 };
    const { visitor, add } = await start(failing);
    await add(200, 'x'.repeat(100_000));
    failing.count = 0;
    const { response } = await request(visitor, {});
    expect(await settled(() => failing.count)).toBeLessThan(150);
    response.destroy();
    expect(await settled(() => failing.count)).toBeLessThan(150);
  });

  test('is only looked at for HEAD', async () => {
    const { visitor, add } = await start();
    await add(1_234);
    const head = await visitor.call('HEAD', path);
    expect(head).toMatchObject({ status: 200, body: '' });
    expect(head.headers.get('etag')).toBe((await visitor.listProjects()).headers.get('etag'));
  });

  /** A server with a visitor and a way to give them projects quickly. From `after` queries on, the store fails. */
  async function start(
    failing = { after: Infinity, count: 0 } as { after: number; count?: number },
  ) {
    const database = (await freshDatabase(name))();
    const counting: Database = {
      ...database,
      query: (sql, values) => {
        failing.count = (failing.count ?? 0) + 1;
        failing.after -= 1;
        if (failing.after < 0) return Promise.reject(new Error('The test broke the store.'));
        return database.query(sql, values);
      },
    };
    const address = await startServer({ database: counting });
    const visitor = await signedInClient(address);
    const [{ id: accountId }] = (await database.query('select id from accounts')) as [
      { id: string },
    ];
    const store = await openStore(database);
    async function add(count: number, description = 'Some pages, and texts.') {
      const ids = Array.from({ length: count }, () => randomUUID());
      for (const id of ids) {
        const project = { id, accountId, title: `Project ${id}`, description };
        await store.createProject({ ...project, idempotencyKey: undefined, createdAt: 0 });
      }
      return ids;
    }
    return { address, visitor, add, database };
  }
});

test('short lists are kept in memory up to 16 MB, those that were asked for last', async () => {
  const text = 'x'.repeat(1024 * 1024);
  const read: string[] = [];
  const app = Fastify();
  onTestFinished(() => app.close());
  const send = createListSender('edition');
  app.get<{ Params: { owner: string } }>('/:owner', (asked, reply) => {
    const { owner } = asked.params;
    async function* slices() {
      read.push(owner);
      yield [text];
    }
    return send(asked, reply, { owner, version: '1', length: 1, slices }, JSON.stringify);
  });
  const owners = Array.from({ length: 20 }, (_, i) => `${i}`);
  for (const owner of owners) await app.inject(`/${owner}`);
  expect(read.splice(0)).toEqual(owners);
  // With quotes and brackets around it, each is a little more than 1 MB.
  for (const owner of owners.slice(-15)) await app.inject(`/${owner}`);
  expect(read).toEqual([]);
  await app.inject('/4');
  expect(read).toEqual(['4']);
});

async function request(visitor: CookieClient, headers: Record<string, string>) {
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const sent = get(visitor.address + path, { headers: { ...headers, cookie } });
  onTestFinished(() => void sent.destroy());
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { response, read: () => response.toArray() as Promise<Buffer[]> };
}

async function receive(visitor: CookieClient, accept: Record<string, string>) {
  const { response, read } = await request(visitor, accept);
  return { headers: response.headers, body: Buffer.concat(await read()) };
}

/** A number once it has stayed the same for many turns of the event loop. */
async function settled(read: () => number): Promise<number> {
  let [last, same] = [-1, 0];
  while (same < 200) {
    same = read() === last ? same + 1 : 0;
    last = read();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return last;
}
