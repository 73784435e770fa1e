import { describe, expect, test } from 'vitest';
import { expectError, field, renderForm } from '../support/form-screen.tsx';

describe.each(['registerUser', 'login'] as const)('the credentials of %s', (name) => {
  test.each(['ada', 'ada@', '@example.org', 'ada@example', 'ada example.org', 'a@b@c.org'])(
    'reject "%s" as an email address [VALID-1]',
    async (text) => {
      const { fill, submit, count } = await renderForm(name);
      await fill('Email', text);
      await expectError('Email', 'Invalid email address');
      await fill('Password', 'correct horse');
      await submit();
      expect(count()).toBe(0);
    },
  );

  test.each(['1234567', 'pass wo', '😀😀😀😀😀😀😀'])(
    'reject the 7 characters "%s" as a password [VALID-3, CONST-2]',
    async (text) => {
      const { fill, submit, count } = await renderForm(name);
      await fill('Email', 'ada@example.org');
      await fill('Password', text);
      await expectError('Password', 'Password must be at least 8 characters');
      await submit();
      expect(count()).toBe(0);
    },
  );

  test.each([
    ['[APP-1, ENTITY-4, CALL-5, VALID-1]', 'ada@example.org', 'correct horse'],
    ['[VALID-1]', 'ada.lovelace+tracker@sub.example.co.uk', 'correct horse'],
    ['[VALID-1]', "o'neill_1@example.io", 'correct horse'],
    ['[CONST-2]', 'ada@example.org', '12345678'],
    ['[CONST-2]', 'ada@example.org', '        '],
    ['[CONST-2]', 'ada@example.org', ' pass wo'],
    ['[CONST-2]', 'ada@example.org', '😀😀😀😀😀😀😀😀'],
  ])('%s send "%s" with the password "%s" as typed', async (_, email, password) => {
    const { fill, submit, body } = await renderForm(name);
    await fill('Email', email);
    await fill('Password', password);
    await submit();
    expect(await body()).toEqual({ email, password });
  });

  test('turn off capitalization and spell checking for the email', async () => {
    await renderForm(name);
    expect(field('Email').getAttribute('autocapitalize')).toBe('none');
    expect(field('Email').getAttribute('spellcheck')).toBe('false');
  });
});
