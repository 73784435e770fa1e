import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { canonicalEmail } from '../../auth/emails.ts';
import type { OwnedProject } from '../../store/creates.ts';
import type { Database } from '../../store/database.ts';
import { openStore } from '../../store/store.ts';
import { signedInClient } from '../../../testing/cookie-client.ts';
import { insertProjectSql, openDatabase } from '../../../testing/database.ts';
import {
  longestProject,
  newProject,
  projectWithText,
  textNames,
} from '../../../testing/projects.ts';
import {
  beginTransaction,
  createPostgresDatabase,
  emptyStore,
  freshDatabase,
  openForTest,
  refusal,
  startServer,
  storeNames,
  useReferenceServer,
} from '../../../testing/server-fixtures.ts';

describe.each(storeNames)('projects on %s', (name) => {
  // A clock that stands still, so that all projects are created in the same millisecond.
  const now = () => Date.UTC(2030, 0, 1);
  const address = useReferenceServer(async () => ({
    now,
    database: (await freshDatabase(name))(),
  }));

  test('created projects are returned and listed unchanged, with ids, oldest first [CHOICE-44]', async () => {
    const client = await signedInClient(address());
    const texts = [
      'Pages.\nTexts.',
      ' \t \r\n\n ',
      '<b onclick="x()">bold</b>',
      '<script>alert(1)</script>',
      '👩‍👩‍👧 שלום',
      'e\u0301 \u00e9 \ufeff',
      "'; drop table projects; --",
      '$1 ?1 %s',
      '\u0001\u001b[31m',
      '\u2028\u2029\u007f',
    ];
    const created: unknown[] = [];
    // None may reach the database, which could not store NUL, or the response, which has lists in
    // "parts".
    const undeclared = {
      role: '\0\ud800',
      id: 'own',
      accountId: 'other',
      idempotencyKey: 'one',
      parts: [],
    };
    for (const project of [...texts.map(projectWithText), longestProject()]) {
      const reply = await client.createProject({ ...project, ...undeclared });
      const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
      expect(reply).toEqual({ ...reply, status: 201, body: { id, ...project } });
      created.push(reply.body);
    }
    expect((await client.listProjects()).body).toEqual(created);
  });

  describe('a repeated Idempotency-Key', () => {
    const project = newProject();
    const headers = { 'idempotency-key': randomUUID() };

    test('returns the first project and creates no second one', async () => {
      const client = await signedInClient(address());
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => client.createProject(project, { headers })),
      );
      const { body: list } = await client.listProjects();
      expect(list).toHaveLength(1);
      for (const { status, body } of replies) {
        expect({ status, body }).toEqual({ status: 201, body: (list as unknown[])[0] });
      }
    });

    test('returns a project of its own account, although another has used the key', async () => {
      const clients = [await signedInClient(address()), await signedInClient(address())];
      const createAll = async () => {
        const replies = [];
        for (const client of clients)
          replies.push(await client.createProject(project, { headers }));
        return replies.map(({ body }) => body);
      };
      const created = await createAll();
      expect(created).toMatchObject([project, project]);
      expect(created[1]).not.toEqual(created[0]);
      expect(await createAll()).toEqual(created);
    });

    test.each([
      ['commit', /^first$/],
      ['rollback', /^[0-9a-f-]{36}$/],
    ])('waits for the %s of another server and returns the project %s', async (end, id) => {
      const settings = await emptyStore(name);
      const database = openDatabase(settings);
      const sent = Promise.withResolvers<void>();
      const query: Database['query'] = (sql, values) => {
        const rows = database.query(sql, values);
        if (sql.includes('insert into projects')) sent.resolve();
        return rows as never;
      };
      const client = await signedInClient(await startServer({ database: { ...database, query } }));
      const other = await beginTransaction(settings);
      const idempotency_key = `'${headers['idempotency-key']}'`;
      const others = { id: "'first'", account_id: 'id', position: '1', idempotency_key };
      await other.run(insertProjectSql(others, 'accounts'));
      const retry = client.createProject(project, { headers });
      await sent.promise;
      await other.untilAwaited();
      await other.run(end);
      const { status, body } = await retry;
      const expected = { id: expect.stringMatching(id), ...project };
      expect({ status, body }).toEqual({ status: 201, body: expected });
      expect((await client.listProjects()).body).toEqual([body]);
    });

    test('is refused for a different project', async () => {
      const client = await signedInClient(address());
      await client.createProject(project, { headers });
      for (const textName of textNames) {
        const other = { ...project, [textName]: newProject({}, 2)[textName] };
        const reply = await client.createProject(other, { headers });
        expect(reply).toMatchObject(refusal('keyReused'));
      }
      expect((await client.listProjects()).body).toHaveLength(1);
    });
  });

  describe('creates that arrive at once', () => {
    test('take the positions after the last one in the order of arrival', async () => {
      const { store, accounts, rows } = await openWithAccounts();
      const projects = Array.from({ length: 40 }, (_, i) => ownedBy(accounts[i % 2]!));
      const stored = await Promise.all(projects.map((project) => store.createProject(project)));
      expect(stored.map(({ id }) => id)).toEqual(projects.map(({ id }) => id));
      for (const account of accounts) {
        const own = projects.filter(({ accountId }) => accountId === account);
        expect(await rows(account)).toEqual(own.map(({ id }, i) => ({ id, position: i + 1 })));
      }
    });

    test('are each stored once by several replicas at once, without a gap', async () => {
      const { open, store, accounts, rows } = await openWithAccounts();
      const stores = [store, await openStore(open()), await openStore(open())];
      const projects = Array.from({ length: 240 }, (_, i) =>
        ownedBy(accounts[(i >> 3) % 2]!, i % 5 === 0 ? `key ${(i / 5) % 12}` : undefined),
      );
      const stored = await Promise.all(
        projects.map((project, i) => stores[i % 3]!.createProject(project)),
      );
      const ids: string[] = [];
      for (const account of accounts) {
        const own = await rows(account);
        expect(own.map(({ position }) => position)).toEqual(own.map((_, i) => i + 1));
        ids.push(...own.map(({ id }) => id));
      }
      expect(new Set(stored.map(({ id }) => id))).toEqual(new Set(ids));
      const isKeyed = (i: number) => i % 5 === 0;
      expect(stored.filter(({ id }, i) => !isKeyed(i) && id !== projects[i]!.id)).toEqual([]);
      await Promise.all(stores.slice(1).map((each) => each.close()));
    });
  });

  /** Opens a store with two accounts. `rows` returns what the list of an account has. */
  async function openWithAccounts() {
    const open = await freshDatabase(name);
    const database = open();
    onTestFinished(() => database.close());
    const store = await openStore(database);
    const accounts = [randomUUID(), randomUUID()];
    for (const id of accounts) {
      const email = canonicalEmail(`${id}@example.org`);
      await store.createAccount({ id, email, passwordHash: '', role: 'member' });
    }
    const rows = (accountId: string) =>
      database.query<{ id: string; position: number }>(
        'select id, position from projects where account_id = $1 order by position',
        [accountId],
      );
    return { open, store, accounts, rows };
  }
});

test.each(storeNames.filter((name) => name === 'PostgreSQL'))(
  'creates of other accounts succeed while a row of one account is locked on %s',
  async () => {
    const settings = { DATABASE_URL: await createPostgresDatabase() };
    const store = await openStore(openForTest(settings.DATABASE_URL, { poolSize: 4 }));
    const locked = randomUUID();
    const others = Array.from({ length: 8 }, () => randomUUID());
    for (const id of [locked, ...others]) {
      await store.createAccount({
        id,
        email: canonicalEmail(id),
        passwordHash: '',
        role: 'member',
      });
    }
    const other = await beginTransaction(settings);
    await other.run(`select from accounts where id = '${locked}' for update`);
    const create = (accountId: string) => store.createProject(ownedBy(accountId));
    const waiting = Promise.all(Array.from({ length: 12 }, () => create(locked)));
    await other.untilAwaited();
    expect(await Promise.all(others.map(create))).toHaveLength(others.length);
    await other.run('commit');
    expect(await waiting).toHaveLength(12);
  },
);

const ownedBy = (accountId: string, idempotencyKey?: string): OwnedProject => ({
  id: randomUUID(),
  accountId,
  ...newProject(),
  idempotencyKey,
});
