import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { signedInClient } from '../../testing/cookie-client.ts';
import { projectOf } from '../../testing/projects.ts';
import { refusal } from '../../testing/server-fixtures.ts';
import { path, request, startWithProjects } from './lists.ts';

describe('a list of projects', () => {
  test('is not read further if the client stops reading or disconnects', async () => {
    const { client, addProjects, queries } = await startWithProjects('SQLite');
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
    const { address, client, addProjects, queries } = await startWithProjects('SQLite');
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
    const { client, addProjects, queries } = await startWithProjects('SQLite');
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
