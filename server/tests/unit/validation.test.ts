import { describe, expect, test } from 'vitest';
import { canonicalEmail, isEmail } from '../../auth/emails.ts';
import { toRefusal } from '../../http/validation.ts';

test.each([
  ['email', 'Email must be at least 8 characters.'],
  ['newPassword', 'New password must be at least 8 characters.'],
])('a refusal names the field %s in words', (field, message) => {
  const error = { keyword: 'minLength', instancePath: `/${field}`, params: { limit: 8 } };
  expect(toRefusal([error], 'body').message).toBe(message);
});

describe('an email', () => {
  const label = 'x'.repeat(63);

  test.each([
    'root@localhost',
    ".!#$%&'*+/=?^_`{|}~-@x",
    '.a.@x',
    'A@B.C',
    'ada@xn--a',
    `ada@${label}.${label}`,
    'ada@münchen.example',
    'ada@日本語.jp',
    `ada@${'ü'.repeat(50)}.de`,
  ])('is valid: %j', (email) => {
    expect(isEmail(email)).toBe(true);
  });

  test.each([
    '',
    'ada',
    'ada@',
    '@x',
    'ada@x.',
    'ada@.x',
    'ada@-x',
    'ada@x-',
    'ada@x_y',
    `ada@${label}x`,
    'ada@x@y',
    'a b@x',
    ' ada@x',
    'ada@x\n',
    '"ada"@x',
    'ada@[192.0.2.1]',
    'ädä@x',
    '\u212aelvin@x',
    // Invalid domains, and characters at which a URL's host ends.
    ...Array.from('/?#\\_ \t\n.\0[`|', (end) => `ada@ü${end}`),
    'ada@ü:1',
    'ada@ü%61',
    'ada@ü..x',
    'ada@ü@x',
    'ada@\u200d.example',
    'ada@xn--ü.example',
    'ada@９。',
    `ada@${'ü'.repeat(63)}.de`,
    `ada@${'ü.'.repeat(40)}example`,
    `ada@${'ü'.repeat(100_000)}`,
  ])('is refused: %j', (email) => {
    expect(isEmail(email)).toBe(false);
  });

  test.each([
    ['ada@example.org', 'ADA@EXAMPLE.ORG', 'Ada@example.Org', 'ada@ｅｘａｍｐｌｅ。org'],
    [
      'ada@xn--mnchen-3ya.example',
      'ada@münchen.example',
      'ADA@MÜNCHEN.example',
      'ada@XN--MNCHEN-3YA.example',
      'ada@mu\u0308nchen.example',
      'ada@münchen。example',
      'ada@mün\u00adchen．Example',
    ],
    ['ada@xn--strae-oqa.example', 'ada@straße.example', 'ada@STRAẞE.example'],
    ['ada@strasse.example', 'ada@STRASSE.example'],
    ['ada@xn--wgv71a119e.jp', 'ada@日本語.ＪＰ'],
    // Nothing else is changed: no number becomes an address, and no mailbox another.
    ['ada@0x7f.1'],
    ['ada@1.2', 'ada@１.２'],
    ['a.d.a+b@gmail.com'],
  ])('is one account as %s, however it is typed', (canonical, ...spellings) => {
    for (const email of [canonical, ...spellings]) {
      expect([isEmail(email), canonicalEmail(email)]).toEqual([true, canonical]);
    }
  });
});
