import { argon2Sync } from 'node:crypto';
import { expect, test } from 'vitest';
import { Refusal } from '../../server/refusal.ts';
import { createPasswords } from '../../server/auth/passwords.ts';
import { CookieClient } from '../support/cookie-client.ts';
import { freshDatabase, refusal, startServer, storeNames } from './support.ts';

const password = 'correct horse 🐎';
const cheapest = { memory: 8, passes: 1, parallelism: 1 };

test('what is kept is argon2id at the advised cost, as anybody else would compute it', async () => {
  const kept = await createPasswords().hash(password);
  const [, algorithm, version, cost, ...encoded] = kept.split('$');
  expect([algorithm, version, cost]).toEqual(['argon2id', 'v=19', 'm=19456,t=2,p=1']);
  const [salt, tag] = encoded.map((text) => Buffer.from(text, 'base64')) as [Buffer, Buffer];
  expect([salt.length, tag.length]).toEqual([16, 32]);
  const message = Buffer.from(password);
  const expected = { message, nonce: salt, memory: 19_456, passes: 2, parallelism: 1 };
  expect(tag).toEqual(argon2Sync('argon2id', { ...expected, tagLength: 32 }));
});

test('one password of two people is kept as two different texts', async () => {
  const passwords = createPasswords(cheapest);
  const [one, other] = [await passwords.hash(password), await passwords.hash(password)];
  expect(one.split('$')[4]).not.toBe(other.split('$')[4]);
  for (const kept of [one, other]) {
    expect(await passwords.verify(password, kept)).toBe(true);
    expect(await passwords.verify('wrong horse', kept)).toBe(false);
  }
});

test('two are hashed at a time, 64 wait, and the next one is refused', async () => {
  const passwords = createPasswords(cheapest);
  const unavailable = expect.objectContaining({ reason: 'unavailable' });
  const accepted = Array.from({ length: 66 }, () => {
    passwords.refuseWhenBusy();
    return passwords.hash(password);
  });
  expect(() => passwords.refuseWhenBusy()).toThrow(unavailable);
  const more = [passwords.hash(password), passwords.verify(password, undefined)];
  expect(await Promise.allSettled(more)).toEqual([
    { status: 'rejected', reason: unavailable },
    { status: 'rejected', reason: unavailable },
  ]);
  expect(await Promise.all(accepted)).toHaveLength(66);
  passwords.refuseWhenBusy();
  expect(await passwords.hash(password)).toBeTypeOf('string');
});

test.each(storeNames)(
  'on %s whoever comes while too many wait is told when to come back, and nothing is counted',
  async (name) => {
    const database = (await freshDatabase(name))();
    const refuseWhenBusy = () => {
      throw new Refusal('unavailable');
    };
    const passwords = { ...createPasswords(cheapest), refuseWhenBusy };
    const visitor = new CookieClient(await startServer({ database, passwords }));
    for (const reply of [await visitor.register(), await visitor.login()]) {
      expect(reply).toMatchObject(refusal('unavailable'));
      expect(reply.headers.get('retry-after')).toBe('5');
    }
    expect(await database.query('select * from attempts')).toEqual([]);
  },
);
