import { argon2Sync } from 'node:crypto';
import { expect, test } from 'vitest';
import { createPasswords } from '../../server/auth/passwords.ts';
import { Refusal } from '../../server/refusal.ts';
import { CookieClient } from '../support/cookie-client.ts';
import { cheapestCost } from '../support/reference-server.ts';
import { freshDatabase, refusal, startServer, storeNames } from './support.ts';

const password = 'correct horse 🐎';

test('a password is stored as standard argon2id at the recommended cost', async () => {
  const hash = await createPasswords().hash(password);
  const [, algorithm, version, cost, ...encoded] = hash.split('$');
  expect([algorithm, version, cost]).toEqual(['argon2id', 'v=19', 'm=19456,t=2,p=1']);
  const [salt, tag] = encoded.map((text) => Buffer.from(text, 'base64')) as [Buffer, Buffer];
  expect([salt.length, tag.length]).toEqual([16, 32]);
  const message = Buffer.from(password);
  const parameters = { message, nonce: salt, memory: 19_456, passes: 2, parallelism: 1 };
  expect(tag).toEqual(argon2Sync('argon2id', { ...parameters, tagLength: 32 }));
});

test('equal passwords have different hashes', async () => {
  const passwords = createPasswords(cheapestCost);
  const hashes = [await passwords.hash(password), await passwords.hash(password)] as const;
  expect(hashes[0].split('$')[4]).not.toBe(hashes[1].split('$')[4]);
  for (const hash of hashes) {
    expect(await passwords.verify(password, hash)).toBe(true);
    expect(await passwords.verify('wrong horse', hash)).toBe(false);
  }
});

test('two hashes run, 64 wait, and the next one is refused', async () => {
  const passwords = createPasswords(cheapestCost);
  const unavailable = expect.objectContaining({ reason: 'unavailable' });
  const accepted = Array.from({ length: 66 }, () => {
    passwords.assertNotBusy();
    return passwords.hash(password);
  });
  expect(() => passwords.assertNotBusy()).toThrow(unavailable);
  const more = [passwords.hash(password), passwords.verify(password, undefined)];
  expect(await Promise.allSettled(more)).toEqual([
    { status: 'rejected', reason: unavailable },
    { status: 'rejected', reason: unavailable },
  ]);
  expect(await Promise.all(accepted)).toHaveLength(66);
  passwords.assertNotBusy();
  expect(await passwords.hash(password)).toBeTypeOf('string');
});

test.each(storeNames)('an attempt is not counted on %s if too many wait', async (name) => {
  const database = (await freshDatabase(name))();
  const assertNotBusy = () => {
    throw new Refusal('unavailable');
  };
  const passwords = { ...createPasswords(cheapestCost), assertNotBusy };
  const client = new CookieClient(await startServer({ database, passwords }));
  for (const reply of [await client.register(), await client.login()]) {
    expect(reply).toMatchObject(refusal('unavailable'));
    expect(reply.headers.get('retry-after')).toBe('5');
  }
  expect(await database.query('select * from attempts')).toEqual([]);
});
