import { describe, expect, test } from 'vitest';
import { forms } from '../../shared/forms.ts';
import { credentialsOf } from '../../testing/credentials.ts';
import { expectError, field, renderForm } from '../../testing/form-screen.tsx';

const { email: emailLabel, password: passwordLabel } = forms.login.fields;
const right = credentialsOf();

describe.each(['registerUser', 'login'] as const)('the credentials of %s', (name) => {
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
  ])('reject "%s" as an email address [VALID-1]', async (text) => {
    const { fill, submit, count } = await renderForm(name);
    await fill(emailLabel, text);
    await expectError(emailLabel, 'Invalid email address');
    await fill(passwordLabel, right.password);
    await submit();
    expect(count()).toBe(0);
  });

  test.each(['1234567', 'pass wo', '😀😀😀😀😀😀😀', 'passwo\u0065\u0301'])(
    'reject the 7 characters "%s" as a password [VALID-3, CONST-2, CHOICE-103]',
    async (text) => {
      const { fill, submit, count } = await renderForm(name);
      await fill(emailLabel, right.email);
      await fill(passwordLabel, text);
      await expectError(passwordLabel, 'Password must be at least 8 characters');
      await submit();
      expect(count()).toBe(0);
    },
  );

  test.each([
    ['[APP-1, ENTITY-4, CALL-5, VALID-1]', right.email, right.password],
    ['[VALID-1]', 'ada.lovelace+tracker@sub.example.co.uk', right.password],
    ['[VALID-1]', "o'neill_1@example.io", right.password],
    ['[CHOICE-102]', 'root@localhost', right.password],
    ['[CHOICE-102]', 'a&b@example.org', right.password],
    ['[CHOICE-102]', 'info!@example.org', right.password],
    ['[CHOICE-103]', right.email, 'motdepassé\u0301'],
    ['[CONST-2]', right.email, '12345678'],
    ['[CONST-2]', right.email, '        '],
    ['[CONST-2]', right.email, ' pass wo'],
    ['[CONST-2]', right.email, '😀😀😀😀😀😀😀😀'],
  ])('%s send "%s" with the password "%s" as typed', async (_, email, password) => {
    const { fill, submit, body } = await renderForm(name);
    await fill(emailLabel, email);
    await fill(passwordLabel, password);
    await submit();
    expect(await body()).toEqual({ email, password });
  });

  test.each([
    ['ada@münchen.example', 'ada@xn--mnchen-3ya.example'],
    ['ada@MÜNCHEN.example', 'ada@xn--mnchen-3ya.example'],
    ['Ada@пример.example', 'Ada@xn--e1afmkfd.example'],
    ['ada＠Example.org', 'ada@Example.org'],
    ['ada@例え.テスト', 'ada@xn--r8jz45g.xn--zckzah'],
  ])('send "%s" as %s, and go on showing what was typed [CHOICE-102]', async (typed, sent) => {
    const { fill, submit, body } = await renderForm(name);
    await fill(emailLabel, typed);
    await fill(passwordLabel, right.password);
    await submit();
    expect(await body()).toEqual({ email: sent, password: right.password });
    expect(field(emailLabel).value).toBe(typed);
  });

  test('turn off capitalization and spell checking for the email', async () => {
    await renderForm(name);
    expect(field(emailLabel).getAttribute('autocapitalize')).toBe('none');
    expect(field(emailLabel).getAttribute('spellcheck')).toBe('false');
  });
});
