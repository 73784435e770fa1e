import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { columns, type StoredProject } from '../../store/lists.ts';
import { signedInClient, type CookieClient } from '../../../testing/cookie-client.ts';
import { insertProjectSql } from '../../../testing/database.ts';
import { projectOf, textNames } from '../../../testing/projects.ts';
import {
  copyClient,
  freshDatabase,
  refusal,
  startServer,
  storeNames,
} from '../../../testing/server-fixtures.ts';
import { path, request, startWithProjects } from '../lists.ts';

const textName = textNames[0]!;
const fastestLevelFlag = 4; // header byte of gzip data compressed at level 1 (RFC 1952, XFL)

describe.each(storeNames)('a list of projects on %s', (name) => {
  test.each([0, 1, 40, 1_234])(
    'of %i projects has all texts in order, also compressed, and no body for HEAD',
    async (count) => {
      const { client, addProjects } = await startWithProjects(name);
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
    const { client, addProjects } = await startWithProjects(name);
    await addProjects(40);
    const { headers } = await receive(client, { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding);
  });

  test.each([0, 3, 1_234])('of %i projects gets 304 until it changes', async (count) => {
    const { client, addProjects } = await startWithProjects(name);
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
    const { client, address, addProjects, database } = await startWithProjects(name);
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

  test('has one ETag on every replica, and another one for each user', async () => {
    const open = await freshDatabase(name);
    const server = await startServer({ database: open() });
    const [ada, bob] = [await signedInClient(server), await signedInClient(server)];
    for (const client of [ada, bob]) await client.createProject();
    const onReplica = copyClient(ada, await startServer({ database: open() }));
    const etag = (await ada.listProjects()).headers['etag'];
    expect(etag).toMatch(/^(W\/)?".+"$/);
    expect((await onReplica.listProjects()).headers['etag']).toBe(etag);
    expect((await bob.listProjects()).headers['etag']).not.toBe(etag);
  });

  test('has a new ETag, and no edit, after SQL added a project at its end', async () => {
    const { client, database } = await startWithProjects(name);
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
    const { client, addProjects, database, queries } = await startWithProjects(name);
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
    const { client, addProjects, database, queries } = await startWithProjects(name);
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

  test('is read in as many parts with emoji as with letters of as many bytes', async () => {
    const { client, addProjects, database, queries } = await startWithProjects(name);
    const counts: number[] = [];
    for (const letters of ['xxxx', '😀']) {
      await database.query('delete from projects');
      const texts = projectOf(() => letters.repeat(5_000));
      await addProjects(8, texts);
      queries.count = 0;
      expect((await client.listProjects()).body).toHaveLength(8);
      counts.push(queries.count);
    }
    expect(counts[1]).toBe(counts[0]);
  });

  test('contains only the projects of its account, also for concurrent requests', async () => {
    const { client, address } = await startWithProjects(name);
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
      const { client, addProjects, queries } = await startWithProjects(name);
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

const idsOf = (list: unknown) => (list as { id: string }[]).map(({ id }) => id);

async function receive(client: CookieClient, headers: Record<string, string>) {
  const { response, read } = await request(client, headers);
  return { headers: response.headers, body: Buffer.concat(await read()) };
}
