import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { CookieClient, signedInClient } from '../support/cookie-client.ts';
import { freshDatabase, refusal, startServer, storeNames } from './support.ts';

describe.each(storeNames)('projects on %s', (name) => {
  test('a created project is returned and listed unchanged, with an id', async () => {
    const client = await signedInClient(await start());
    const reply = await client.createProject({ title: 'Website', description: 'Pages.\nTexts.' });
    expect(reply).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        title: 'Website',
        description: 'Pages.\nTexts.',
      },
    });
    expect((await client.listProjects()).body).toEqual([reply.body]);
  });

  test.each([
    ['blanks', ' \t ', '\r\n\n '],
    ['markup', '<b onclick="x()">bold</b>', '<script>alert(1)</script>'],
    ['emoji, right-to-left text and combining marks', '👩‍👩‍👧 שלום', 'e\u0301 \u00e9 \ufeff'],
    ['SQL syntax', "'; drop table projects; --", '$1 ?1 %s'],
    ['the maximum lengths', '🐎'.repeat(10_000), '🐎'.repeat(100_000)],
    ['control characters', '\u0001\u001b[31m', '\u2028\u2029\u007f'],
  ])('stores %s unchanged', async (_case, title, description) => {
    const client = await signedInClient(await start());
    const created = await client.createProject({ title, description });
    expect(created).toMatchObject({ status: 201, body: { title, description } });
    expect((await client.listProjects()).body).toEqual([created.body]);
  });

  test('projects are listed oldest first, even if created in the same millisecond', async () => {
    const client = await signedInClient(await start({ now: () => Date.UTC(2030, 0, 1) }));
    const titles = numberedTitles(20);
    for (const title of titles) await client.createProject({ title, description: '-' });
    expect(await listTitles(client)).toEqual(titles);
  });

  test('concurrent creates are all stored once', async () => {
    const client = await signedInClient(await start());
    const titles = numberedTitles(40);
    const replies = await Promise.all(
      titles.map((title) => client.createProject({ title, description: '-' })),
    );
    expect(replies.map(({ status }) => status)).toEqual(titles.map(() => 201));
    expect((await listTitles(client)).toSorted()).toEqual(titles.toSorted());
  });

  test('a user sees only their own projects', async () => {
    const address = await start();
    const [ada, ben] = [await signedInClient(address), await signedInClient(address)];
    await ada.createProject();
    expect((await ben.listProjects()).body).toEqual([]);
  });

  test('listing and creating need a session', async () => {
    const client = new CookieClient(await start());
    expect(await client.listProjects()).toMatchObject(refusal('notSignedIn'));
    expect(await client.createProject()).toMatchObject(refusal('notSignedIn'));
  });

  test('undeclared keys are neither stored nor returned', async () => {
    const client = await signedInClient(await start());
    const project = { title: 'T', description: 'D', id: 'x', role: 'y' };
    const { body } = await client.createProject(project);
    expect(body).toEqual({ id: expect.stringMatching(/^.{36}$/), title: 'T', description: 'D' });
  });

  test('projects survive a restart of the server', async () => {
    const open = await freshDatabase(name);
    const client = await signedInClient(await startServer({ database: open() }));
    const { body } = await client.createProject();
    const again = new CookieClient(await startServer({ database: open() }));
    await again.login(client.credentials);
    expect((await again.listProjects()).body).toEqual([body]);
  });

  describe('a repeated Idempotency-Key', () => {
    const project = { title: 'Website', description: 'Pages.' };
    const headers = { 'idempotency-key': randomUUID() };

    test('returns the first project and creates no second one', async () => {
      const client = await signedInClient(await start());
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => client.createProject(project, { headers })),
      );
      const { body: list } = await client.listProjects();
      expect(list).toHaveLength(1);
      for (const { status, body } of replies) {
        expect({ status, body }).toEqual({ status: 201, body: (list as unknown[])[0] });
      }
    });

    test('is refused for a different project', async () => {
      const client = await signedInClient(await start());
      await client.createProject(project, { headers });
      const other = { ...project, description: 'Other pages.' };
      expect(await client.createProject(other, { headers })).toMatchObject(refusal('keyReused'));
      expect((await client.listProjects()).body).toHaveLength(1);
    });

    test('belongs to one account only', async () => {
      const address = await start();
      const [ada, ben] = [await signedInClient(address), await signedInClient(address)];
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

const numberedTitles = (count: number) => Array.from({ length: count }, (_, i) => `Project ${i}`);

async function listTitles(client: CookieClient): Promise<string[]> {
  const { body } = await client.listProjects();
  return (body as { title: string }[]).map(({ title }) => title);
}
