import { expect, test } from 'vitest';
import { credentialsSchema } from '../../src/screens/schemas.ts';
import { credentialsOf } from '../../testing/credentials.ts';

const right = credentialsOf();

const errorsOf = (credentials: object) =>
  credentialsSchema.safeParse(credentials).error?.issues.map(({ message }) => message);

test.each([
  'ada',
  'ada@',
  '@example.org',
  'ada example.org',
  'a@b@c.org',
  'ada@-example.org',
  'ada@example..org',
  'ada@münchen..example',
  'ada@mün chen.example',
  'ada@münchen.example/a',
  'äda@example.org',
])('"%s" is no email address [VALID-1]', (email) => {
  expect(errorsOf({ ...right, email })).toEqual(['Invalid email address']);
});

test.each(['1234567', 'pass wo', '😀😀😀😀😀😀😀', 'passwo\u0065\u0301'])(
  'the 7 characters "%s" are no password [VALID-3, CONST-2, CHOICE-103]',
  (password) => {
    expect(errorsOf({ ...right, password })).toEqual(['Password must be at least 8 characters']);
  },
);

test.each([
  'ada.lovelace+tracker@sub.example.co.uk',
  "o'neill_1@example.io",
  'root@localhost',
  'a&b@example.org',
  'info!@example.org',
])('the email "%s" is sent as typed [VALID-1, CHOICE-102]', (email) => {
  expect(credentialsSchema.parse({ ...right, email })).toEqual({ ...right, email });
});

test.each(['motdepassé\u0301', '12345678', '        ', ' pass wo', '😀😀😀😀😀😀😀😀'])(
  'the password "%s" is sent as typed [CONST-2, CHOICE-103]',
  (password) => {
    expect(credentialsSchema.parse({ ...right, password })).toEqual({ ...right, password });
  },
);

test.each([
  ['ada@MÜNCHEN.example', 'ada@xn--mnchen-3ya.example'],
  ['Ada@пример.example', 'Ada@xn--e1afmkfd.example'],
  ['ada＠Example.org', 'ada@Example.org'],
  ['ada@例え.テスト', 'ada@xn--r8jz45g.xn--zckzah'],
])('the email "%s" is sent as %s [CHOICE-102]', (typed, email) => {
  expect(credentialsSchema.parse({ ...right, email: typed }).email).toBe(email);
});
