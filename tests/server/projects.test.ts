import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { CookieClient, signedInClient } from '../support/cookie-client.ts';
import { freshDatabase, refusal, startServer, storeNames } from './support.ts';

describe.each(storeNames)('projects on %s', (name) => {
  test('a created project is answered and listed as it was typed, under an id of its own', async () => {
    const visitor = await signedInClient(await start());
    const reply = await visitor.createProject({ title: 'Website', description: 'Pages.\nTexts.' });
    expect(reply).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        title: 'Website',
        description: 'Pages.\nTexts.',
      },
    });
    expect((await visitor.listProjects()).body).toEqual([reply.body]);
  });

  test.each([
    ['blanks', ' \t ', '\r\n\n '],
    ['markup', '<b onclick="x()">bold</b>', '<script>alert(1)</script>'],
    ['emoji, right-to-left text and combining marks', '👩‍👩‍👧 שלום', 'e\u0301 \u00e9 \ufeff'],
    ['quotes of SQL', "'; drop table projects; --", '$1 ?1 %s'],
    ['the longest', '🐎'.repeat(10_000), '🐎'.repeat(100_000)],
    ['control characters', '\u0001\u001b[31m', '\u2028\u2029\u007f'],
  ])('keeps %s to the letter', async (_what, title, description) => {
    const visitor = await signedInClient(await start());
    const created = await visitor.createProject({ title, description });
    expect(created).toMatchObject({ status: 201, body: { title, description } });
    expect((await visitor.listProjects()).body).toEqual([created.body]);
  });

  test('projects are listed oldest first, also those created within one millisecond', async () => {
    const visitor = await signedInClient(await start({ now: () => Date.UTC(2030, 0, 1) }));
    const titles = Array.from({ length: 20 }, (_, i) => `Project ${i}`);
    for (const title of titles) await visitor.createProject({ title, description: '-' });
    const { body } = await visitor.listProjects();
    expect((body as { title: string }[]).map(({ title }) => title)).toEqual(titles);
  });

  test('many projects created at once are all there, each once', async () => {
    const visitor = await signedInClient(await start());
    const titles = Array.from({ length: 40 }, (_, i) => `Project ${i}`);
    const replies = await Promise.all(
      titles.map((title) => visitor.createProject({ title, description: '-' })),
    );
    expect(replies.map(({ status }) => status)).toEqual(titles.map(() => 201));
    const { body } = await visitor.listProjects();
    expect((body as { title: string }[]).map(({ title }) => title).toSorted()).toEqual(
      titles.toSorted(),
    );
  });

  test('people see their own projects only', async () => {
    const address = await start();
    const [ada, ben] = [await signedInClient(address), await signedInClient(address)];
    await ada.createProject();
    expect((await ben.listProjects()).body).toEqual([]);
  });

  test('nobody reads or creates projects without signing in', async () => {
    const visitor = new CookieClient(await start());
    expect(await visitor.listProjects()).toMatchObject(refusal('notSignedIn'));
    expect(await visitor.createProject()).toMatchObject(refusal('notSignedIn'));
  });

  test('keys that the contract does not declare are neither kept nor answered', async () => {
    const visitor = await signedInClient(await start());
    const { body } = await visitor.createProject({
      title: 'T',
      description: 'D',
      id: 'x',
      role: 'y',
    });
    expect(body).toEqual({ id: expect.stringMatching(/^.{36}$/), title: 'T', description: 'D' });
  });

  test('projects are still there after the server was closed and started again', async () => {
    const open = await freshDatabase(name);
    const visitor = await signedInClient(await startServer({ database: open() }));
    const { body } = await visitor.createProject();
    const again = new CookieClient(await startServer({ database: open() }));
    await again.login(visitor.credentials);
    expect((await again.listProjects()).body).toEqual([body]);
  });

  describe('a repeated Idempotency-Key', () => {
    const project = { title: 'Website', description: 'Pages.' };

    test('gives the project that the key made, and makes no second one', async () => {
      const visitor = await signedInClient(await start());
      const headers = { 'idempotency-key': randomUUID() };
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => visitor.createProject(project, { headers })),
      );
      const { body: list } = await visitor.listProjects();
      expect(list).toHaveLength(1);
      for (const { status, body } of replies) {
        expect({ status, body }).toEqual({ status: 201, body: (list as unknown[])[0] });
      }
    });

    test('with another project is refused', async () => {
      const visitor = await signedInClient(await start());
      const headers = { 'idempotency-key': randomUUID() };
      await visitor.createProject(project, { headers });
      const other = { ...project, description: 'Other pages.' };
      expect(await visitor.createProject(other, { headers })).toMatchObject(refusal('keyReused'));
      expect((await visitor.listProjects()).body).toHaveLength(1);
    });

    test('of another person is theirs', async () => {
      const address = await start();
      const [ada, ben] = [await signedInClient(address), await signedInClient(address)];
      const headers = { 'idempotency-key': randomUUID() };
      const [first, second] = [
        await ada.createProject(project, { headers }),
        await ben.createProject({ title: 'Office', description: 'Boxes.' }, { headers }),
      ];
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(first.body).not.toEqual(second.body);
    });
  });

  async function start(options = {}) {
    return startServer({ ...options, database: (await freshDatabase(name))() });
  }
});
