import { argon2Sync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createPasswords } from '../../auth/passwords.ts';
import { cheapestCost } from '../../../testing/reference-server.ts';

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

test.each([
  { memory: 80, passes: 1, parallelism: 10 },
  { ...cheapestCost, passes: 10 },
])('equal passwords have different hashes at the cost %o', async (cost) => {
  const passwords = createPasswords(cost);
  const hashes = [await passwords.hash(password), await passwords.hash(password)] as const;
  expect(hashes[0].split('$')[4]).not.toBe(hashes[1].split('$')[4]);
  for (const hash of hashes) {
    expect(await passwords.verify(password, hash)).toBe('right');
    expect(await passwords.verify('wrong horse', hash)).toBe('wrong');
    expect(await createPasswords().verify(password, hash)).toBe('outdated');
  }
  expect(await passwords.verify(password)).toBe('wrong');
  await expect(passwords.verify(password, 'a hash')).rejects.toThrow('cannot be read');
});

describe('a password', () => {
  const passwords = createPasswords(cheapestCost);

  const forms = (text: string) => [text.normalize('NFC'), text.normalize('NFD')] as const;
  const examples: [language: string, ...typed: string[]][] = [
    ['French', ...forms('Élève à Orléans')],
    // Windows types the mark of the tone apart, Telex keyboards do not.
    ['Vietnamese', ...forms('tiếng Việt'), 'ti\u00ea\u0301ng Vi\u00ea\u0323t'],
  ];

  test.each(examples)('in %s is one, however it is typed', async (_language, ...typed) => {
    for (const registered of typed) {
      const hash = await passwords.hash(registered);
      for (const text of typed) expect(await passwords.verify(text, hash)).toBe('right');
      expect(await passwords.verify(`${registered}x`, hash)).toBe('wrong');
    }
  });

  test.each([
    ['compatible characters', 'ﬁne ① ²', 'fine 1 2'],
    ['an accent less', 'éléphants', 'elephants'],
    ['letters of other cases', 'ÉÉÉÉÉÉÉÉ', 'éééééééé'],
  ])('is another one with %s', async (_, registered, typed) => {
    expect(await passwords.verify(typed, await passwords.hash(registered))).toBe('wrong');
  });
});
