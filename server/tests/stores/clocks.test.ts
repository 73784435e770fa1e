import { describe, expect, onTestFinished, test } from 'vitest';
import { createCleanup } from '../../auth/cleanup.ts';
import { sessionLifetimeSeconds } from '../../auth/sessions.ts';
import type { Database } from '../../store/database.ts';
import { openStore } from '../../store/store.ts';
import { CookieClient, signedInClient } from '../../../testing/cookie-client.ts';
import { countRows, withClock } from '../../../testing/database.ts';
import {
  freshDatabase,
  refusal,
  startServer,
  storeNames,
} from '../../../testing/server-fixtures.ts';

const secondMs = 1000;
const dayMs = 24 * 60 * 60 * secondMs;
const start = Date.UTC(2030, 0, 1);
const tooMany = refusal('tooManyAttempts');
/** In production these are six hours. */
const trustedReadings = 3;

describe.each(storeNames)('clocks on %s', (name) => {
  describe.each([60, 400 * 24 * 60 * 60])('two clocks that differ by %i s', (skew) => {
    test('a sign-in on one replica locks out no user on the other', async () => {
      const { ahead, behind } = await startReplicas(skew * secondMs);
      const user = await signedInClient(ahead);
      for (const address of [behind, ahead, behind]) {
        expect((await signIn(address, user)).status).toBe(200);
        const neighbor = new CookieClient(address);
        expect((await neighbor.register()).status).toBe(201);
        expect((await neighbor.login()).status).toBe(200);
      }
    });

    test('a lock ends on both replicas within the limits and five minutes', async () => {
      const { ahead, behind, wait } = await startReplicas(skew * secondMs);
      const user = await signedInClient(ahead);
      for (let i = 0; i < 10; i += 1) await guess(ahead, user);
      expect(await guess(ahead, user)).toMatchObject(tooMany);
      wait(5 * 60 * secondMs + 6 * secondMs);
      for (const address of [behind, ahead]) {
        expect((await signIn(address, user)).status).toBe(200);
      }
    });
  });

  test('clocks that differ by five minutes share the limits', async () => {
    const skew = 300;
    const { ahead, behind } = await startReplicas(skew * secondMs);
    const user = new CookieClient(ahead);
    const statuses: number[] = [];
    for (let i = 0; i < 20; i += 1) {
      statuses.push((await guess(i % 2 ? ahead : behind, user)).status);
    }
    // The clock that is ahead may see the first attempts of the other one as drained.
    expect(statuses.slice(-9)).toEqual(Array.from({ length: 9 }, () => 429));
    const retryAfter = Number((await guess(behind, user)).headers['retry-after']);
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(skew + 12);
  });

  test('a clock that jumps 400 days forward and back locks no address and no account', async () => {
    const { address, clock } = await startOne();
    const user = await signedInClient(address);
    clock.time += 400 * dayMs;
    for (let i = 0; i < 10; i += 1) await guess(address, user);
    expect(await guess(address, user)).toMatchObject(tooMany);
    clock.time -= 400 * dayMs;
    expect((await signIn(address, user)).status).toBe(200);
    expect((await new CookieClient(address).register()).status).toBe(201);
  });

  test.each([1, -1])(
    'a session and a known network survive a clock that jumps 400 days (x %i) and back',
    async (sign) => {
      const { address, clock, cleanUp, database } = await startOne();
      const before = await signedInClient(address);
      await cleanUp(trustedReadings + 1);
      clock.time += sign * 400 * dayMs;
      await cleanUp(trustedReadings - 1);
      expect(await countRows(database, ['known_networks'])).toEqual({ known_networks: 1 });
      expect((await before.listProjects()).status).toBe(sign > 0 ? 401 : 200);
      const during = await signedInClient(address);
      clock.time -= sign * 400 * dayMs;
      await cleanUp(trustedReadings);
      expect((await before.listProjects()).status).toBe(200);
      // A session that started under a clock that was behind has expired.
      expect((await during.listProjects()).status).toBe(sign > 0 ? 200 : 401);
    },
  );

  test('a session of a clock that was ahead lasts thirty days from its correction', async () => {
    const { address, clock, cleanUp } = await startOne();
    clock.time += 400 * dayMs;
    const client = await signedInClient(address);
    clock.time -= 400 * dayMs;
    await cleanUp(trustedReadings + 1);
    clock.time += sessionLifetimeSeconds * secondMs - 1;
    expect((await client.listProjects()).status).toBe(200);
    clock.time += 1;
    expect((await client.listProjects()).status).toBe(401);
  });

  test('what has expired for six hours is deleted in batches', async () => {
    const { address, clock, cleanUp, database } = await startOne();
    const user = await signedInClient(address);
    await database.query(
      `insert into sessions (token_hash, account_id, expires_at)
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 1201)
       select 'session ' || n, accounts.id, 5 from numbers, accounts`,
    );
    const counts = () => countRows(database, ['sessions', 'known_networks', 'attempt_buckets']);
    await cleanUp(trustedReadings);
    expect(await counts()).toMatchObject({ sessions: 1202 });
    await cleanUp(1);
    expect(await counts()).toEqual({ sessions: 1, known_networks: 1, attempt_buckets: 3 });
    clock.time += 29 * dayMs;
    await cleanUp(trustedReadings + 1);
    expect(await counts()).toMatchObject({ sessions: 1, known_networks: 1 });
    clock.time += 2 * dayMs;
    await signIn(address, user);
    await cleanUp(trustedReadings + 1);
    expect(await counts()).toMatchObject({ sessions: 1, known_networks: 1 });
    clock.time += 31 * dayMs;
    await cleanUp(trustedReadings + 1);
    expect(await counts()).toEqual({ sessions: 0, known_networks: 0, attempt_buckets: 0 });
    // Under a clock that is ahead.
    await signIn(address, user);
    clock.time -= dayMs;
    await cleanUp(trustedReadings + 1);
    expect(await counts()).toMatchObject({ known_networks: 0, attempt_buckets: 0 });
  });

  /** Starts one server and a cleanup that the test runs. */
  async function startOne() {
    const database = (await freshDatabase(name))();
    const clock = { time: start };
    const now = () => clock.time;
    const address = await startServer({ database, now });
    const runCleanup = createCleanup(await openStore(withClock(database, now)), trustedReadings);
    const cleanUp = async (runs: number) => {
      for (let i = 0; i < runs; i += 1) await runCleanup();
    };
    return { address, clock, cleanUp, database };
  }

  /** Starts two servers on one database. */
  async function startReplicas(skewMs: number) {
    const open = await freshDatabase(name);
    let time = start;
    const ahead = await startServer({ database: open(), now: () => time + skewMs });
    const behind = await startServer({ database: open(), now: () => time });
    return { ahead, behind, wait: (milliseconds: number) => (time += milliseconds) };
  }
});

test.each(storeNames)("the store's own clock is right on %s", async (name) => {
  const database: Database = (await freshDatabase(name))();
  onTestFinished(() => database.close());
  const store = await openStore(database);
  const before = Date.now();
  const now = await store.now();
  expect(now).toBeGreaterThanOrEqual(before - 1);
  expect(now).toBeLessThanOrEqual(Date.now() + 1);
});

const guess = (address: string, { credentials }: CookieClient) =>
  new CookieClient(address).login({ ...credentials, password: 'wrong horse' });

const signIn = (address: string, { credentials }: CookieClient) =>
  new CookieClient(address).login(credentials);
