import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { formNames, forms, type FormName } from '../../model/calls.ts';
import { screens } from '../../model/screens.ts';
import { renderApp } from '../support/render-app.tsx';

const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const invalid = (label: string) => field(label).getAttribute('aria-invalid');

/** Returns the element that describes a field, which holds its error. */
const errorElement = (label: string) =>
  document.getElementById(field(label).getAttribute('aria-describedby') ?? '');
const error = (label: string) => errorElement(label)?.textContent;

const expectError = (label: string, message: string) =>
  waitFor(() => expect(error(label)).toBe(message));

async function renderForm(name: FormName) {
  const { route, button } = forms[name];
  const app = await renderApp(route);
  const submitButton = await screen.findByRole('button', { name: button });
  return {
    ...app,
    submit: () => app.user.click(submitButton),
    fill: async (label: string, text: string) => {
      await app.user.clear(field(label));
      if (text !== '') await app.user.type(field(label), text);
      await app.user.tab();
    },
    count: () => app.backend.count(name),
    body: async () => (await app.backend.next(name)).body,
  };
}

describe.each(formNames)('the form of %s', (name) => {
  const { route, button, fields } = forms[name];
  const [first, second] = fields;

  test('is named after its heading, and contains its fields and its button', async () => {
    await renderForm(name);
    const form = within(screen.getByRole('form', { name: screens[route].heading }));
    for (const label of fields) expect(form.getByLabelText(label)).toBeDefined();
    expect(form.getByRole('button', { name: button })).toBeDefined();
  });

  test('has errors in live regions, so that screen readers announce them', async () => {
    await renderForm(name);
    for (const label of fields) {
      expect(errorElement(label)?.getAttribute('aria-live')).toBe('polite');
    }
  });

  test('shows an error only once its field was touched [FIELD-1, FIELD-2]', async () => {
    const { user } = await renderForm(name);
    expect([error(first), error(second)]).toEqual(['', '']);
    await user.click(field(first));
    expect([error(first), invalid(first)]).toEqual(['', 'false']);
    await user.tab();
    await expectError(first, `${first} is required`);
    expect(invalid(first)).toBe('true');
    expect([error(second), invalid(second)]).toEqual(['', 'false']);
  });

  test('says what is required and sends nothing when submitted empty [VALID-2, VALID-4, VALID-5, VALID-6, VALID-7, CHOICE-22, CHOICE-23]', async () => {
    const { submit, count } = await renderForm(name);
    await submit();
    for (const label of fields) await expectError(label, `${label} is required`);
    expect(document.activeElement).toBe(field(first));
    expect(count()).toBe(0);
  });

  test("does not show the browser's validation messages [CHOICE-24]", async () => {
    await renderForm(name);
    expect(field(first).form?.noValidate).toBe(true);
  });

  test('clears an error as soon as its field is valid, after a submit', async () => {
    const { submit, user } = await renderForm(name);
    await submit();
    await expectError(second, `${second} is required`);
    await user.type(field(second), 'long enough');
    await waitFor(() => expect([error(second), invalid(second)]).toEqual(['', 'false']));
  });

  test('clears an error as soon as its field is valid, after a blur', async () => {
    const { user } = await renderForm(name);
    await user.click(field(second));
    await user.tab();
    await expectError(second, `${second} is required`);
    await user.type(field(second), 'long enough');
    await waitFor(() => expect([error(second), invalid(second)]).toEqual(['', 'false']));
    expect(document.activeElement).toBe(field(second));
  });

  test('ignores the repetitions of a held Enter', async () => {
    const { user } = await renderForm(name);
    await user.click(field(first));
    expect(fireEvent.keyDown(field(first), { key: 'Enter', repeat: true })).toBe(false);
    expect(fireEvent.keyDown(field(first), { key: 'Enter' })).toBe(true);
    expect(fireEvent.keyDown(field(first), { key: 'a', repeat: true })).toBe(true);
  });
});

test('a held Enter in the description adds lines', async () => {
  await renderForm('createProject');
  const heldEnter = { key: 'Enter', repeat: true };
  expect(fireEvent.keyDown(field('Description'), heldEnter)).toBe(true);
});

describe.each(['registerUser', 'login'] as const)('the credentials of %s', (name) => {
  test('show no error while a field is filled for the first time [FIELD-1]', async () => {
    const { user } = await renderForm(name);
    await user.type(field('Email'), 'ada');
    await user.type(field('Password'), 'short');
    expect([error('Password'), invalid('Password')]).toEqual(['', 'false']);
    await user.tab();
    await waitFor(() => expect(invalid('Password')).toBe('true'));
  });

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
    ['[VALID-1]', 'ada@example.org', 'correct horse'],
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

test.each([
  ['blanks [CHOICE-25]', '  ', ' \n '],
  ['a single character [VALID-6, VALID-7]', 'T', 'D'],
])('%s as title and description are sent as typed', async (_, title, description) => {
  const { fill, submit, body } = await renderForm('createProject');
  await fill('Title', title);
  await fill('Description', description);
  await submit();
  expect(await body()).toEqual({ title, description });
});

test('100,000 characters as title and description are sent [CHOICE-26]', async () => {
  const { user, submit, body } = await renderForm('createProject');
  const long = 'x'.repeat(100_000);
  for (const label of ['Title', 'Description']) {
    await user.click(field(label));
    await user.paste(long);
  }
  await submit();
  expect(await body()).toEqual({ title: long, description: long });
});
