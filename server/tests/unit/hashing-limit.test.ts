import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { operationTable } from '../../../generated/operations.ts';
import { canonicalEmail } from '../../auth/emails.ts';
import { createHashingLimit } from '../../auth/hashing-limit.ts';
import { createPasswords, type Passwords } from '../../auth/passwords.ts';
import { createThrottle } from '../../auth/throttle.ts';
import { openSqlite } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { CookieClient } from '../../../testing/cookie-client.ts';
import { cheapestCost } from '../../../testing/reference-server.ts';
import { startServer } from '../../../testing/server-fixtures.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';

const unavailable = expect.objectContaining({ reason: 'unavailable' });

test('at most 1024 tasks wait', async () => {
  const limit = createHashingLimit();
  const { promise: isFinished, resolve: finish } = Promise.withResolvers<void>();
  const add = (party: string) => limit.run(party, () => isFinished);
  const accepted = Array.from({ length: 1026 }, (_, i) => add(`party ${i}`));
  await expect(add('b')).rejects.toEqual(unavailable);
  expect(limit.counts()).toEqual({ waiting: 1024, refused: 1 });
  finish();
  await Promise.all(accepted);
});

test.each([
  ['ends', async () => {}, false],
  ['fails', () => Promise.reject(new Error('broken')), false],
  ['has no client any more', async () => {}, true],
])('a task that %s frees its place, and no other', async (_case, task, hasLeft) => {
  const limit = createHashingLimit();
  const add = (party: string, count: number) => {
    for (let i = 0; i < count; i += 1)
      limit.run(party, () => new Promise(() => {})).catch(() => {});
  };
  const ending = Array.from({ length: 5 }, () => limit.run('a', task, () => hasLeft));
  add('a', 123);
  add('b', 128);
  await Promise.allSettled(ending);
  add('a', 5);
  expect(limit.counts().refused).toBe(0);
  add('a', 1);
  add('b', 1);
  expect(limit.counts().refused).toBe(2);
});

test('strangers in the same network keep no user out whom the account knows', async () => {
  const store = { checkBuckets: async () => {}, changeBuckets: async () => {} };
  const throttle = createThrottle(store as unknown as Store);
  const { promise: isFinished, resolve: finish } = Promise.withResolvers<void>();
  const signIn = (isKnown: boolean) => {
    const attempt = { email: canonicalEmail('ada@example.org'), isOwner: false, isKnown };
    return throttle.run({ ip: '192.0.2.1', signIn: attempt }, () => isFinished);
  };
  const strangers = Array.from({ length: 129 }, () => signIn(false));
  await expect(strangers.pop()).rejects.toEqual(unavailable);
  const known = signIn(true);
  // A refusal comes before any of the strangers ends.
  expect(await Promise.race([known.catch(() => 'refused'), setImmediate('waits')])).toBe('waits');
  finish();
  await Promise.all([known, ...strangers]);
});

test('a sign-in whose client disconnects is not hashed', async () => {
  const gate = Promise.withResolvers<void>();
  const verify = vi.fn<Passwords['verify']>(() => gate.promise.then(() => 'right'));
  const passwords = { ...createPasswords(cheapestCost), verify };
  const database = openSqlite(temporaryFolder());
  const query = vi.spyOn(database, 'query');
  const arrivals = () => query.mock.calls.filter(([sql]) => sql.includes('"isKnown"')).length;
  const lines: string[] = [];
  const logger = { stream: { write: (line: string) => void lines.push(line) } };
  const address = await startServer({ database, passwords, logger });
  const client = new CookieClient(address);
  await client.register();
  const logins = [client.login(), client.login()];
  await expect.poll(() => verify.mock.calls.length).toBe(2);
  const body = JSON.stringify(client.credentials);
  const request =
    `POST ${operationTable.login.path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n` +
    `content-length: ${body.length}\r\n\r\n${body}`;
  // With the three others, as many as one IP may try at once.
  const sockets = Array.from({ length: 7 }, () =>
    connect(Number(new URL(address).port), '127.0.0.1'),
  );
  for (const socket of sockets) socket.write(request);
  await expect.poll(arrivals).toBe(9);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => lines.filter((line) => line.includes('"aborted":true')).length).toBe(7);
  const last = client.login();
  gate.resolve();
  expect((await Promise.all([...logins, last])).map(({ status }) => status)).toEqual([
    200, 200, 200,
  ]);
  expect(verify).toHaveBeenCalledTimes(3);
});
