import { argon2Sync } from 'node:crypto';
import { expect, test } from 'vitest';
import { createPasswords } from '../../server/auth/passwords.ts';

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
  const passwords = createPasswords({ memory: 80, passes: 10, parallelism: 10 });
  const hashes = [await passwords.hash(password), await passwords.hash(password)] as const;
  expect(hashes[0].split('$')[4]).not.toBe(hashes[1].split('$')[4]);
  for (const hash of hashes) {
    expect(await passwords.verify(password, hash)).toBe(true);
    expect(await passwords.verify('wrong horse', hash)).toBe(false);
    expect(passwords.isOutdated(hash)).toBe(false);
  }
  await expect(passwords.verify(password, 'a hash')).rejects.toThrow('cannot be read');
});
